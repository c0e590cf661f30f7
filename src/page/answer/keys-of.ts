/** Splits the rows of an answer by their key: the texts that tell rows of the same time apart. */
import type { Row } from '../api/api.js'
import type { Column } from '../api/endpoints.js'

/** Maximum of keys that have a series of their own. */
const MAX_KEYS = 8

const KINDS = new Set(['text', 'boolean'])

/** Rows by key. */
export interface Keys {
  /** Names of the columns that are the key, or empty if rows have no key. */
  columns: readonly string[]
  /** The most frequent keys, sorted, so that keys keep their colours when answers change. */
  shown: readonly string[]
  /** Number of the other keys. */
  others: number
  /** The index in `shown` of each row's key, or `shown.length` for another key. */
  indexes: Int32Array
}

/**
 * Returns the keys of rows. `weights`: how many records each row counts for. Columns of text or boolean are the key,
 * except columns that name single rows, as an id does, and columns with a single value if another column has more
 * values.
 */
export function keysOf(columns: readonly Column[], rows: readonly Row[], weights: readonly number[]): Keys {
  const names = keyColumns(columns, rows)
  const labels = rows.map((row) => names.map((name) => labelOf(row[name])).join(' · '))
  const sums = new Map<string, number>()
  for (const [row, label] of labels.entries()) sums.set(label, (sums.get(label) ?? 0) + weights[row])
  const shown = [...sums.keys()]
    .sort((a, b) => sums.get(b)! - sums.get(a)! || ORDER.compare(a, b))
    .slice(0, MAX_KEYS)
    .sort(ORDER.compare)
  const places = new Map(shown.map((label, i) => [label, i]))
  const indexes = Int32Array.from(labels, (label) => places.get(label) ?? shown.length)
  return { columns: names, shown, others: sums.size - shown.length, indexes }
}

const ORDER = new Intl.Collator('en', { numeric: true })

function keyColumns(columns: readonly Column[], rows: readonly Row[]): readonly string[] {
  const counted = columns
    .filter(({ kind }) => KINDS.has(kind))
    .map(({ name }) => ({ name, count: new Set(rows.map((row) => row[name])).size }))
    .filter(({ count }) => count <= Math.max(MAX_KEYS, rows.length / 2))
  const varied = counted.filter(({ count }) => count > 1)
  return (varied.length > 0 ? varied : counted).map(({ name }) => name)
}

function labelOf(value: unknown): string {
  if (value === null || value === undefined) return '(null)'
  return value === '' ? '(empty)' : String(value)
}
