/** The pane next to the list: the open record, or the rows around the record. */
import { parseExact, type Row } from '../../api/api.js'
import { showRecord } from '../../record/record.js'
import { type ShownAround, showAround } from '../../record/record-around.js'
import { buttonOf, byId, element } from '../../shared/dom.js'
import { conditionsIn } from '../model/filters.js'
import type { Send } from '../model/message.js'
import type { Draw, OpenRecord } from '../model/model.js'

/** The pane on the page, which is hidden while no record is open. */
export interface RecordPane {
  draw: Draw
  focus(): void
}

/** The content of the pane. */
interface Shown {
  focus(): void
  /** Ends the requests of the shown content. */
  stop?: () => void
}

/** Callbacks of the pane. */
export interface RecordPaneHost {
  send: Send
  /** Called when the user closes the record. */
  onClose(): void
  /** Returns the address of the page with the record that is open. */
  link(): string
  /** Returns the names of the sources to show rows of around a row of a project. */
  sourcesOf(project: string): readonly string[]
}

/** Creates the pane. */
export function createRecordPane(host: RecordPaneHost): RecordPane {
  const pane = byId('detail')
  let shown: Shown | undefined
  return {
    draw({ record }, before) {
      if (record === before?.record) return
      pane.hidden = record === undefined
      shown?.stop?.()
      // The previous record stays while a record is loading.
      if (record !== undefined && record.line === undefined && record.problem === '') return
      shown = record === undefined ? undefined : show(pane, record, host)
      if (record === undefined) pane.replaceChildren()
      const isSwitched = record?.cursor === before?.record?.cursor && record?.isAround !== before?.record?.isAround
      if (isSwitched) shown?.focus()
    },
    focus: () => shown?.focus(),
  }
}

function show(pane: HTMLElement, record: OpenRecord, host: RecordPaneHost): Shown {
  const { send, onClose, link } = host
  if (record.line === undefined) return showText(pane, record.problem, onClose)
  const row = parseExact(record.line) as Row
  if (record.isAround) return showRowsAround(pane, record, row, host)
  const { query } = record
  pane.scrollTop = 0
  return showRecord(pane, row, {
    source: query.source,
    highlight: {
      words: query.search === '' ? [] : [query.search],
      fields: query.filters.flatMap(conditionsIn).map(({ field }) => String(field)),
    },
    link: link(),
    onFilter: (field, op, value) => send({ kind: 'filtered', filter: { field, op, value } }),
    onAround: () => send({ kind: 'aroundOpened' }),
    onClose,
  })
}

function showText(pane: HTMLElement, text: string, onClose: () => void): Shown {
  const close = buttonOf('Close', onClose, { class: 'small' })
  pane.replaceChildren(element('div', { class: 'record' }, element('p', { class: 'state' }, text), close))
  return { focus: () => close.focus() }
}

function showRowsAround(pane: HTMLElement, { query }: OpenRecord, row: Row, host: RecordPaneHost): ShownAround {
  const { send, sourcesOf } = host
  return showAround(pane, row, {
    source: query.source,
    project: query.project,
    sources: [...new Set([...sourcesOf(query.project), query.source])],
    onChoose({ timestamp, rank }, source) {
      send({ kind: 'aroundRowChosen', place: { timestampUs: Number(timestamp), rank: Number(rank) }, source })
    },
    onClose: () => send({ kind: 'aroundClosed' }),
  })
}
