import type { AggregateName } from '../../plan/aggregates.js'

/** The aggregates of SQL by name. `count` with DISTINCT is a separate aggregate in plans. */
export const SQL_AGGREGATES: ReadonlySet<string> = new Set([
  'count',
  'countif',
  'sum',
  'avg',
  'min',
  'max',
  'any_value',
  'approx_quantiles',
  'approx_count_distinct',
  'array_agg',
  'string_agg',
] satisfies AggregateName[])

/** Whether a function of SQL is an aggregate. */
export const isAggregate = (name: string): boolean => SQL_AGGREGATES.has(name)
