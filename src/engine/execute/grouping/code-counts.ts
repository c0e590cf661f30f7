import type { Scalar } from '../../../plan/values/values.js'
import { rowAt, type Selection } from '../columns/selection.js'
import { type Coded, codedOf, type Vector } from '../expressions/vector.js'

/** A stretch with fewer rows than this share of the codes is visited row by row. */
const LEAST_ROWS_A_CODE = 1 / 4
/** The values of at most this many codes are visited without a look at the clock. */
const MAX_QUICK_CODES = 4096

/** Whether visiting the distinct values of a vector takes little time, however many rows there are. */
export function hasFewCodes(vector: Vector): boolean {
  const coded = codedOf(vector)
  return coded !== undefined && coded.codeCount <= MAX_QUICK_CODES
}

/** Returns the codes of a vector if counting the codes of that many rows is quicker than visiting each row. */
export function codesWorthCounting(vector: Vector, rows: number): Coded | undefined {
  const coded = codedOf(vector)
  return coded !== undefined && rows >= coded.codeCount * LEAST_ROWS_A_CODE ? coded : undefined
}

/** Returns the number of rows with each code, among the rows at the positions [from, to) of a selection. */
export function countCodes({ codes, codeCount }: Coded, selection: Selection, from: number, to: number): Uint32Array {
  const counts = new Uint32Array(codeCount)
  if (selection.kind === 'range') {
    const end = selection.start + to
    for (let row = selection.start + from; row < end; row++) counts[codes[row]]++
  } else {
    for (let position = from; position < to; position++) counts[codes[rowAt(selection, position)]]++
  }
  return counts
}

/** Calls `visit` with the value of each code that rows have, unless the value is null, and the number of the rows. */
export function visitCodes(coded: Coded, counts: Uint32Array, visit: (value: Scalar, rows: number) => void): void {
  for (let code = 0; code < counts.length; code++) {
    const value = counts[code] === 0 ? null : coded.valueOf(code)
    if (value !== null) visit(value, counts[code])
  }
}
