/** The cells of a table that shows an answer. */
import { isNumber, type Row } from '../api/api.js'
import type { Column } from '../api/endpoints.js'
import { element } from '../shared/dom.js'
import { fullTime, zoneName } from '../shared/times.js'
import type { Cell, Rows } from './table.js'
import { exactUsOf } from './times-in.js'

/** Longer texts, and texts of several lines, are shown with a button that unfolds them. In characters. */
const MAX_CHARACTERS = 100

const TIMES = new Set(['microseconds', 'datetime'])
const NUMBERS = new Set(['count', 'integer', 'double'])

/**
 * Returns the rows of a table. Times are in the zone of the page, with as many digits as the times of their column
 * need. Numbers have the digits that the service sent. Objects, lists and long texts can be unfolded.
 */
export function tableRowsOf(columns: readonly Column[], rows: readonly Row[]): Rows {
  const formats = columns.map((column) => (TIMES.has(column.kind) ? timeFormat(column.name, rows) : undefined))
  return {
    names: columns.map(({ name }, i) => (formats[i] === undefined ? name : `${name} (${zoneName()})`)),
    classes: columns.map(({ kind }) => (NUMBERS.has(kind) ? 'number' : 'text')),
    count: rows.length,
    cellsOf: (row) => columns.map(({ name }, i) => cellOf(rows[row][name], formats[i])),
  }
}

/** Returns a format with seconds, milliseconds or microseconds. */
function timeFormat(name: string, rows: readonly Row[]): (us: number | bigint) => string {
  const times = rows.map((row) => exactUsOf(row[name])).filter((us) => !Number.isNaN(us))
  const isWhole = (unitUs: number) =>
    times.every((us) => (typeof us === 'number' ? us % unitUs === 0 : us % BigInt(unitUs) === 0n))
  const cut = isWhole(1e6) ? '.000000'.length : isWhole(1e3) ? '000'.length : 0
  return (us) => {
    const text = fullTime(us)
    return text.slice(0, text.lastIndexOf(' ') - cut)
  }
}

function cellOf(value: unknown, format: ((us: number | bigint) => string) | undefined): Cell {
  if (value === null || value === undefined) return { text: 'null', class: 'null' }
  const us = format === undefined ? Number.NaN : exactUsOf(value)
  if (!Number.isNaN(us)) return { text: format!(us) }
  if (typeof value === 'string') return isShort(value) ? { text: value } : { text: unfolding(value, value) }
  const json = JSON.stringify(value)
  const isBranch = typeof value === 'object' && !isNumber(value) && json.length > 2
  return { text: isBranch ? unfolding(json, JSON.stringify(value, null, 2)) : json }
}

const isShort = (text: string) => text.length <= MAX_CHARACTERS && !text.includes('\n')

function unfolding(text: string, whole: string): HTMLElement {
  const start = text.slice(0, MAX_CHARACTERS).replaceAll('\n', ' ')
  const summary = element('summary', {}, text.length > start.length ? `${start}…` : start)
  const details = element('details', { class: 'long-cell' }, summary)
  // Most cells are never unfolded.
  details.addEventListener('toggle', () => details.childElementCount === 1 && details.append(element('pre', {}, whole)))
  return details
}
