import type { Aggregate } from '../../../plan/aggregates.js'
import type { Expression } from '../../../plan/expression.js'
import { expressionKey } from '../../../plan/expression-key.js'
import type { NamedAggregate } from '../../../plan/plan.js'
import { isInteger, type Scalar } from '../../../plan/values.js'
import type { Accumulator } from '../accumulators/accumulator.js'
import { type CountState, countAccumulator } from '../accumulators/count.js'
import { distinctAccumulator, distinctOf, sketchAccumulator } from '../accumulators/distinct.js'
import { type ExtremesState, extremesAccumulator } from '../accumulators/extremes.js'
import type { Histogram } from '../accumulators/histogram.js'
import { type MeanState, meanAccumulator, meanOf, sumOf } from '../accumulators/mean.js'
import { type QuantileState, quantileAccumulator, quantileOf } from '../accumulators/quantile.js'
import { type ShareState, shareAccumulator, shareOf } from '../accumulators/share.js'
import {
  anyAccumulator,
  type EachValue,
  greatestAccumulator,
  joined,
  leastAccumulator,
  listAccumulator,
} from '../accumulators/values.js'
import type { Evaluate } from '../expressions/evaluate.js'
import type { Vector } from '../expressions/vector.js'
import type { Load, Stretch } from './stretch.js'

/** The states of one group, one for each fold of an {@link Aggregation}. */
export type States = unknown[]

/** One accumulator over one input; several aggregates may share it: min and max, p95 and p99. */
interface Fold {
  key: string
  value: Expression | undefined
  accumulator: Accumulator<never, never>
  input(stretch: Stretch, vector: Vector): unknown
}

/** Aggregates made ready for a run: the folds, and how the columns of the answer come from their states. */
export interface Aggregation {
  folds: readonly Fold[]
  outputs: readonly { name: string; fold: number; finish(state: unknown): Scalar }[]
}

/** Throws a TypeError on an option that is no literal. `isNumber` tells if an expression is a stored column of numbers. */
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

function partOf({ fn, args }: Aggregate, isNumber: (expression: Expression) => boolean): Part {
  const [value, option] = args
  const part = <Input, State>(
    kind: string,
    accumulator: Accumulator<Input, State>,
    input: (stretch: Stretch, vector: Vector) => Input,
    finish: (state: State) => Scalar,
  ): Part => ({
    fold: {
      key: `${kind} ${value === undefined ? '' : expressionKey(value)}`,
      value,
      accumulator: accumulator as never,
      input,
    },
    finish: finish as (state: never) => Scalar,
  })
  const numbers = <State>(kind: string, accumulator: Accumulator<Histogram, State>, finish: (state: State) => Scalar) =>
    part(kind, accumulator, (stretch, vector) => stretch.histogram(vector), finish)
  const values = <State>(kind: string, accumulator: Accumulator<EachValue, State>, finish: (state: State) => Scalar) =>
    part(
      kind,
      accumulator,
      (stretch, vector): EachValue =>
        (visit) =>
          stretch.each(vector, visit),
      finish,
    )
  const isPlain = value !== undefined && isNumber(value)
  switch (fn) {
    case 'count':
      return value === undefined
        ? part('rows', countAccumulator, ({ rows }) => rows, countOf)
        : part('present', countAccumulator, countPresent, countOf)
    case 'countif':
      return part('where', countAccumulator, (stretch, vector) => stretch.countTrue(vector), countOf)
    case 'share':
      return part(
        'share',
        shareAccumulator,
        (stretch, vector) => ({ passing: stretch.countTrue(vector), rows: stretch.rows }),
        (state: ShareState) => shareOf(state),
      )
    case 'min':
      if (isPlain) return numbers('extremes', extremesAccumulator, ({ min }: ExtremesState) => finiteOrNull(min))
      return values('least', leastAccumulator, (state) => state.value ?? null)
    case 'max':
      if (isPlain) return numbers('extremes', extremesAccumulator, ({ max }: ExtremesState) => finiteOrNull(max))
      return values('greatest', greatestAccumulator, (state) => state.value ?? null)
    case 'any_value':
      return values('any', anyAccumulator, (state) => state.value ?? null)
    case 'sum':
      return numbers('mean', meanAccumulator, (state: MeanState) => sumOf(state))
    case 'avg':
      return numbers('mean', meanAccumulator, (state: MeanState) => meanOf(state))
    case 'quantile': {
      const percent = numberOption(fn, option)
      return numbers('quantile', quantileAccumulator, (state: QuantileState) => quantileOf(state, percent))
    }
    case 'approx_quantiles': {
      const steps = numberOption(fn, option)
      return numbers('quantile', quantileAccumulator, (state: QuantileState) => quantilesOf(state, steps))
    }
    case 'count_distinct':
      return values('distinct', distinctAccumulator, ({ keys }) => keys.size)
    case 'approx_count_distinct':
      return values('sketch', sketchAccumulator, distinctOf)
    case 'array_agg': {
      const limit = option === undefined ? Number.POSITIVE_INFINITY : numberOption(fn, option)
      return values(`list ${limit}`, listAccumulator(limit), (state) =>
        state.values.length === 0 ? null : state.values,
      )
    }
    case 'string_agg': {
      const separator = option === undefined ? ',' : textOption(fn, option)
      return values('list', listAccumulator(Number.POSITIVE_INFINITY), (state) => joined(state, separator))
    }
  }
}

const countOf = ({ count }: CountState) => count
const finiteOrNull = (value: number) => (Number.isFinite(value) ? value : null)

function countPresent(stretch: Stretch, vector: Vector): number {
  let count = 0
  stretch.each(vector, () => count++)
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

/** Folds the rows [from, to) of ordered rows, all of one group, into its states. */
export type FoldRows = (from: number, to: number, states: States) => void

/** Returns the vectors that the folds read, undefined for a fold that reads none. */
export const vectorsOf = ({ folds }: Aggregation, evaluate: Evaluate): (Vector | undefined)[] =>
  folds.map(({ value }) => value && evaluate(value))

/** Makes folding ready for the rows of one frame. */
export function createFolding({ folds }: Aggregation, vectors: readonly (Vector | undefined)[], load: Load): FoldRows {
  return (from, to, states) => {
    const stretch = load(from, to)
    folds.forEach(({ accumulator, input }, i) => {
      accumulator.update(states[i] as never, input(stretch, vectors[i]!) as never)
    })
  }
}

/** Creates the states of a group without rows. */
export function createStates({ folds }: Aggregation): States {
  return folds.map(({ accumulator }) => accumulator.create())
}

/** Merges `from`, which stays as it is, into `into`. */
export function mergeStates({ folds }: Aggregation, into: States, from: States): void {
  folds.forEach(({ accumulator }, i) => {
    accumulator.merge(into[i] as never, from[i] as never)
  })
}

/** Brings states into their smallest form. They may still be added to. */
export function shrinkStates({ folds }: Aggregation, states: States): void {
  folds.forEach(({ accumulator }, i) => {
    accumulator.shrink?.(states[i] as never)
  })
}

/** Bytes of memory that states take, about. */
export function bytesOfStates({ folds }: Aggregation, states: States): number {
  return folds.reduce((bytes, { accumulator }, i) => bytes + accumulator.bytes(states[i] as never), 0)
}
