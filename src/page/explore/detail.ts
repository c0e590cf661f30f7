/** The pane next to the list: the open record, or the rows around the record. */
import { parseExact, type Row } from '../api/api.js'
import { failureOf, fetchRows, type Place, placeOf, type Query } from '../api/explore.js'
import { type ShownRecord, showRecord } from '../record/record.js'
import { type ShownAround, showAround } from '../record/record-around.js'
import { byId, element } from '../shared/dom.js'
import { isoOf } from '../shared/range.js'
import { conditionsIn } from './filters.js'
import { SOURCES } from './sources.js'

/** Callbacks of the pane to the view. */
export interface DetailEvents {
  onFilter: Parameters<typeof showRecord>[2]['onFilter']
  onClose(): void
  /** Returns the address of the page with the record that is open. */
  link(): string
  /** Called when the user chooses a row of a source among the rows around a record. */
  onChoose(place: Place, source: string): void
}

/** The pane. */
export interface Detail {
  /** Shows the record at a place. `line`: the JSON of the row, if the list has it. */
  open(query: Query, cursor: string, line: string | undefined): void
  close(): void
  focus(): void
}

interface Parts {
  readonly pane: HTMLElement
  readonly events: DetailEvents
  /** The place that is shown, or empty if the pane is closed. */
  cursor: string
  loading: AbortController
  shown: ShownRecord | undefined
  around: ShownAround | undefined
}

/** Creates the pane. */
export function createDetail(events: DetailEvents): Detail {
  const pane = byId('detail')
  const parts: Parts = { pane, events, cursor: '', loading: new AbortController(), shown: undefined, around: undefined }
  return {
    open(query, cursor, line) {
      if (cursor !== parts.cursor) void open(parts, query, cursor, line)
    },
    close() {
      leave(parts)
      parts.cursor = ''
      pane.hidden = true
      pane.replaceChildren()
    },
    focus: () => parts.shown?.focus(),
  }
}

/** Cancels the requests of the pane. */
function leave(parts: Parts): void {
  parts.loading.abort()
  parts.around?.stop()
  parts.around = undefined
}

async function open(parts: Parts, query: Query, cursor: string, line: string | undefined): Promise<void> {
  const { pane } = parts
  leave(parts)
  parts.cursor = cursor
  parts.loading = new AbortController()
  const { signal } = parts.loading
  pane.hidden = false
  try {
    const text = line ?? (await findLine(query, cursor, signal))
    if (text === undefined) showText(parts, 'This record is no longer stored, or the filters exclude it.')
    else show(parts, query, parseExact(text) as Row)
  } catch (error) {
    if (!signal.aborted) showText(parts, failureOf(error).message)
  }
}

/** Requests the row at a cursor, of any range. */
async function findLine(query: Query, cursor: string, signal: AbortSignal): Promise<string | undefined> {
  const { timestampUs, rank } = placeOf(cursor)
  const ofThisTime = { ...query, start: isoOf(timestampUs), end: isoOf(timestampUs + 1) }
  const { rows } = await fetchRows(ofThisTime, { limit: 1, before: `${timestampUs}.${rank + 1}` }, signal)
  return rows[0]?.rank === rank ? rows[0].line : undefined
}

function showText({ pane, events }: Parts, text: string): void {
  const close = element('button', { type: 'button', class: 'small' }, 'Close')
  close.addEventListener('click', events.onClose)
  pane.replaceChildren(element('div', { class: 'record' }, element('p', { class: 'state' }, text), close))
}

function show(parts: Parts, query: Query, row: Row): void {
  const { pane, events } = parts
  pane.scrollTop = 0
  parts.shown = showRecord(pane, row, {
    source: query.source,
    highlight: {
      words: query.search === '' ? [] : [query.search],
      fields: query.filters.flatMap(conditionsIn).map(({ field }) => String(field)),
    },
    link: events.link(),
    onFilter: events.onFilter,
    onAround: () => showRowsAround(parts, query, row),
    onClose: events.onClose,
  })
}

function showRowsAround(parts: Parts, query: Query, row: Row): void {
  parts.around = showAround(parts.pane, row, {
    source: query.source,
    project: query.project,
    sources: SOURCES.map(({ name }) => name),
    onChoose: (chosen, source) =>
      parts.events.onChoose({ timestampUs: Number(chosen.timestamp), rank: Number(chosen.rank) }, source),
    onClose() {
      show(parts, query, row)
      parts.shown!.focus()
    },
  })
  parts.around.focus()
}
