import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { KIB } from '../../../base/units.js'
import type { Aggregate } from '../../../plan/aggregates.js'
import type { Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { NamedAggregate } from '../../../plan/plan.js'
import { isInteger, type Scalar } from '../../../plan/values/values.js'
import type { Accumulator } from '../accumulators/accumulator.js'
import { type CountState, countAccumulator } from '../accumulators/count.js'
import { distinctAccumulator, distinctOf, sketchAccumulator } from '../accumulators/distinct.js'
import { extremesAccumulator } from '../accumulators/extremes.js'
import type { Histogram } from '../accumulators/histogram.js'
import { meanAccumulator, meanOf, sumOf } from '../accumulators/mean.js'
import { type QuantileState, quantileAccumulator, quantileOf } from '../accumulators/quantile.js'
import { shareAccumulator, shareOf } from '../accumulators/share.js'
import { type EachCount, summaryOf, valueCountsAccumulator } from '../accumulators/value-counts.js'
import {
  anyAccumulator,
  type EachValue,
  greatestAccumulator,
  joined,
  leastAccumulator,
  listAccumulator,
  type ValueState,
} from '../accumulators/values.js'
import type { Evaluate } from '../expressions/evaluate.js'
import { hasTruths } from '../expressions/truths.js'
import type { Vector } from '../expressions/vector.js'
import { hasFewCodes } from './code-counts.js'
import type { Load, Stretch } from './stretch.js'

/** The states of a group, one for each fold of an {@link Aggregation}. */
export type States = unknown[]

/** An accumulator over an input. Several aggregates may share a fold: min and max, p95 and p99. */
interface Fold {
  key: string
  value: Expression | undefined
  accumulator: Accumulator<never, never>
  input(stretch: Stretch, vector: Vector): unknown
  /** The stored values that the accumulator reads by a quick loop. Other values are visited. */
  quick: Quick
}

/** The stored values that a fold reads by a quick loop: numbers and conditions, times, or few codes. */
type Quick = 'numbers' | 'times' | 'codes' | undefined

/** Aggregates made ready for a run: the folds, and how the columns of the answer come from their states. */
export interface Aggregation {
  folds: readonly Fold[]
  outputs: readonly { name: string; fold: number; finish(state: unknown): Scalar }[]
}

/**
 * Throws a TypeError on an option that is no literal. `isNumber` tells if an expression is a stored column of numbers.
 */
export function createAggregation(
  aggregates: readonly NamedAggregate[],
  isNumber: (expression: Expression) => boolean,
): Aggregation {
  const parts = aggregates.map(({ name, value }) => ({ name, ...partOf(value, isNumber) }))
  const folds = [...new Map(parts.map(({ fold }) => [fold.key, fold])).values()]
  const outputs = parts.map(({ name, fold, finish }) => ({
    name,
    fold: folds.findIndex(({ key }) => key === fold.key),
    finish: finish as (state: unknown) => Scalar,
  }))
  return { folds, outputs }
}

interface Part {
  fold: Fold
  finish(state: never): Scalar
}

type Finish<State> = (state: State) => Scalar

/** Makes parts over a value: of any input, of the numbers of the value, or of all values. */
function partsOf(value: Expression | undefined) {
  function part<Input, State>(
    kind: string,
    accumulator: Accumulator<Input, State>,
    input: (stretch: Stretch, vector: Vector) => Input,
    finish: Finish<State>,
    quick: Quick = 'numbers',
  ): Part {
    const key = `${kind} ${value === undefined ? '' : expressionKey(value)}`
    return {
      fold: { key, value, accumulator: accumulator as never, input, quick },
      finish: finish as (state: never) => Scalar,
    }
  }
  return {
    part,
    numbers: <State>(kind: string, accumulator: Accumulator<Histogram, State>, finish: Finish<State>) =>
      part(kind, accumulator, (stretch, vector) => stretch.histogram(vector), finish),
    values: <State>(kind: string, accumulator: Accumulator<EachValue, State>, finish: Finish<State>) =>
      part(kind, accumulator, eachOf, finish, undefined),
    distinct: <State>(kind: string, accumulator: Accumulator<EachCount, State>, finish: Finish<State>) =>
      part(kind, accumulator, distinctIn, finish, 'codes'),
    extreme: (kind: string, accumulator: Accumulator<EachValue, ValueState>) =>
      part(kind, accumulator, extremesOf, valueOfState, 'times'),
  }
}

const eachOf =
  (stretch: Stretch, vector: Vector): EachValue =>
  (visit) =>
    stretch.each(vector, visit)

const distinctIn =
  (stretch: Stretch, vector: Vector): EachCount =>
  (visit) =>
    stretch.distinct(vector, visit)

const extremesOf =
  (stretch: Stretch, vector: Vector): EachValue =>
  (visit) =>
    stretch.extremes(vector, visit)

function partOf(aggregate: Aggregate, isNumber: (expression: Expression) => boolean): Part {
  const { fn, args } = aggregate
  const [value, option] = args
  const make = partsOf(value)
  const isPlain = value !== undefined && isNumber(value)
  switch (fn) {
    case 'count':
      return value === undefined
        ? make.part('rows', countAccumulator, ({ rows }) => rows, countOf)
        : make.part('present', countAccumulator, countPresent, countOf, 'codes')
    case 'countif':
      return make.part('where', countAccumulator, (stretch, vector) => stretch.countTrue(vector), countOf)
    case 'share':
      return make.part('share', shareAccumulator, countShare, shareOf)
    case 'min':
      if (isPlain) return make.numbers('extremes', extremesAccumulator, ({ min }) => finiteOrNull(min))
      return make.extreme('least', leastAccumulator)
    case 'max':
      if (isPlain) return make.numbers('extremes', extremesAccumulator, ({ max }) => finiteOrNull(max))
      return make.extreme('greatest', greatestAccumulator)
    case 'any_value':
      return make.values('any', anyAccumulator, valueOfState)
    case 'sum':
      return make.numbers('mean', meanAccumulator, sumOf)
    case 'avg':
      return make.numbers('mean', meanAccumulator, meanOf)
    case 'quantile':
    case 'approx_quantiles':
      return quantilePart(fn, numberOption(fn, option), make)
    case 'count_distinct':
      return make.distinct('distinct', distinctAccumulator, ({ keys }) => keys.size)
    case 'approx_count_distinct':
      return make.distinct('sketch', sketchAccumulator, distinctOf)
    case 'top_values':
      return topValuesPart(numberOption(fn, option), make)
    case 'array_agg':
    case 'string_agg':
      return listPart(fn, option, make)
  }
}

type Make = ReturnType<typeof partsOf>

function quantilePart(fn: 'quantile' | 'approx_quantiles', option: number, { numbers }: Make): Part {
  const finish = fn === 'quantile' ? quantileOf : quantilesOf
  return numbers('quantile', quantileAccumulator, (state) => finish(state, option))
}

const topValuesPart = (most: number, { distinct }: Make): Part =>
  distinct('counts', valueCountsAccumulator, (state) => summaryOf(state, most))

function listPart(fn: 'array_agg' | 'string_agg', option: Expression | undefined, { values }: Make): Part {
  if (fn === 'string_agg') {
    const separator = option === undefined ? ',' : textOption(fn, option)
    return values('list', listAccumulator(Number.POSITIVE_INFINITY), (state) => joined(state, separator))
  }
  const limit = option === undefined ? Number.POSITIVE_INFINITY : numberOption(fn, option)
  const kind = limit === Number.POSITIVE_INFINITY ? 'list' : `list ${limit}`
  return values(kind, listAccumulator(limit), (state) => (state.values.length === 0 ? null : state.values))
}

const valueOfState = ({ value }: ValueState): Scalar => value ?? null
const countShare = (stretch: Stretch, vector: Vector): { passing: number; rows: number } => ({
  passing: stretch.countTrue(vector),
  rows: stretch.rows,
})
const countOf = ({ count }: CountState) => count
const finiteOrNull = (value: number) => (Number.isFinite(value) ? value : null)

function countPresent(stretch: Stretch, vector: Vector): number {
  let count = 0
  stretch.distinct(vector, (_, rows) => {
    count += rows
  })
  return count
}

function quantilesOf(state: QuantileState, steps: number): Scalar {
  if (quantileOf(state, 0) === null) return null
  return Array.from({ length: steps + 1 }, (_, i) => quantileOf(state, (100 * i) / steps))
}

function numberOption(fn: string, option: Expression | undefined): number {
  if (option?.kind === 'literal' && isInteger(option.value)) return Number(option.value)
  if (option?.kind === 'literal' && typeof option.value === 'number') return option.value
  throw new TypeError(`${fn} needs a number that is written in the query.`)
}

function textOption(fn: string, option: Expression): string {
  if (option.kind === 'literal' && typeof option.value === 'string') return option.value
  throw new TypeError(`${fn} needs a text that is written in the query.`)
}

/** Folds the rows [from, to) of ordered rows into the states of a group. All rows are of that group. */
export type FoldRows = (from: number, to: number, states: States) => void

/** Returns the vectors that the folds read, undefined for a fold that reads none. */
export const vectorsOf = ({ folds }: Aggregation, evaluate: Evaluate): (Vector | undefined)[] =>
  folds.map(({ value }) => value && evaluate(value))

/** Whether the folds read all of their vectors by quick loops, so that a whole batch takes little time. */
export const isQuick = ({ folds }: Aggregation, vectors: readonly (Vector | undefined)[]): boolean =>
  folds.every(({ quick }, i) => {
    const vector = vectors[i]
    if (vector === undefined) return true
    if (quick === 'times') return vector.kind === 'times'
    if (quick === 'codes') return hasFewCodes(vector)
    if (quick !== 'numbers') return false
    return vector.kind === 'bits' || vector.kind === 'numbers' || (vector.kind === 'entries' && hasTruths(vector))
  })

/** Makes folding ready for the rows of a frame. */
export function createFolding({ folds }: Aggregation, vectors: readonly (Vector | undefined)[], load: Load): FoldRows {
  return (from, to, states) => {
    const stretch = load(from, to)
    for (let i = 0; i < folds.length; i++) {
      const { accumulator, input } = folds[i]
      accumulator.update(states[i] as never, input(stretch, vectors[i]!) as never)
    }
  }
}

/** Creates the states of a group without rows. */
export function createStates({ folds }: Aggregation): States {
  return folds.map(({ accumulator }) => accumulator.create())
}

/** States of more bytes are merged in steps, if their accumulator can. */
const LONG_BYTES = 64 * KIB

/**
 * Merges `from` into `into`. `from` stays unchanged. Returns undefined if the merge is done, else a promise of the
 * rest, which yields between steps.
 */
export function mergeStates(
  { folds }: Aggregation,
  into: States,
  from: States,
  yieldIfDue: Yielder,
): Promise<void> | undefined {
  const long: Iterable<void>[] = []
  for (let i = 0; i < folds.length; i++) {
    const { accumulator } = folds[i]
    if (isLong(folds[i], from[i])) long.push(accumulator.mergeInSteps!(into[i] as never, from[i] as never))
    else accumulator.merge(into[i] as never, from[i] as never)
  }
  return long.length === 0 ? undefined : runSteps(long, yieldIfDue)
}

async function runSteps(merges: readonly Iterable<void>[], yieldIfDue: Yielder): Promise<void> {
  for (const steps of merges) for (const _ of steps) await yieldIfDue()
}

const isLong = ({ accumulator }: Fold, state: unknown) =>
  accumulator.mergeInSteps !== undefined && accumulator.bytes(state as never) > LONG_BYTES

/** Whether {@link copyStates} takes little time. */
export const isQuickToCopy = ({ folds }: Aggregation, states: States): boolean =>
  !folds.some((fold, i) => isLong(fold, states[i]))

/** Returns a copy of states, which can be changed. */
export function copyStates(aggregation: Aggregation, states: States): States {
  const copy = createStates(aggregation)
  for (const [i, { accumulator }] of aggregation.folds.entries())
    accumulator.merge(copy[i] as never, states[i] as never)
  return copy
}

/** Converts states to their smallest form. More values may be added later. */
export function shrinkStates({ folds }: Aggregation, states: States): void {
  for (let i = 0; i < folds.length; i++) folds[i].accumulator.shrink?.(states[i] as never)
}

/** Bytes of memory that states take, about. */
export function bytesOfStates({ folds }: Aggregation, states: States): number {
  let bytes = 0
  for (let i = 0; i < folds.length; i++) bytes += folds[i].accumulator.bytes(states[i] as never)
  return bytes
}
