import { truthOf } from '../../../plan/functions/logic.js'
import { numberOf, type Scalar, Timestamp } from '../../../plan/values/values.js'
import { createHistograms, type Histogram, type HistogramMaker, LISTED_LENGTH } from '../accumulators/histogram.js'
import { type TimeColumn, timeAt } from '../columns/batch.js'
import {
  countAtLeast,
  countRowsAtLeast,
  exceptionsOf,
  type NumberColumn,
  numbersOfRange,
  numbersOfRows,
} from '../columns/numbers.js'
import { rowAt, type Selection } from '../columns/selection.js'
import { countTrueCodes } from '../expressions/truths.js'
import type { Bits, Vector } from '../expressions/vector.js'
import { codesWorthCounting, countCodes, visitCodes } from './code-counts.js'

/** Rows of a frame in the order of their groups. */
export interface OrderedRows {
  /** The positions in the frame. Undefined if the positions are in order, from `from` on. */
  positions: Uint32Array | undefined
  from: number
  /** The selection of the rows, if the rows are stored. */
  selection: Selection | undefined
}

/** Consecutive rows of a group, as accumulators read the rows. Valid until the next stretch is loaded. */
export interface Stretch {
  rows: number
  /** The numbers of a vector, and of texts that spell numbers. */
  histogram(vector: Vector): Histogram
  /** For how many rows a condition is true. */
  countTrue(vector: Vector): number
  /** Calls `visit` with each value that is not null. */
  each(vector: Vector, visit: (value: Scalar) => void): void
  /** Calls `visit` with the different values that are not null, some perhaps more than once, and the rows of each. */
  distinct(vector: Vector, visit: (value: Scalar, rows: number) => void): void
  /** Calls `visit` with values among which the least and the greatest are: stored times are only compared. */
  extremes(vector: Vector, visit: (value: Scalar) => void): void
}

/** Returns the stretch of the rows [from, to) of ordered rows. */
export type Load = (from: number, to: number) => Stretch

/**
 * Returns a loader of stretches. Each stretch reads a vector at most once, however many accumulators use the vector.
 */
export function createLoad(rows: OrderedRows): Load {
  const histograms = new Map<Vector, Histogram>()
  const counts = new Map<Vector, number>()
  const codeCounts = new Map<Vector, Uint32Array>()
  let [from, to] = [0, 0]
  const stretch = {
    rows: 0,
    each: (vector: Vector, visit: (value: Scalar) => void) => visitValues(rows, vector, from, to, visit),
    distinct(vector: Vector, visit: (value: Scalar, rows: number) => void) {
      const { selection } = rows
      const coded = selection && codesWorthCounting(vector, to - from)
      if (coded === undefined) return visitValues(rows, vector, from, to, (value) => visit(value, 1))
      visitCodes(
        coded,
        once(codeCounts, vector, () => countCodes(coded, selection!, from, to)),
        visit,
      )
    },
    extremes: (vector: Vector, visit: (value: Scalar) => void) => visitExtremes(rows, vector, from, to, visit),
    histogram: (vector: Vector) => once(histograms, vector, () => histogramOf(rows, vector, from, to, histograms.size)),
    countTrue: (vector: Vector) => once(counts, vector, () => countTrue(rows, vector, from, to)),
  }
  return (nextFrom, nextTo) => {
    from = nextFrom
    to = nextTo
    stretch.rows = to - from
    if (histograms.size > 0) histograms.clear()
    if (counts.size > 0) counts.clear()
    if (codeCounts.size > 0) codeCounts.clear()
    return stretch
  }
}

function once<Key, T>(made: Map<Key, T>, key: Key, make: () => T): T {
  const known = made.get(key)
  if (known !== undefined) return known
  const value = make()
  made.set(key, value)
  return value
}

function visitValues(
  { positions, from: first }: OrderedRows,
  { at }: Vector,
  from: number,
  to: number,
  visit: (value: Scalar) => void,
): void {
  for (let i = from; i < to; i++) {
    const value = at(positions === undefined ? first + i : positions[i])
    if (value !== null) visit(value)
  }
}

function visitExtremes(
  rows: OrderedRows,
  vector: Vector,
  from: number,
  to: number,
  visit: (value: Scalar) => void,
): void {
  if (vector.kind !== 'times' || rows.selection === undefined) visitValues(rows, vector, from, to, visit)
  else {
    const { times } = vector
    for (const row of extremeRows(times, rows.selection, from, to)) visit(new Timestamp(timeAt(times, row)))
  }
}

