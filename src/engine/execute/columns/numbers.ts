import { countBelow } from '../../../base/search.js'
import { type Counter, createCounter } from './counting.js'

/** The present values of a number column in a stretch of rows: `values[0 .. length)`, never NaN. */
export interface Numbers {
  values: Float64Array
  length: number
}

/**
 * The numbers of some rows: doubles, NaN if absent. If most numbers are small integers, such as milliseconds and status
 * codes: 2 bytes per row and the other values as exceptions.
 */
export type NumberColumn =
  | { kind: 'number'; values: Float64Array }
  | { kind: 'number'; values: Uint16Array; exceptions: Exceptions }

/**
 * The rows with a value other than an integer from 0 to below {@link EXCEPTION}, ascending, and the values of the rows,
 * NaN if absent.
 */
export interface Exceptions {
  rows: Uint32Array
  values: Float64Array
}

/** The placeholder in the column for a value that is among the exceptions. */
export const EXCEPTION = 0xffff
/**
 * An exception takes 12 bytes in addition to the 2 bytes in the column: with a larger share of exceptions, doubles take
 * less memory.
 */
const MOST_EXCEPTIONS = 0.5

const isShort = (value: number) => value === (value & 0xffff) && value !== EXCEPTION && !Object.is(value, -0)

/** Converts doubles, NaN if absent, to the smaller form of column. Both are exact. May keep `doubles`. */
export function narrowNumbers(doubles: Float64Array): NumberColumn {
  let count = 0
  for (let row = 0; row < doubles.length; row++) if (!isShort(doubles[row])) count++
  if (count > doubles.length * MOST_EXCEPTIONS) return { kind: 'number', values: doubles }
  const values = new Uint16Array(doubles)
  const exceptions = { rows: new Uint32Array(count), values: new Float64Array(count) }
  for (let row = 0, i = 0; i < count; row++) {
    if (isShort(doubles[row])) continue
    values[row] = EXCEPTION
    exceptions.rows[i] = row
    exceptions.values[i++] = doubles[row]
  }
  return { kind: 'number', values, exceptions }
}

/** Returns all values of a column as doubles, NaN if absent. A column of doubles is returned without a copy. */
export function widenNumbers(column: NumberColumn): Float64Array {
  if (!('exceptions' in column)) return column.values
  const { rows, values } = column.exceptions
  const doubles = new Float64Array(column.values)
  for (let i = 0; i < rows.length; i++) doubles[rows[i]] = values[i]
  return doubles
}

/** Returns a column of small integers without exceptions. */
export function shorts(values: Uint16Array): NumberColumn {
  return { kind: 'number', values, exceptions: { rows: new Uint32Array(0), values: new Float64Array(0) } }
}

/** Whether all values of a column are small integers, without exceptions. */
export function areShorts(column: NumberColumn): boolean {
  return 'exceptions' in column && column.exceptions.rows.length === 0
}

/** Returns the bytes of a column's buffers. */
export function bytesOfNumbers(column: NumberColumn): number {
  const { exceptions } = 'exceptions' in column ? column : {}
  return column.values.byteLength + (exceptions ? exceptions.rows.byteLength + exceptions.values.byteLength : 0)
}

/** Returns the values of the exceptions in the rows [start, end), as a view. */
export function exceptionsOf({ rows, values }: Exceptions, start: number, end: number): Float64Array {
  return values.subarray(countBelow(rows, start), countBelow(rows, end))
}

/** Returns the value of a row, NaN if absent. */
export function numberAt(column: NumberColumn, row: number): number {
  const value = column.values[row]
  if (!('exceptions' in column) || value !== EXCEPTION) return value
  const { rows, values } = column.exceptions
  return values[countBelow(rows, row)]
}

/** Writes the present values of the rows [start, end) to the start of `out`. */
export function numbersOfRange(column: NumberColumn, start: number, end: number, out: Float64Array): Numbers {
  let length = 0
  if (!('exceptions' in column)) {
    for (let row = start; row < end; row++) if (!Number.isNaN(column.values[row])) out[length++] = column.values[row]
    return { values: out, length }
  }
  const { rows, values } = column.exceptions
  let next = countBelow(rows, start)
  for (let row = start; row < end; row++) {
    const value = column.values[row] === EXCEPTION ? values[next++] : column.values[row]
    if (!Number.isNaN(value)) out[length++] = value
  }
  return { values: out, length }
}

/** Writes the present values of some rows, given ascending, to the start of `out`. */
export function numbersOfRows(column: NumberColumn, wanted: Uint32Array, out: Float64Array): Numbers {
  let length = 0
  if (!('exceptions' in column)) {
    for (const row of wanted) if (!Number.isNaN(column.values[row])) out[length++] = column.values[row]
    return { values: out, length }
  }
  const { rows, values } = column.exceptions
  let next = countBelow(rows, wanted[0] ?? 0)
  for (const row of wanted) {
    if (column.values[row] !== EXCEPTION) {
      out[length++] = column.values[row]
      continue
    }
    while (rows[next] < row) next++
    if (!Number.isNaN(values[next])) out[length++] = values[next]
  }
  return { values: out, length }
}

let counter: Counter | undefined

/** Counts the rows of [start, end) with a value of at least `least`. Absent values do not count. */
export function countAtLeast(column: NumberColumn, start: number, end: number, least: number): number {
  if (!('exceptions' in column)) return countIn(column.values, start, end, least)
  const exceptions = exceptionsOf(column.exceptions, start, end)
  // The placeholders of the exceptions are counted with the integers, and subtracted.
  const placeholders = EXCEPTION >= least ? exceptions.length : 0
  counter ??= createCounter()
  const shortCount = counter.countAtLeast(column.values.subarray(start, end), least) - placeholders
  return shortCount + countIn(exceptions, 0, exceptions.length, least)
}

/** Counts the rows, given ascending, with a value of at least `least`. Absent values do not count. */
export function countRowsAtLeast(column: NumberColumn, wanted: Uint32Array, least: number): number {
  let count = 0
  if (!('exceptions' in column)) {
    for (const row of wanted) if (column.values[row] >= least) count++
    return count
  }
  const { rows, values } = column.exceptions
  let next = countBelow(rows, wanted[0] ?? 0)
  for (const row of wanted) {
    const short = column.values[row]
    if (short === EXCEPTION) while (rows[next] < row) next++
    if ((short === EXCEPTION ? values[next] : short) >= least) count++
  }
  return count
}

function countIn(values: Float64Array, start: number, end: number, least: number): number {
  let count = 0
  for (let i = start; i < end; i++) if (values[i] >= least) count++
  return count
}
