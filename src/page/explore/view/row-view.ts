/** Makes a row of the list, with the columns of its source. */
import type { LogRow } from '../../api/explore.js'
import { valueAt } from '../../record/field-path.js'
import { marked } from '../../record/marks.js'
import { severityOf, wordOfLevel } from '../../record/severity.js'
import { element } from '../../shared/dom.js'
import { duration } from '../../shared/format.js'
import { timestamp } from '../../shared/times.js'
import type { ListColumn, SourceView } from '../model/sources.js'

/** Characters of a message that the list has: no screen shows more in a line. */
const MAX_TEXT = 600

interface StoredRecord {
  timestamp: number
  event_message: string | null
  metadata: unknown
}

/** Returns the CSS grid columns of a source's list. */
export function gridOf({ columns }: SourceView): string {
  const widths = { time: '11.5rem', status: '3.2rem', level: '5.5rem', duration: '5rem', message: 'minmax(0, 1fr)' }
  return columns.map(({ kind, title }) => (kind === 'text' ? TEXT_WIDTHS[title] : widths[kind])).join(' ')
}

const TEXT_WIDTHS: Readonly<Record<string, string>> = { Method: '4.5rem', Path: '9rem', State: '5rem', Rule: '10rem' }

/** Creates the head of the list. */
export function headOf({ columns }: SourceView, timeTitle: string): HTMLElement[] {
  return columns.map(({ title, kind }) =>
    element('span', { role: 'columnheader', class: `cell ${kind}` }, kind === 'time' ? timeTitle : title),
  )
}

/** Creates the element of a row. `search` is highlighted in the message. */
export function rowElement(row: LogRow, source: SourceView, search: string): HTMLElement {
  const record = JSON.parse(row.line) as StoredRecord
  const cells = source.columns.map((column) => cellOf(record, column, search))
  const outcomes = source.columns.filter(({ kind }) => kind === 'status' || kind === 'level')
  const found = outcomes.map((column) => fieldValue(record, column)).find((value) => value !== undefined)
  const severity = found === undefined ? 'none' : severityOf(found)
  return element('div', { class: `row is-${severity}`, role: 'row' }, ...cells)
}

/** Returns the value of the first field that a record has. A level that is a number of pino becomes a word. */
function fieldValue({ metadata }: StoredRecord, { fields, kind }: ListColumn): unknown {
  for (const field of fields) {
    const value = valueAt(metadata, field)
    if (value === undefined || value === null) continue
    return kind === 'level' ? wordOfLevel(value) : value
  }
  return undefined
}

function cellOf(record: StoredRecord, column: ListColumn, search: string): HTMLElement {
  const attributes = { role: 'gridcell', class: `cell ${column.kind}` }
  if (column.kind === 'time') {
    const datetime = new Date(record.timestamp / 1_000).toISOString()
    return element('span', attributes, element('time', { datetime }, timestamp(record.timestamp).slice(5)))
  }
  const value = fieldValue(record, column)
  if (column.kind === 'duration')
    return element('span', attributes, typeof value === 'number' ? duration(value) : textOf(value))
  if (column.kind !== 'message') return element('span', attributes, textOf(value))
  const text = lineOf(value ?? record.event_message)
  return element('span', attributes, ...marked(text, [search]))
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns a text in a single line. */
const lineOf = (value: unknown) =>
  textOf(value)
    .slice(0, MAX_TEXT)
    .replace(/\s*[\r\n]+\s*/g, ' ⏎ ')