/** Returns the rows with the least and the greatest time at the positions [from, to). `to` is greater than `from`. */
function extremeRows({ offsets }: TimeColumn, selection: Selection, from: number, to: number): [number, number] {
  const first = rowAt(selection, from)
  let [least, greatest] = [first, first]
  for (let position = from + 1; position < to; position++) {
    const row = rowAt(selection, position)
    if (offsets[row] < offsets[least]) least = row
    if (offsets[row] > offsets[greatest]) greatest = row
  }
  return [least, greatest]
}

/** Reused memory for stretches: new memory costs more than the work in the memory. */
const scratches: Float64Array[] = []
const makers: HistogramMaker[] = []

function scratchFor(index: number, length: number): Float64Array {
  const known = scratches[index]
  if (known !== undefined && known.length >= length) return known
  return (scratches[index] = new Float64Array(length))
}

function histogramOf(rows: OrderedRows, vector: Vector, from: number, to: number, index: number): Histogram {
  const maker = (makers[index] ??= createHistograms())
  const scratch = scratchFor(index, to - from)
  if (vector.kind === 'numbers' && rows.selection !== undefined) {
    return storedHistogram(maker, vector.column, rows.selection, from, to, scratch)
  }
  let length = 0
  visitValues(rows, vector, from, to, (value) => {
    const number = numberOf(value)
    if (number !== undefined) scratch[length++] = Number(number)
  })
  return maker.ofNumbers({ values: scratch, length })
}

/** Counts small integers of a range in place, other values in `scratch`. */
function storedHistogram(
  maker: HistogramMaker,
  column: NumberColumn,
  selection: Selection,
  from: number,
  to: number,
  scratch: Float64Array,
): Histogram {
  if (selection.kind === 'indices') {
    return maker.ofNumbers(numbersOfRows(column, selection.indices.subarray(from, to), scratch))
  }
  const [start, end] = [selection.start + from, selection.start + to]
  if ('exceptions' in column && to - from > LISTED_LENGTH) {
    return maker.ofIntegers(column.values.subarray(start, end), exceptionsOf(column.exceptions, start, end))
  }
  return maker.ofNumbers(numbersOfRange(column, start, end, scratch))
}

function countTrue(rows: OrderedRows, vector: Vector, from: number, to: number): number {
  const { selection } = rows
  if (selection === undefined) return countTrueValues(rows, vector, from, to)
  switch (vector.kind) {
    case 'bits':
      return countBits(vector.test, selection, from, to)
    case 'entries':
      return countTrueCodes(vector, selection, from, to)
    case 'constant':
    case 'numbers':
    case 'times':
    case 'spans':
    case 'areas':
    case 'computed':
      return countTrueValues(rows, vector, from, to)
  }
}

function countTrueValues(rows: OrderedRows, vector: Vector, from: number, to: number): number {
  let count = 0
  visitValues(rows, vector, from, to, (value) => {
    if (truthOf(value) === true) count++
  })
  return count
}

function countBits(test: Bits['test'], selection: Selection, from: number, to: number): number {
  if (test.kind === 'area') return countBit(test.column.flags, test.bit, selection, from, to)
  return selection.kind === 'range'
    ? countAtLeast(test.column, selection.start + from, selection.start + to, test.least)
    : countRowsAtLeast(test.column, selection.indices.subarray(from, to), test.least)
}

/** The counts of a stretch by combination of flags, so that the four areas cost a single pass. */
let flagCounts: { flags?: Uint8Array; selection?: Selection; from: number; to: number; counts: Uint32Array } = {
  from: 0,
  to: 0,
  counts: new Uint32Array(16),
}

function countBit(flags: Uint8Array, bit: number, selection: Selection, from: number, to: number): number {
  const { flags: lastFlags, selection: lastSelection, from: lastFrom, to: lastTo } = flagCounts
  if (lastFlags !== flags || lastSelection !== selection || lastFrom !== from || lastTo !== to) {
    flagCounts = { flags, selection, from, to, counts: countFlags(flags, selection, from, to) }
  }
  return flagCounts.counts.reduce((sum, count, combination) => ((combination & bit) === 0 ? sum : sum + count), 0)
}

/** The number of rows with each combination of flags: 16 counts. */
function countFlags(flags: Uint8Array, selection: Selection, from: number, to: number): Uint32Array {
  const counts = new Uint32Array(16)
  if (selection.kind === 'range') {
    const end = selection.start + to
    for (let row = selection.start + from; row < end; row++) counts[flags[row] & 15]++
    return counts
  }
  for (let position = from; position < to; position++) counts[flags[selection.indices[position]] & 15]++
  return counts
}
