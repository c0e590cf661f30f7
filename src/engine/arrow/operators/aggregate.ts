import type { Value } from '../../engine.js'
import type { Aggregate, NamedAggregates, Predicate } from '../../plan.js'
import type { Accumulator } from '../accumulators/accumulator.js'
import { type CountState, countAccumulator } from '../accumulators/count.js'
import { type ExtremesState, extremesAccumulator } from '../accumulators/extremes.js'
import {
  countIntegers,
  countNumbers,
  createHistogram,
  type Histogram,
  LISTED_LENGTH,
} from '../accumulators/histogram.js'
import { type MeanState, meanAccumulator, meanOf } from '../accumulators/mean.js'
import { type QuantileState, quantileAccumulator, quantileOf } from '../accumulators/quantile.js'
import { type ShareState, shareAccumulator, shareOf } from '../accumulators/share.js'
import type { AreasColumn, Batch } from '../columns/batch.js'
import {
  countAtLeast,
  countRowsAtLeast,
  exceptionsOf,
  type NumberColumn,
  numbersOfRange,
  numbersOfRows,
} from '../columns/numbers.js'
import type { Selection } from '../columns/selection.js'
import { areaBit } from './filter.js'
import type { BucketGroups } from './group.js'
import type { Spans } from './truncate.js'

/** The states of one group, one for each fold of an {@link Aggregation}. */
export type States = unknown[]

/** The inputs of the folds for one stretch of rows. Each is computed at most once, for any number of folds. */
interface Stretch {
  rows: number
  histogram(column: string): Histogram
  countAtLeast(column: string, least: number): number
  areaCounts(column: string): Uint32Array
}

/** One accumulator over one input. Several aggregates may share it (min and max, p95 and p99). */
interface Fold {
  key: string
  accumulator: Accumulator<never, never>
  input(stretch: Stretch): unknown
}

interface Output {
  name: string
  key: string
  finish(state: never): Value
}

/** The aggregates of a plan, prepared once per query: the folds to run, and the columns of the answer. */
export interface Aggregation {
  folds: readonly Fold[]
  outputs: readonly { name: string; fold: number; finish(state: unknown): Value }[]
}

/**
 * Prepares the aggregates of a plan. Throws a TypeError for an aggregate that is not supported: a defect of
 * the plan.
 */
export function createAggregation(aggregates: NamedAggregates): Aggregation {
  const parts = aggregates.map(([name, aggregate]) => partOf(name, aggregate))
  const folds = [...new Map(parts.map(({ fold }) => [fold.key, fold])).values()]
  const outputs = parts.map(({ fold, output }) => ({
    name: output.name,
    fold: folds.findIndex(({ key }) => key === fold.key),
    finish: output.finish as (state: unknown) => Value,
  }))
  return { folds, outputs }
}

function partOf(name: string, aggregate: Aggregate): { fold: Fold; output: Output } {
  const part = <State>(
    fold: Omit<Fold, 'accumulator'>,
    accumulator: Accumulator<never, State>,
    finish: (state: State) => Value,
  ) => ({
    fold: { ...fold, accumulator } as Fold,
    output: { name, key: fold.key, finish } as Output,
  })
  switch (aggregate.fn) {
    case 'count':
      return part({ key: 'rows', input: ({ rows }) => rows }, countAccumulator, ({ count }: CountState) => count)
    case 'countWhere':
      return part(whereFold(aggregate.where), countAccumulator, ({ count }: CountState) => count)
    case 'share':
      return part(shareFold(aggregate.where), shareAccumulator, (state: ShareState) => shareOf(state))
    case 'min':
      return part(histogramFold('extremes', aggregate.column), extremesAccumulator, ({ min }: ExtremesState) =>
        finiteOrNull(min),
      )
    case 'max':
      return part(histogramFold('extremes', aggregate.column), extremesAccumulator, ({ max }: ExtremesState) =>
        finiteOrNull(max),
      )
    case 'mean':
      return part(histogramFold('mean', aggregate.column), meanAccumulator, (state: MeanState) => meanOf(state))
    case 'quantile':
      return part(histogramFold('quantile', aggregate.column), quantileAccumulator, (state: QuantileState) =>
        quantileOf(state, aggregate.percent),
      )
  }
}

const finiteOrNull = (value: number) => (Number.isFinite(value) ? value : null)

function histogramFold(key: string, column: string): Omit<Fold, 'accumulator'> {
  return { key: `${key} ${column}`, input: (stretch) => stretch.histogram(column) }
}

function shareFold(where: Predicate): Omit<Fold, 'accumulator'> {
  const { key, input } = whereFold(where)
  return { key: `share ${key}`, input: (stretch) => ({ passing: input(stretch), rows: stretch.rows }) }
}

function whereFold(where: Predicate): { key: string; input(stretch: Stretch): number } {
  const key = `where ${JSON.stringify(where)}`
  if (where.test === 'atLeast') return { key, input: (stretch) => stretch.countAtLeast(where.column, where.value) }
  if (where.test !== 'contains') throw new TypeError(`No count of rows where ${key}.`)
  const bit = areaBit(where.text)
  return { key, input: (stretch) => countWithBit(stretch.areaCounts(where.column), bit) }
}

function countWithBit(countsByFlags: Uint32Array, bit: number): number {
  return countsByFlags.reduce((sum, count, flags) => ((flags & bit) === 0 ? sum : sum + count), 0)
}

