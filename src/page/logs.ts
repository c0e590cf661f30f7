/** The newest requests, as a list that can be searched and followed. */
import { ask, Failure, numberOf, type Row } from './api.js'
import { byId, element } from './dom.js'
import { count, moment } from './format.js'
import { INTERVALS, lastOf } from './intervals.js'
import { createPanel } from './panel.js'
import { follow } from './tail.js'
import type { View } from './view.js'

/** More than that are not held while new ones come. */
const MOST_ROWS = 500
/** So many are added in one frame, so that a burst of them does not keep the page from its user. */
const ROWS_PER_FRAME = 50

interface Entry {
  row: Row
  item: HTMLLIElement
  /** What a search looks through, in small letters. */
  text: string
}

export interface Logs {
  readonly panel: ReturnType<typeof createPanel>
  load(view: View, signal: AbortSignal): Promise<void>
  search(text: string): void
  /** Begins to follow what arrives, or ends it; tells whether it does now. */
  toggleLive(view: View): boolean
  stopLive(): void
  /** Goes to the next (1) or the previous (-1) entry that is shown. */
  step(by: 1 | -1): void
}

/** `onFailure` hears why following has ended; it goes on by itself where that can be. */
export function createLogs(onFailure: (failure: Failure) => void): Logs {
  const panel = createPanel('logs')
  const list = panel.root.querySelector('ol')!
  const liveButton = byId('live')
  let entries: Entry[] = []
  /** Whose they are. */
  let ofProject = ''
  /** What has come and waits for its frame, oldest first. */
  let arrived: Row[] = []
  let sought = ''
  let live: AbortController | undefined
  /** What there is to be told of following. */
  let liveText = ''
  let windowText = ''

  function tell(text = ''): void {
    panel.subtitle([windowText, text].filter((part) => part !== '').join(' · '))
  }

  /** Shows an entry where it is found, with what was sought marked. */
  function seek({ item, row, text }: Entry): void {
    item.hidden = !text.includes(sought)
    if (!item.hidden) item.querySelector('.message')!.replaceChildren(...marked(messageOf(row), sought))
  }

  function tellFound(): void {
    const found = entries.filter(({ item }) => !item.hidden).length
    tell(sought === '' ? liveText : `${count(found)} of ${count(entries.length)} hold “${sought}”`)
    if (entries.length > 0) panel.shown()
  }

  function apply(): void {
    entries.forEach(seek)
    tellFound()
  }

  function add(row: Row): void {
    if (arrived.length === 0) requestAnimationFrame(addArrived)
    arrived.push(row)
    // A page that is not looked at has no frames.
    if (arrived.length > MOST_ROWS) arrived.shift()
  }

  function addArrived(): void {
    // What is followed begins with the newest, which are there already.
    const shown = new Set(entries.map(({ row }) => keyOf(row)))
    for (const row of arrived.splice(0, ROWS_PER_FRAME)) {
      if (shown.has(keyOf(row))) continue
      shown.add(keyOf(row))
      const entry = entryOf(row)
      entry.item.classList.add('fresh')
      entries.unshift(entry)
      list.prepend(entry.item)
      seek(entry)
    }
    for (const { item } of entries.splice(MOST_ROWS)) item.remove()
    tellFound()
    if (arrived.length > 0) requestAnimationFrame(addArrived)
  }

  function onState(text: string): void {
    liveText = text
    tell(text)
  }

  function stopLive(): void {
    live?.abort()
    live = undefined
    liveText = ''
    arrived = []
    liveButton.setAttribute('aria-pressed', 'false')
  }

  /** Shows these rows. One that is there already stays as it is, be it opened or focused. */
  function show(rows: readonly Row[]): void {
    const held = new Map(entries.map((entry) => [keyOf(entry.row), entry]))
    entries = rows.map((row) => {
      const entry = held.get(keyOf(row)) ?? entryOf(row)
      held.delete(keyOf(row))
      return entry
    })
    const items = entries.map(({ item }) => item)
    const kept = new Set<Element>(items)
    for (const item of [...list.children]) if (!kept.has(item)) item.remove()
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
      const { rows } = await ask('logs.all', params, { signal })
      if (project !== ofProject) show([])
      ofProject = project
      show(rows)
      windowText = rows.length === 100 ? 'the newest 100' : lastOf({ windowS })
      apply()
      if (rows.length === 0) {
        panel.empty(
          `No request of ${project} in the ${lastOf({ windowS })}.\nChoose a longer interval, or follow what comes with Live.`,
        )
      }
    },
    search(text) {
      sought = text.trim().toLowerCase()
      apply()
    },
    toggleLive({ project }) {
      if (live !== undefined) {
        stopLive()
        tell()
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
  const time = element('time', { datetime: new Date(us / 1_000).toISOString() }, moment(us))
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

/** The status of the response, where the metadata hold one, bare or as a list. */
function statusOf(metadata: unknown): number | undefined {
  const first = (value: unknown) => (Array.isArray(value) ? value[0] : value) as Record<string, unknown> | undefined
  const status = first(first(metadata)?.response)?.status_code
  return typeof status === 'number' ? status : undefined
}

/** A text with what was sought in it marked. */
function marked(text: string, sought: string): (Node | string)[] {
  const parts: (Node | string)[] = []
  const small = text.toLowerCase()
  // Where small letters are longer than large ones nothing can be pointed at.
  if (sought === '' || small.length !== text.length) return [text]
  let from = 0
  for (let at = small.indexOf(sought); at >= 0; at = small.indexOf(sought, from)) {
    parts.push(text.slice(from, at), element('mark', {}, text.slice(at, at + sought.length)))
    from = at + sought.length
  }
  return [...parts, text.slice(from)]
}
