/** Panel of the newest requests: a list with search and live follow. */
import { Failure, numberOf, queryRows, type Row } from '../api/api.js'
import { follow } from '../api/tail.js'
import { byId, element } from '../shared/dom.js'
import { count } from '../shared/format.js'
import { timestamp } from '../shared/times.js'
import { INTERVALS, lastOf } from './intervals.js'
import { createPanel } from './panel.js'
import type { View } from './view.js'

/** Maximum of entries in the list while following. */
const MAX_ROWS = 500
/** Maximum of entries that are added per frame, so that a burst does not block the page. */
const ROWS_PER_FRAME = 50

interface Entry {
  row: Row
  item: HTMLLIElement
  /** The text that is searched, in lower case. */
  text: string
}

/** The panel of requests. */
export interface Logs {
  readonly panel: ReturnType<typeof createPanel>
  load(view: View, signal: AbortSignal): Promise<void>
  search(text: string): void
  /** Starts or stops following new requests; returns whether it now follows. */
  toggleLive(view: View): boolean
  stopLive(): void
  /** Shows the times again, after the user has chosen another zone. */
  redraw(): void
  /** Moves the focus to the next (1) or the previous (-1) visible entry. */
  step(by: 1 | -1): void
}

/** Creates the panel. `onFailure` is called if following ends with a failure that a retry cannot fix. */
export function createLogs(onFailure: (failure: Failure) => void): Logs {
  const panel = createPanel(byId('logs'))
  const list = panel.root.querySelector('ol')!
  const liveButton = byId('live')
  let entries: Entry[] = []
  /** The project of the entries. */
  let loadedProject = ''
  /** Received rows that wait for a frame, oldest first. */
  let pending: Row[] = []
  let query = ''
  let live: AbortController | undefined
  /** The state of following, as a text. */
  let liveText = ''
  let windowText = ''

  function showSubtitle(text = ''): void {
    panel.subtitle([windowText, text].filter((part) => part !== '').join(' · '))
  }

  /** Shows an entry if it matches the search, with the matches highlighted. */
  function applySearch({ item, row, text }: Entry): void {
    item.hidden = !text.includes(query)
    if (!item.hidden) item.querySelector('.message')!.replaceChildren(...highlight(messageOf(row), query))
  }

  function showFound(): void {
    const found = entries.filter(({ item }) => !item.hidden).length
    showSubtitle(query === '' ? liveText : `${count(found)} of ${count(entries.length)} contain “${query}”`)
    if (entries.length > 0) panel.shown()
  }

  function applySearchToAll(): void {
    entries.forEach(applySearch)
    showFound()
  }

  function add(row: Row): void {
    if (pending.length === 0) requestAnimationFrame(addPending)
    pending.push(row)
    // A hidden page has no frames.
    if (pending.length > MAX_ROWS) pending.shift()
  }

  function addPending(): void {
    // Following starts with the newest requests, which may be in the list already.
    const shown = new Set(entries.map(({ row }) => keyOf(row)))
    for (const row of pending.splice(0, ROWS_PER_FRAME)) {
      if (shown.has(keyOf(row))) continue
      shown.add(keyOf(row))
      const entry = entryOf(row)
      entry.item.classList.add('fresh')
      entries.unshift(entry)
      list.prepend(entry.item)
      applySearch(entry)
    }
    for (const { item } of entries.splice(MAX_ROWS)) item.remove()
    showFound()
    if (pending.length > 0) requestAnimationFrame(addPending)
  }

  function onState(text: string): void {
    liveText = text
    showSubtitle(text)
  }

  function stopLive(): void {
    live?.abort()
    live = undefined
    liveText = ''
    pending = []
    liveButton.setAttribute('aria-pressed', 'false')
  }

  /** Shows these rows. The element of a row that is already shown is kept, so that it stays open and focused. */
  function show(rows: readonly Row[]): void {
    const previous = new Map(entries.map((entry) => [keyOf(entry.row), entry]))
    entries = rows.map((row) => {
      const entry = previous.get(keyOf(row)) ?? entryOf(row)
      previous.delete(keyOf(row))
      return entry
    })
    const items = entries.map(({ item }) => item)
    const remaining = new Set<Element>(items)
    for (const item of [...list.children]) if (!remaining.has(item)) item.remove()
    items.forEach((item, i) => {
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null)
    })
  }

  return {
    panel,
    async load({ project, interval }, signal) {
      const { windowS } = INTERVALS[interval]
      const params = {
        project,
        project_tier: 'ENTERPRISE',
        iso_timestamp_start: new Date(Date.now() - windowS * 1_000).toISOString(),
      }
      const { rows } = await queryRows('logs.all', params, { signal })
      if (project !== loadedProject) show([])
      loadedProject = project
      show(rows)
      windowText = rows.length === 100 ? 'the newest 100' : lastOf({ windowS })
      applySearchToAll()
      if (rows.length === 0) {
        panel.empty(
          `No request of ${project} in the ${lastOf({ windowS })}.\n` +
            'Choose a longer interval, or follow new requests with Live.',
        )
      }
    },
    search(text) {
      query = text.trim().toLowerCase()
      applySearchToAll()
    },
    toggleLive({ project }) {
      if (live !== undefined) {
        stopLive()
        showSubtitle()
        return false
      }
      live = new AbortController()
      liveButton.setAttribute('aria-pressed', 'true')
      void follow(project, { onRow: add, onState, signal: live.signal }).catch((error) => {
        stopLive()
        if (error instanceof Failure) onFailure(error)
      })
      return true
    },
    stopLive,
    redraw() {
      for (const { row, item } of entries) item.querySelector('time')!.textContent = timestamp(numberOf(row.timestamp)!)
    },
    step(by) {
      const shown = entries.filter(({ item }) => !item.hidden).map(({ item }) => item.querySelector('summary')!)
      const at = shown.indexOf(document.activeElement as HTMLElement)
      shown[Math.min(Math.max(at + by, 0), shown.length - 1)]?.focus()
    },
  }
}