/** Folds the selected rows of a batch into new states, and returns those of each group, by its id. */
export function aggregate(
  batch: Batch,
  selection: Selection,
  spans: Spans,
  groups: BucketGroups,
  aggregation: Aggregation,
): States[] {
  const states = groups.bucketsUs.map(() => createStates(aggregation.folds))
  const fold = createFolding(batch, selection, aggregation)
  let from = 0
  for (let span = 0; span < spans.ends.length; span++) {
    fold(from, spans.ends[span]!, states[groups.ids[span]!]!)
    from = spans.ends[span]!
  }
  return states
}

/**
 * Returns a function that folds the rows at the positions [from, to) of a selection into the states of a
 * group. The rows must ascend within each call.
 */
export function createFolding(
  batch: Batch,
  selection: Selection,
  { folds }: Aggregation,
): (from: number, to: number, states: States) => void {
  const load = createLoader(batch, selection)
  return (from, to, states) => {
    const stretch = load(from, to)
    folds.forEach(({ accumulator, input }, i) => {
      accumulator.update(states[i] as never, input(stretch) as never)
    })
  }
}

/** Returns the states of an empty group. */
export function createStates(folds: readonly Fold[]): States {
  return folds.map(({ accumulator }) => accumulator.create())
}

/** Merges the states of a group, which are not changed, into those of another. */
export function mergeStates({ folds }: Aggregation, into: States, from: States): void {
  folds.forEach(({ accumulator }, i) => {
    accumulator.merge(into[i] as never, from[i] as never)
  })
}

/** Converts states to their smallest form, before they are cached. */
export function shrinkStates({ folds }: Aggregation, states: States): void {
  folds.forEach(({ accumulator }, i) => {
    accumulator.shrink?.(states[i] as never)
  })
}

/** Returns the approximate memory of states in bytes. */
export function bytesOfStates({ folds }: Aggregation, states: States): number {
  return folds.reduce((bytes, { accumulator }, i) => bytes + accumulator.bytes(states[i] as never), 0)
}

/** Returns a loader of stretches, by positions. The next call overwrites the histograms of the last. */
function createLoader(batch: Batch, selection: Selection): (from: number, to: number) => Stretch {
  return (from, to) => {
    const histograms = new Map<string, Histogram>()
    const areas = new Map<string, Uint32Array>()
    const numbersOf = (column: string) => batch.columns.get(column) as NumberColumn
    return {
      rows: to - from,
      histogram: (column) =>
        once(histograms, column, () => {
          const scratch = scratchFor(histograms.size, to - from)
          return histogramOf(histogramFor(histograms.size), numbersOf(column), selection, from, to, scratch)
        }),
      countAtLeast: (column, least) => countStretchAtLeast(numbersOf(column), selection, from, to, least),
      areaCounts: (column) =>
        once(areas, column, () => {
          const { flags } = batch.columns.get(column) as AreasColumn
          return countFlags(flags, selection, from, to)
        }),
    }
  }
}

/** Reused vectors, one for each number column of a stretch: allocating them would cost more than filling them. */
const scratches: Float64Array[] = []

function scratchFor(index: number, length: number): Float64Array {
  const scratch = scratches[index]
  if (scratch !== undefined && scratch.length >= length) return scratch
  return (scratches[index] = new Float64Array(length))
}

/** Reused histograms, one for each number column of a stretch. */
const reusedHistograms: Histogram[] = []

const histogramFor = (index: number): Histogram => (reusedHistograms[index] ??= createHistogram())

function once<T>(cache: Map<string, T>, key: string, make: () => T): T {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const value = make()
  cache.set(key, value)
  return value
}

/**
 * Fills a histogram with a stretch of a column: small integers of a range in place, other values copied to
 * `scratch`.
 */
function histogramOf(
  histogram: Histogram,
  column: NumberColumn,
  selection: Selection,
  from: number,
  to: number,
  scratch: Float64Array,
): Histogram {
  if (selection.kind === 'indices') {
    return countNumbers(histogram, numbersOfRows(column, selection.indices.subarray(from, to), scratch))
  }
  const [start, end] = [selection.start + from, selection.start + to]
  if ('exceptions' in column && to - from > LISTED_LENGTH) {
    return countIntegers(histogram, column.values.subarray(start, end), exceptionsOf(column.exceptions, start, end))
  }
  return countNumbers(histogram, numbersOfRange(column, start, end, scratch))
}

function countStretchAtLeast(
  column: NumberColumn,
  selection: Selection,
  from: number,
  to: number,
  least: number,
): number {
  return selection.kind === 'range'
    ? countAtLeast(column, selection.start + from, selection.start + to, least)
    : countRowsAtLeast(column, selection.indices.subarray(from, to), least)
}

/** Counts the rows with each combination of flags: 16 counts. */
function countFlags(flags: Uint8Array, selection: Selection, from: number, to: number): Uint32Array {
  const counts = new Uint32Array(16)
  if (selection.kind === 'range') {
    const end = selection.start + to
    for (let row = selection.start + from; row < end; row++) counts[flags[row]! & 15]!++
    return counts
  }
  for (let position = from; position < to; position++) counts[flags[selection.indices[position]!]! & 15]!++
  return counts
}
