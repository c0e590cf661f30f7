import { free } from '../../../base/memory/array-buffers.js'
import type { AreasColumn, TimeColumn } from '../../execute/columns/batch.js'
import { ABSENT, type Codes, type Dictionary } from '../../execute/columns/dictionary.js'
import { EXCEPTION, type NumberColumn, narrowNumbers, shorts } from '../../execute/columns/numbers.js'
import type { ProjectIndex } from '../segment/segment.js'
import { fromBuffer } from '../segment/zstd.js'
import type { SegmentFacts } from './facts.js'

// Converts hot columns from Arrow's form to the form in memory: the inverse of hot-buffers.

/** A column of a record batch. The result reuses the memory of fitting values, except for times and projects. */
export interface ReadColumn {
  rows: number
  nulls: number
  validity: Buffer
  values: Buffer
}

/**
 * Times that are decompressed when the first of them is read: a query over all rows of a segment by other columns reads
 * none. A class with fields, so that the memory is found like that of other columns.
 */
export class StoredTimes implements TimeColumn {
  readonly baseUs: number
  readonly unitUs: number
  /** The bytes of the times once they are decompressed. */
  readonly byteLength: number
  private compressed: Buffer | undefined
  private loaded: Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer> | undefined

  /** Takes the compressed values of the column. The facts name the form of the times in memory. */
  constructor(compressed: Buffer, { rows, minUs, timeUnitUs, timeBytes }: SegmentFacts) {
    this.baseUs = minUs
    this.unitUs = timeUnitUs
    this.byteLength = rows * timeBytes
    this.compressed = compressed
  }

  get offsets(): Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer> {
    return this.loaded ?? this.load()
  }

  private load() {
    const { buffer, byteOffset, length } = fromBuffer(this.compressed!)
    const rows = length / 8
    const words = new Uint32Array(buffer, byteOffset, 2 * rows)
    const offsets = this.byteLength === 4 * rows ? new Uint32Array(rows) : new Float64Array(rows)
    const { baseUs, unitUs } = this
    for (let row = 0; row < rows; row++) {
      offsets[row] = ((words[2 * row + 1] | 0) * 2 ** 32 + words[2 * row] - baseUs) / unitUs
    }
    free([buffer as ArrayBuffer, this.compressed!.buffer as ArrayBuffer])
    this.compressed = undefined
    this.loaded = offsets
    return offsets
  }
}

/**
 * Returns the index of projects. Rows are sorted by project, rows without a project first, so each project ends before
 * the first greater index, found by binary search, or by a look at each row if there are many projects.
 */
export function fromProjects({ rows, nulls, values }: ReadColumn, dictionary: Dictionary): ProjectIndex {
  const indices = integersOf(values, rows)
  const starts = new Uint32Array(dictionary.count)
  starts[0] = nulls
  if (dictionary.count * MANY_PROJECTS > rows) {
    countProjects(indices, starts)
  } else {
    for (let project = 1; project < starts.length; project++)
      starts[project] = endOf(indices, project - 1, starts[project - 1])
  }
  return { dictionary, starts }
}

/** The binary search for a project takes as long as a look at this many rows. */
const MANY_PROJECTS = 64

/** Sets the ends of all projects from the rows behind the rows without a project. */
function countProjects(indices: Codes, starts: Uint32Array): void {
  for (let row = starts[0]; row < indices.length; row++) starts[indices[row] + 1]++
  for (let project = 1; project < starts.length; project++) starts[project] += starts[project - 1]
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