const keyOf = ({ id, timestamp }: Row) => `${id} ${numberOf(timestamp)}`
const messageOf = (row: Row) => String(row.event_message ?? '')

function entryOf(row: Row): Entry {
  const us = numberOf(row.timestamp)!
  const status = statusOf(row.metadata)
  const time = element('time', { datetime: new Date(us / 1_000).toISOString() }, timestamp(us))
  const badge = element(
    'span',
    { class: status !== undefined && status >= 400 ? 'status bad' : 'status' },
    String(status ?? ''),
  )
  const summary = element('summary', {}, time, badge, element('span', { class: 'message' }, messageOf(row)))
  const details = element('details', {}, summary)
  const metadata = JSON.stringify(row.metadata, undefined, 2)
  details.addEventListener(
    'toggle',
    () =>
      details.append(
        element('p', { class: 'id mono' }, `${row.id} · ${us} µs`),
        element('pre', { tabindex: '0', 'aria-label': 'Metadata' }, metadata),
      ),
    { once: true },
  )
  const text = `${row.id} ${messageOf(row)} ${JSON.stringify(row.metadata)}`.toLowerCase()
  return { row, item: element('li', {}, details), text }
}

/** Returns the status of the response in the metadata, plain or in repeated records; undefined if there is none. */
function statusOf(metadata: unknown): number | undefined {
  const first = (value: unknown) => (Array.isArray(value) ? value[0] : value) as Record<string, unknown> | undefined
  const status = first(first(metadata)?.response)?.status_code
  return typeof status === 'number' ? status : undefined
}

/** Returns a text with all matches of the search in `mark` elements. */
function highlight(text: string, query: string): (Node | string)[] {
  const parts: (Node | string)[] = []
  const lower = text.toLowerCase()
  // If lower case changes the length of the text, positions do not match.
  if (query === '' || lower.length !== text.length) return [text]
  let from = 0
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, from)) {
    parts.push(text.slice(from, at), element('mark', {}, text.slice(at, at + query.length)))
    from = at + query.length
  }
  return [...parts, text.slice(from)]
}
