import type { Expression } from './expression.js'
import type { Type } from './values/values.js'

/**
 * An aggregate over the rows of a group: plain data. Options, as a percentage or a separator, are literals behind the
 * value.
 */
export interface Aggregate {
  fn: AggregateName
  args: readonly Expression[]
}

/** The number of an aggregate's arguments, and the type of its result. */
interface AggregateFunction {
  arity: readonly [least: number, most: number]
  type: Type | ((args: readonly Type[]) => Type)
}

const define = (arity: readonly [number, number], type: AggregateFunction['type']): AggregateFunction => ({
  arity,
  type,
})

const sumType = ([type]: readonly Type[]): Type => (type === 'integer' || type === 'count' ? 'integer' : 'number')
const sameType = ([type = 'any']: readonly Type[]): Type => (type === 'count' ? 'integer' : type)

const ALL = {
  /** The number of rows. With an argument, the number of rows where the value is not null. */
  count: define([0, 1], 'count'),
  /** Rows for which a condition is true. */
  countif: define([1, 1], 'count'),
  /** The fraction of the rows for which a condition is true, 0 to 1. Null without rows. */
  share: define([1, 1], 'number'),
  /** Sum of the numbers, and of the texts that spell numbers. Null without numbers. */
  sum: define([1, 1], sumType),
  /** Mean of the numbers, and of the texts that spell numbers. */
  avg: define([1, 1], 'number'),
  /** Least and greatest value in the order across types. Null without a value. */
  min: define([1, 1], sameType),
  max: define([1, 1], sameType),
  any_value: define([1, 1], sameType),
  /**
   * `quantile(x, percent)`: the value at rank ceil(percent / 100 * n). Rank error at most 0.5 points, exact up to 100
   * values.
   */
  quantile: define([2, 2], 'number'),
  /** `approx_quantiles(x, n)`: n + 1 values from the least to the greatest. */
  approx_quantiles: define([2, 2], 'list'),
  count_distinct: define([1, 1], 'count'),
  /** Exact up to 1,000 values, then with a standard error of at most 1.3 %. */
  approx_count_distinct: define([1, 1], 'count'),
  /** `array_agg(x, limit)`, in any order. Nulls are left out. */
  array_agg: define([1, 2], 'list'),
  /** `string_agg(x, separator)`, in any order. Nulls are left out. Null without a value. */
  string_agg: define([1, 2], 'text'),
  /**
   * `top_values(x, n)`: the number of values, the number of different values, and the `n` most frequent values as a
   * JSON text, `[{"value":…,"count":…}, …]`, without texts of over 200 characters, objects and lists.
   */
  top_values: define([2, 2], 'list'),
} as const

/** The name of an aggregate. */
export type AggregateName = keyof typeof ALL

/** Every aggregate by name, with arguments and type. Engines implement the aggregates. */
export const AGGREGATES: Readonly<Record<AggregateName, AggregateFunction>> = ALL
