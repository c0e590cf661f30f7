/** When a rule would have fired, drawn while the user writes the rule. */
import { type Backtest, runBacktest } from '../../api/alerts.js'
import type { Failure } from '../../api/api.js'
import { failureOf } from '../../api/explore.js'
import { pause } from '../../api/pause.js'
import { firedIn, lanesOf } from '../../plot/spans.js'
import { timelineOf } from '../../plot/timeline.js'
import { element } from '../../shared/dom.js'
import { count, lengthText } from '../../shared/format.js'
import { labelsText } from '../../shared/labels-text.js'
import { usOf } from '../../shared/range.js'
import { type Place, placeText, readFault } from '../fault-place.js'

/** How long no key is pressed before the rule is run, in milliseconds. */
const TYPING_MS = 500
/** The range of time before now over which the rule is run, and its name in words. */
const [LAST, LAST_IN_WORDS] = ['7d', 'last 7 days']

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
  /** Marks the place of an error in the file, or no place. */
  mark(place: Place | undefined): void
  /** Returns true if the failure was handled by signing out. */
  onFailure(failure: Failure): boolean
}

/** Creates the element, which is empty. */
export function createBacktest({ mark, onFailure }: BacktestHost): BacktestView {
  const root = element('div', { class: 'backtest', role: 'region', 'aria-label': 'Backtest' })
  const said = element('p', { role: 'status' })
  const [drawn, about] = [element('div'), element('p', { class: 'fine' })]
  root.append(said, drawn, about)
  let running = new AbortController()

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

  function failed(failure: Failure): void {
    if (onFailure(failure)) return
    const { message, place } = readFault(failure.message)
    const isNotOffered = failure.kind === 'forbidden' || failure.kind === 'absent'
    const why = failure.code === 'not_found' ? 'The service tries no rules.' : message
    if (isNotOffered) show(undefined, `This rule cannot be tried here: ${why}`, 'fine')
    else show(undefined, place === undefined ? message : `${message} (${placeText(place)})`, 'error')
    mark(isNotOffered ? undefined : place)
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
      root.setAttribute('aria-busy', 'true')
      say(`Running it over the ${LAST_IN_WORDS} …`, 'fine')
      void tryRule(file, running.signal)
    },
    stop: () => running.abort(),
  }
}

const rangeOf = ({ from, to }: Backtest) => ({ fromUs: usOf(from), toUs: usOf(to) })

function lanesIn({ result, ...bounds }: Backtest) {
  const changes = result.map(({ instant, state, labels }) => ({
    lane: labelsText(labels),
    timeUs: usOf(instant),
    state,
  }))
  return lanesOf(changes, rangeOf({ result, ...bounds }))
}

const drawingOf = (answer: Backtest) => timelineOf(lanesIn(answer), rangeOf(answer), '')

function firedText(answer: Backtest): string {
  const lanes = lanesIn(answer).filter(({ spans }) => spans.some(({ state }) => state === 'firing'))
  const { times, lengthUs } = firedIn(lanes, rangeOf(answer))
  if (times === 0) return `It would not have fired in the ${LAST_IN_WORDS}.`
  const often = times === 1 ? 'once' : `${count(times)} times`
  const alerts = lanes.length === 1 ? '1 alert' : `${count(lanes.length)} alerts`
  return `In the ${LAST_IN_WORDS} it would have fired ${often}, for ${alerts}, ${lengthText(lengthUs / 1e6)} in all.`
}

const aboutText = ({ steps, method, note }: Backtest) => `${count(steps)} evaluations (${method}), ${note}.`
