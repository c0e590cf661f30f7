/** The view of the rows around a row: all sources of the project, a minute before and after, by time. */
import { USUAL_FIELDS } from '../../common/usual-fields.js'
import { numberOf, type Row } from '../api/api.js'
import { buttonOf, element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { fullTime, timestamp, zoneName } from '../shared/times.js'
import { AROUND_US, loadAround, mergeAround, type SourcePart, type SourceRow } from './around.js'
import { valueAt } from './field-path.js'
import { textOf } from './record-value.js'
import { severityOf, wordOfLevel } from './severity.js'

/** Fields with a status or a level, whichever a record has first. */
const OUTCOME_FIELDS = ['response.status_code', 'parsed.error_severity', ...USUAL_FIELDS.status, ...USUAL_FIELDS.level]

/** Options of the view of rows around a row. */
export interface AroundOptions {
  source: string
  project: string
  /** The sources to request rows of. */
  sources: readonly string[]
  /** Called when the user chooses a row. */
  onChoose(row: Row, source: string): void
  /** Called when the user closes the view. */
  onClose(): void
}

/** The view on the page. */
export interface ShownAround {
  /** Resolves when the rows of all sources have arrived. */
  readonly loaded: Promise<void>
  /** Moves the focus to the row in the middle. */
  focus(): void
  /** Cancels pending requests. */
  stop(): void
}

/** Replaces the content of a container with the rows around a row. */
export function showAround(container: HTMLElement, row: Row, options: AroundOptions): ShownAround {
  const center: SourceRow = { source: options.source, row }
  const status = element('p', { role: 'status', class: 'record-status' }, 'Loading …')
  const list = element('ol', { class: 'around', 'aria-label': `Rows of all sources by time, in ${zoneName()}` })
  const root = element('section', { class: 'record', 'aria-label': 'Rows around' }, headOf(row, options), status, list)
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    options.onClose()
  })
  listenToArrows(list)
  container.replaceChildren(root)

  const abort = new AbortController()
  const parts: SourcePart[] = []
  const show = () => {
    const wasFocused = list.contains(document.activeElement)
    // In the order of the sources, whichever came first.
    const ordered = options.sources.flatMap((source) => parts.filter((part) => part.source === source))
    showRows(list, mergeAround(center, ordered), options)
    if (wasFocused) focus()
  }
  const focus = () => list.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  show()
  const loaded = loadAround(center, { ...options, signal: abort.signal }, (part) => {
    parts.push(part)
    show()
    status.textContent = parts.length < options.sources.length ? 'Loading …' : summaryOf(parts)
    list.querySelector('[aria-current]')!.scrollIntoView({ block: 'center' })
  }).catch((error) => {
    if (!abort.signal.aborted) throw error
  })
  return { loaded, focus, stop: () => abort.abort() }
}

function headOf(row: Row, { onClose }: AroundOptions): HTMLElement {
  const close = buttonOf('Back', onClose, { class: 'small', title: 'Back to the record (Esc)' })
  return element(
    'header',
    {},
    element('h2', {}, 'Rows around'),
    element(
      'p',
      { class: 'fine' },
      `${AROUND_US / 60e6} minute before and after ${fullTime(numberOf(row.timestamp)!)}`,
    ),
    element('div', { class: 'record-tools' }, close),
  )
}

function summaryOf(parts: readonly SourcePart[]): string {
  const rows = parts.reduce((sum, part) => sum + part.rows.length, 0)
  const sources = parts.filter((part) => part.rows.length > 0).length
  const cut = parts.filter(({ isCut }) => isCut).map(({ source }) => source)
  const failed = parts.flatMap(({ source, failure }) => (failure ? [`${source}: ${failure.message}`] : []))
  const text = `${count(rows)} row${rows === 1 ? '' : 's'} of ${sources} source${sources === 1 ? '' : 's'}.`
  const nearest = cut.length === 0 ? '' : `Of ${cut.join(', ')} only the nearest are shown.`
  return [text, nearest, ...failed].filter((part) => part !== '').join(' ')
}

function showRows(list: HTMLElement, { rows, at }: ReturnType<typeof mergeAround>, { onChoose }: AroundOptions): void {
  const centerUs = numberOf(rows[at].row.timestamp)!
  list.replaceChildren(
    ...rows.map(({ source, row }, i) => {
      const us = numberOf(row.timestamp)!
      const status = statusOf(row.metadata)
      const line = element(
        'button',
        {
          type: 'button',
          class: `around-row is-${severityOf(status)}`,
          tabindex: i === at ? '0' : '-1',
          ...(i === at && { 'aria-current': 'true' }),
        },
        element('time', { datetime: new Date(us / 1_000).toISOString(), title: fullTime(us) }, timestamp(us).slice(11)),
        element('span', { class: 'distance' }, i === at ? 'this row' : distanceText(us - centerUs)),
        element('span', { class: 'source' }, source),
        element('span', { class: 'status' }, status),
        element('span', { class: 'message' }, String(row.event_message ?? '')),
      )
      line.addEventListener('click', () => onChoose(row, source))
      return element('li', {}, line)
    }),
  )
}

/** Returns the status or level of a record as a text, or empty for no status and no level. */
function statusOf(metadata: unknown): string {
  const found = OUTCOME_FIELDS.map((field) => valueAt(metadata, field)).find((value) => (value ?? null) !== null)
  return found === undefined ? '' : textOf(wordOfLevel(found))
}

/** Returns a distance in microseconds as seconds with a sign: `+0.123 s`. */
export function distanceText(us: number): string {
  const digits = us !== 0 && Math.abs(us) < 1_000 ? 6 : 3
  return `${us < 0 ? '−' : '+'}${(Math.abs(us) / 1e6).toFixed(digits)} s`
}

/** Moves the focus between rows with the arrow keys, Home and End. */
function listenToArrows(list: HTMLElement): void {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    Home: Number.NEGATIVE_INFINITY,
    End: Number.POSITIVE_INFINITY,
  }
  list.addEventListener('keydown', (event) => {
    const by = steps[event.key]
    if (by === undefined) return
    event.preventDefault()
    const all = [...list.querySelectorAll<HTMLElement>('.around-row')]
    const at = Math.min(Math.max(all.indexOf(event.target as HTMLElement) + by, 0), all.length - 1)
    for (const [i, row] of all.entries()) row.setAttribute('tabindex', i === at ? '0' : '-1')
    all[at].focus()
  })
}
