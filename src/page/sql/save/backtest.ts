/** When a rule would have fired, drawn while the user writes the rule. */
import { type Backtest, runBacktest } from '../../api/alerts.js'
import type { Failure } from '../../api/api.js'
import { failureOf } from '../../api/explore.js'
import { pause } from '../../api/pause.js'
import { firedIn, type Lane, lanesOf, type TimelineRange } from '../../plot/spans.js'
import { timelineOf } from '../../plot/timeline.js'
import { element } from '../../shared/dom.js'
import { count, lengthText } from '../../shared/format.js'
import { labelsText } from '../../shared/labels-text.js'
import { usOf } from '../../shared/range.js'
import { timestamp } from '../../shared/times.js'

/** How long no key is pressed before the rule is run, in milliseconds. */
const TYPING_MS = 500
/** The range of time before now over which the rule is run, and its name in words. */
const [LAST, LAST_IN_WORDS] = ['7d', 'last 7 days']
const [LAST_S, HOUR_S] = [7 * 86_400, 3_600]

/** The element, and how to fill it. */
export interface BacktestView {
  readonly root: HTMLElement
  /** Runs the text of a rule after a pause, instead of the previous text. Undefined: the text has an error. */
  run(file: string | undefined): void
  /** Ends the request that is running. */
  stop(): void
}

/** Callbacks of the backtest. */
export interface BacktestHost {
  /** Marks the line of an error in the file, from 1, or no line. */
  mark(line: number | undefined): void
  /** Returns true if the failure was handled by signing out. */
  onFailure(failure: Failure): boolean
}

/** Creates the element, which is empty. */
export function createBacktest({ mark, onFailure }: BacktestHost): BacktestView {
  const { root, announce, say, show } = createOutput()
  let running = new AbortController()

  function failed(failure: Failure): void {
    if (onFailure(failure)) return
    const isNotOffered = failure.kind === 'forbidden' || failure.kind === 'absent'
    if (isNotOffered) show(undefined, `This rule cannot be tried here: ${failure.message}`, 'fine')
    else show(undefined, failure.message, 'error')
    mark(isNotOffered ? undefined : lineIn(failure.message))
  }

  async function tryRule(file: string, signal: AbortSignal): Promise<void> {
    await pause(TYPING_MS, signal)
    while (!signal.aborted) {
      try {
        const answer = await runBacktest(file, LAST, signal)
        if (!signal.aborted) show(answer, firedText(answer))
        return
      } catch (error) {
        if (signal.aborted) return
        const failure = failureOf(error)
        if (failure.retryS === undefined) return failed(failure)
        say(`${failure.message} Retrying …`)
        await pause(failure.retryS * 1_000, signal)
      }
    }
  }

  return {
    root,
    run(file) {
      running.abort()
      mark(undefined)
      if (file === undefined) {
        show(undefined, '')
        return
      }
      running = new AbortController()
      announce(`Running it over the ${LAST_IN_WORDS} …`)
      void tryRule(file, running.signal)
    },
    stop: () => running.abort(),
  }
}

/** The visible parts: a status, the times at which the rule fires, and how these were found. */
function createOutput() {
  const root = element('div', { class: 'backtest', role: 'region', 'aria-label': 'Backtest' })
  const said = element('p', { role: 'status' })
  const [drawn, about] = [element('div'), element('p', { class: 'fine' })]
  root.append(said, drawn, about)

  function say(text: string, kind = ''): void {
    said.className = kind
    said.textContent = text
  }

  function show(answer: Backtest | undefined, text: string, kind = ''): void {
    root.setAttribute('aria-busy', 'false')
    say(text, kind)
    drawn.replaceChildren(...(answer === undefined ? [] : [drawingOf(answer)]))
    about.textContent = answer === undefined ? '' : aboutText(answer)
  }

  /** Announces a run. The drawing of the previous text stays until the answer. */
  function announce(text: string): void {
    root.setAttribute('aria-busy', 'true')
    say(text, 'fine')
  }

  return { root, announce, say, show }
}

/** Returns the line of the file that ends the message of an error, or undefined if there is none. */
function lineIn(message: string): number | undefined {
  const [, line] = /\(line (\d+)(?:, column \d+)?\)$/.exec(message) ?? []
  return line === undefined ? undefined : Number(line)
}

/** The range of the evaluations. If earlier changes are left out, the range begins with the first change. */
function rangeOf({ from, to, omitted = 0, result }: Backtest): TimelineRange {
  const [first] = result
  return { fromUs: usOf(omitted > 0 && first !== undefined ? first.instant : from), toUs: usOf(to) }
}

function lanesIn(answer: Backtest): Lane[] {
  const changes = answer.result.map(({ instant, state, labels }) => ({
    ...{ lane: labelsText(labels), timeUs: usOf(instant), state },
  }))
  return lanesOf(changes, rangeOf(answer))
}

const drawingOf = (answer: Backtest) => timelineOf(lanesIn(answer), rangeOf(answer), '')

function firedText(answer: Backtest): string {
  const lanes = lanesIn(answer).filter(({ spans }) => spans.some(({ state }) => state === 'firing'))
  const range = rangeOf(answer)
  const { times, lengthUs } = firedIn(lanes, range)
  // The service evaluates fewer instants if each is a query of its own.
  const isWhole = (range.toUs - range.fromUs) / 1e6 > LAST_S - HOUR_S
  const when = isWhole ? `In the ${LAST_IN_WORDS}` : `Since ${timestamp(range.fromUs).slice(0, 19)}`
  if (times === 0) return `${when} it would not have fired.`
  const often = times === 1 ? 'once' : `${count(times)} times`
  const alerts = lanes.length === 1 ? '1 alert' : `${count(lanes.length)} alerts`
  return `${when} it would have fired ${often}, for ${alerts}, ${lengthText(lengthUs / 1e6)} in all.`
}

function aboutText({ steps, failed = 0, method, omitted = 0, note }: Backtest): string {
  const failures = failed === 0 ? '' : `, ${count(failed)} of which failed`
  const more = omitted === 0 ? '' : ` ${count(omitted)} earlier changes are left out.`
  return `${count(steps)} evaluations (${method})${failures}, ${note}.${more}`
}
