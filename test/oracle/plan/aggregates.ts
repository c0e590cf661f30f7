import type { Aggregate, AggregateName } from '../../../src/plan/aggregates.js'
import type { Expression } from '../../../src/plan/expression.js'
import { jsonOf } from '../../../src/plan/functions/text-of.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { exactMean } from '../exact-mean.js'
import { bounded, textOf } from './functions.js'
import { fail, keyText, numeric, order } from './values.js'

/** The values that an answer may have instead of the exact value. */
export type Allowed =
  /** Within 1e-12 of the size of the value. */
  | { kind: 'near' }
  /** Any of the values. */
  | { kind: 'any'; values: readonly Scalar[] }
  /** A list of as many of the values. */
  | { kind: 'list'; values: readonly Scalar[] }
  /** The texts in another order. */
  | { kind: 'joined'; texts: readonly string[]; separator: string }
  /** Rank error of 0.5 points: of a number, or of each element of a list. */
  | { kind: 'rank'; percents: readonly number[]; sorted: readonly number[] }
  /** A count that may be this far off. */
  | { kind: 'count'; off: number }

/** The value of an aggregate, and how far it may be off. */
export interface Aggregated {
  value: Scalar
  allowed?: Allowed
}

const EXACT_RANKS = 100
const EXACT_DISTINCT = 1000
/** Five times the standard error of 1.3 %. */
const COUNT_ERROR = 5 * 0.013

/** Takes the values of the argument in the rows of a group, nulls too, and the option. */
type Implementation = (values: readonly Scalar[], option: Scalar | undefined) => Aggregated

const present = (values: readonly Scalar[]) => values.filter((value) => value !== null)
const numbers = (values: readonly Scalar[]) => values.flatMap((value) => numeric(value) ?? []).map(Number)
const trues = (values: readonly Scalar[]) =>
  values.filter((value) => (value === null || typeof value === 'boolean' ? value === true : fail())).length
const distinct = (values: readonly Scalar[]) => new Set(present(values).map(keyText)).size

const extreme =
  (sign: number): Implementation =>
  (values) => {
    const [first = null, ...others] = present(values)
    return { value: others.reduce((best, value) => (sign * order(value, best) > 0 ? value : best), first) }
  }

/** The values at some ranks, given as fractions. */
function atRanks(values: readonly Scalar[], fractions: readonly (readonly [number, number])[]) {
  const sorted = numbers(values).sort((a, b) => a - b)
  const at = fractions.map(
    ([part, whole]) => sorted[Math.max(0, Math.ceil((part * sorted.length) / whole) - 1)] ?? null,
  )
  const percents = fractions.map(([part, whole]) => (100 * part) / whole)
  const allowed: Allowed | undefined = sorted.length > EXACT_RANKS ? { kind: 'rank', percents, sorted } : undefined
  return { at, isEmpty: sorted.length === 0, ...(allowed && { allowed }) }
}

const ALL: Readonly<Record<AggregateName, Implementation>> = {
  count: (values) => ({ value: present(values).length }),
  countif: (values) => ({ value: trues(values) }),
  share: (values) => ({ value: values.length === 0 ? null : trues(values) / values.length }),
  sum: (values) => {
    const found = numbers(values)
    const sum = found.length === 0 ? null : exactMean(found) * found.length
    return { value: sum !== null && Number.isFinite(sum) ? sum : null, allowed: { kind: 'near' } }
  },
  avg: (values) => ({
    value: numbers(values).length === 0 ? null : exactMean(numbers(values)),
    allowed: { kind: 'near' },
  }),
  min: extreme(-1),
  max: extreme(1),
  any_value: (values) => ({ value: present(values)[0] ?? null, allowed: { kind: 'any', values: present(values) } }),
  quantile: (values, percent) => {
    const { at, allowed } = atRanks(values, [[Number(percent), 100]])
    return { value: at[0]!, ...(allowed && { allowed }) }
  },
  approx_quantiles: (values, steps) => {
    const fractions = Array.from({ length: Number(steps) + 1 }, (_, i) => [i, Number(steps)] as const)
    const { at, isEmpty, allowed } = atRanks(values, fractions)
    return { value: isEmpty ? null : at, ...(allowed && { allowed }) }
  },
  count_distinct: (values) => ({ value: distinct(values) }),
  approx_count_distinct: (values) => {
    const count = distinct(values)
    return { value: count, ...(count > EXACT_DISTINCT && { allowed: { kind: 'count', off: COUNT_ERROR * count } }) }
  },
  top_values: (values, most) => {
    const found = present(values)
    const texts = found.map((value) => jsonOf(value))
    const isListed = (value: Scalar) =>
      typeof value === 'string' ? value.length <= 200 : ['number', 'bigint', 'boolean'].includes(typeof value)
    const listed = [...new Set(texts.filter((_, i) => isListed(found[i]!)))]
      .map((json) => ({ json, rows: texts.filter((text) => text === json).length }))
      .sort((a, b) => b.rows - a.rows || (a.json < b.json ? -1 : 1))
      .slice(0, Number(most))
    const items = listed.map(({ json, rows }) => `{"value":${json},"count":${rows}}`)
    return { value: [found.length, distinct(values), `[${items.join(',')}]`] }
  },
  array_agg: (values, limit = Number.POSITIVE_INFINITY) => {
    const found = present(values)
    if (found.length === 0) return { value: null }
    return { value: found.slice(0, Number(limit)), allowed: { kind: 'list', values: found } }
  },
  string_agg: (values, separator = ',') => {
    const texts = present(values).map(textOf)
    if (texts.length === 0) return { value: null }
    const allowed: Allowed = { kind: 'joined', texts, separator: String(separator) }
    return { value: bounded(texts.join(String(separator))), allowed }
  },
}

/** The names of all aggregates that the oracle knows. */
export const AGGREGATE_NAMES = Object.keys(ALL) as AggregateName[]

/** Aggregates the rows of a group. `evaluate` returns the value of an expression in a row. */
export function aggregate<Row>(
  { fn, args: [value, option] }: Aggregate,
  rows: readonly Row[],
  evaluate: (expression: Expression, row: Row) => Scalar,
): Aggregated {
  const values = rows.map((row) => (value === undefined ? true : evaluate(value, row)))
  return ALL[fn](values, option?.kind === 'literal' ? option.value : undefined)
}
