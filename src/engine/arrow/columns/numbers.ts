import { countBelow } from '../../../base/search.js'
/** The present values of a number column over a stretch of rows: `values[0 .. length)`, never NaN. They may be the column's own. */
export interface Numbers {
  values: Float64Array
  length: number
}

/**
 * Numbers of some rows: doubles, NaN where absent; or, where most of them are small integers, as milliseconds and status
 * codes are, those in 2 bytes each and the other ones apart.
 */
export type NumberColumn =
  | { kind: 'number'; values: Float64Array }
  | { kind: 'number'; values: Uint16Array; exceptions: Exceptions }

/** The rows whose value is no integer below {@link EXCEPTION}, ascending, and their values: NaN where absent. */
export interface Exceptions {
  rows: Uint32Array
  values: Float64Array
}

/** Stands in the column where the value is among the exceptions. */
export const EXCEPTION = 0xffff
/** An exception takes 12 bytes beside its 2: more of them than this share are better left as doubles. */
const MOST_EXCEPTIONS = 0.5

const isShort = (value: number) => value === (value & 0xffff) && value !== EXCEPTION && !Object.is(value, -0)

/** Numbers, NaN where absent, as narrow as they go without losing a digit. */
export function narrowNumbers(doubles: Float64Array): NumberColumn {
  let count = 0
  for (let row = 0; row < doubles.length; row++) if (!isShort(doubles[row]!)) count++
  if (count > doubles.length * MOST_EXCEPTIONS) return { kind: 'number', values: doubles }
  const values = new Uint16Array(doubles)
  const exceptions = { rows: new Uint32Array(count), values: new Float64Array(count) }
  for (let row = 0, i = 0; i < count; row++) {
    if (isShort(doubles[row]!)) continue
    values[row] = EXCEPTION
    exceptions.rows[i] = row
    exceptions.values[i++] = doubles[row]!
  }
  return { kind: 'number', values, exceptions }
}

/** All values of a column as doubles, NaN where absent; its own memory where it holds these. */
export function widenNumbers(column: NumberColumn): Float64Array {
  if (!('exceptions' in column)) return column.values
  const { rows, values } = column.exceptions
  const doubles = new Float64Array(column.values)
  for (let i = 0; i < rows.length; i++) doubles[rows[i]!] = values[i]!
  return doubles
}

/** A column of small integers without exceptions. */
export function shorts(values: Uint16Array): NumberColumn {
  return { kind: 'number', values, exceptions: { rows: new Uint32Array(0), values: new Float64Array(0) } }
}

export function areShorts(column: NumberColumn): boolean {
  return 'exceptions' in column && column.exceptions.rows.length === 0
}

/** Bytes of the buffers of a column. */
export function bytesOfNumbers(column: NumberColumn): number {
  const { exceptions } = 'exceptions' in column ? column : {}
  return column.values.byteLength + (exceptions ? exceptions.rows.byteLength + exceptions.values.byteLength : 0)
}

/** The exceptions of the rows [start, end), as a view. */
export function exceptionsOf({ rows, values }: Exceptions, start: number, end: number): Float64Array {
  return values.subarray(countBelow(rows, start), countBelow(rows, end))
}

/** The present values of the rows [start, end), written to the start of `out`. */
export function numbersOfRange(column: NumberColumn, start: number, end: number, out: Float64Array): Numbers {
  let length = 0
  if (!('exceptions' in column)) {
    for (let row = start; row < end; row++) if (!Number.isNaN(column.values[row])) out[length++] = column.values[row]!
    return { values: out, length }
  }
  const { rows, values } = column.exceptions
  let next = countBelow(rows, start)
  for (let row = start; row < end; row++) {
    const value = column.values[row] === EXCEPTION ? values[next++]! : column.values[row]!
    if (!Number.isNaN(value)) out[length++] = value
  }
  return { values: out, length }
}

/** The present values of some rows, which ascend, written to the start of `out`. */
export function numbersOfRows(column: NumberColumn, wanted: Uint32Array, out: Float64Array): Numbers {
  let length = 0
  if (!('exceptions' in column)) {
    for (const row of wanted) if (!Number.isNaN(column.values[row])) out[length++] = column.values[row]!
    return { values: out, length }
  }
  const { rows, values } = column.exceptions
  let next = countBelow(rows, wanted[0] ?? 0)
  for (const row of wanted) {
    if (column.values[row] !== EXCEPTION) {
      out[length++] = column.values[row]!
      continue
    }
    while (rows[next]! < row) next++
    if (!Number.isNaN(values[next])) out[length++] = values[next]!
  }
  return { values: out, length }
}

/** How many of the rows [start, end) have a value of at least `least`. An absent value is none. */
export function countAtLeast(column: NumberColumn, start: number, end: number, least: number): number {
  if (!('exceptions' in column)) return countIn(column.values, start, end, least)
  const exceptions = exceptionsOf(column.exceptions, start, end)
  // What stands for an exception is counted with the integers, and taken off.
  const standIns = EXCEPTION >= least ? exceptions.length : 0
  return countInShorts(column.values, start, end, least) - standIns + countIn(exceptions, 0, exceptions.length, least)
}

/** How many of some rows, which ascend, have a value of at least `least`. */
export function countRowsAtLeast(column: NumberColumn, wanted: Uint32Array, least: number): number {
  let count = 0
  if (!('exceptions' in column)) {
    for (const row of wanted) if (column.values[row]! >= least) count++
    return count
  }
  const { rows, values } = column.exceptions
  let next = countBelow(rows, wanted[0] ?? 0)
  for (const row of wanted) {
    const short = column.values[row]!
    if (short === EXCEPTION) while (rows[next]! < row) next++
    if ((short === EXCEPTION ? values[next]! : short) >= least) count++
  }
  return count
}

// Two of one text: each sees one kind of array, and is compiled for it.

function countIn(values: Float64Array, start: number, end: number, least: number): number {
  let count = 0
  for (let i = start; i < end; i++) if (values[i]! >= least) count++
  return count
}

function countInShorts(values: Uint16Array, start: number, end: number, least: number): number {
  let count = 0
  for (let i = start; i < end; i++) if (values[i]! >= least) count++
  return count
}
