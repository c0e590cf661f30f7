import { free } from '../../../base/memory/array-buffers.js'
import type { AreasColumn, TimeColumn } from '../../execute/columns/batch.js'
import { ABSENT, type Codes, type Dictionary } from '../../execute/columns/dictionary.js'
import { EXCEPTION, type NumberColumn, narrowNumbers, shorts } from '../../execute/columns/numbers.js'
import type { ProjectIndex } from '../segment/segment.js'
import type { SegmentFacts } from './facts.js'

// Converts hot columns from Arrow's form to the form in memory: the inverse of hot-buffers.

/** A column of a record batch. The result reuses the memory of fitting values, except for times and projects. */
export interface ReadColumn {
  rows: number
  nulls: number
  validity: Buffer
  values: Buffer
}

/** Returns times in the form that the facts name. */
export function fromTimestamps({ rows, values }: ReadColumn, facts: SegmentFacts): TimeColumn {
  const { minUs, timeUnitUs, timeBytes } = facts
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * rows)
  const offsets = timeBytes === 4 ? new Uint32Array(rows) : new Float64Array(rows)
  for (let row = 0; row < rows; row++) {
    offsets[row] = ((words[2 * row + 1] | 0) * 2 ** 32 + words[2 * row] - minUs) / timeUnitUs
  }
  return { baseUs: minUs, unitUs: timeUnitUs, offsets }
}

/**
 * Returns the index of projects. Rows are sorted by project, rows without a project first, so each project ends before
 * the first greater index, found by binary search.
 */
export function fromProjects({ rows, nulls, values }: ReadColumn, dictionary: Dictionary): ProjectIndex {
  const indices = integersOf(values, rows)
  const starts = new Uint32Array(dictionary.count)
  starts[0] = nulls
  for (let project = 1; project < starts.length; project++)
    starts[project] = endOf(indices, project - 1, starts[project - 1])
  return { dictionary, starts }
}

/** Returns the first row from `low` on that has a greater index. */
function endOf(indices: Codes, index: number, low: number): number {
  let high = indices.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (indices[middle] > index) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the codes of indices: codes count from 1, indices from 0. */
export function fromIndices({ rows, nulls, validity, values }: ReadColumn): Codes {
  const codes = integersOf(values, rows)
  for (let row = 0; row < rows; row++) codes[row]++
  if (nulls > 0) {
    for (let row = 0; row < rows; row++) if ((validity[row >> 3] & (1 << (row & 7))) === 0) codes[row] = ABSENT
  }
  return codes
}

function integersOf({ buffer, byteOffset, length }: Buffer, rows: number): Codes {
  if (length === rows) return new Uint8Array(buffer, byteOffset, rows)
  return length === 2 * rows ? new Uint16Array(buffer, byteOffset, rows) : new Uint32Array(buffer, byteOffset, rows)
}

/** Returns a number column in its narrowest form. NaN is absent. */
export function fromNumbers({ rows, values: { buffer, length } }: ReadColumn): NumberColumn {
  if (length === 8 * rows) {
    const column = narrowNumbers(new Float64Array(buffer))
    if (column.values.buffer !== buffer) free([buffer as ArrayBuffer])
    return column
  }
  // Earlier versions wrote single precision, and 65,535 in two bytes.
  if (length === 4 * rows) return narrowNumbers(new Float64Array(new Float32Array(buffer)))
  const integers = new Uint16Array(buffer)
  return integers.includes(EXCEPTION) ? narrowNumbers(new Float64Array(integers)) : shorts(integers)
}

/** Returns a column of absent numbers, for a file that was written before the source had the column. */
export const absentNumbers = (rows: number): NumberColumn => narrowNumbers(new Float64Array(rows).fill(Number.NaN))

/** Returns a column of area flags, a byte per row. */
export const fromAreas = ({ values }: ReadColumn): AreasColumn => ({
  kind: 'areas',
  flags: new Uint8Array(values.buffer),
})
