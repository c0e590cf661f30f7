import type { Row } from './table/table.js'

/** Compares two rows as `Array.sort` expects. */
export type RowOrder = (one: Row, other: Row) => number

/**
 * Returns the order of rows by columns among `key`, each ascending or descending, or undefined if the rows are in no
 * such order. A change of a result does not say where new rows belong, but its rows can only be ordered by keys. If
 * several orders are possible, as with few rows, the first columns of `key` decide. Null comes first ascending and last
 * descending.
 */
export function orderOf(rows: readonly Row[], key: readonly string[]): RowOrder | undefined {
  return orderWithin(rows, rows.map((_, i) => i).slice(1), key)
}

/**
 * `ties` are the positions of the rows with a place after the previous row that is still to be explained.
 */
function orderWithin(rows: readonly Row[], ties: readonly number[], key: readonly string[]): RowOrder | undefined {
  for (const name of key) {
    const order = orderBy(rows, ties, name)
    if (order === undefined) continue
    const others = key.filter((other) => other !== name)
    const equal = ties.filter((i) => order(rows[i - 1], rows[i]) === 0)
    const next = orderWithin(rows, equal, others)
    return next === undefined ? order : (one, other) => order(one, other) || next(one, other)
  }
  return undefined
}

/** Returns the order by one column, or undefined if a row of `ties` breaks the order, or if all values are equal. */
function orderBy(rows: readonly Row[], ties: readonly number[], name: string): RowOrder | undefined {
  const ascending: RowOrder = (one, other) => compareValues(one[name], other[name])
  const signs = new Set(ties.map((i) => Math.sign(ascending(rows[i - 1], rows[i]))))
  if (signs.has(-1) === signs.has(1)) return undefined
  return signs.has(-1) ? ascending : (one, other) => ascending(other, one)
}

/** Kinds of values that can be compared, in ascending order. */
const KINDS: readonly string[] = ['null', 'boolean', 'number', 'string']

const kindOf = (value: unknown) => KINDS.indexOf(value === null || value === undefined ? 'null' : typeof value)

/** Compares JSON values: by kind, then by value. Lists and objects are equal, and come before all others. */
function compareValues(one: unknown, other: unknown): number {
  const kind = kindOf(one)
  if (kind !== kindOf(other)) return kind - kindOf(other)
  if (kind <= 0 || one === other) return 0
  return (one as string) < (other as string) ? -1 : 1
}
