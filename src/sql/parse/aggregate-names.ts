import { AGGREGATE_CALLS } from '../../common/sql-words.js'
import type { AggregateName } from '../../plan/aggregates.js'

const NAMES: readonly AggregateName[] = Object.keys(AGGREGATE_CALLS) as (keyof typeof AGGREGATE_CALLS)[]

/** The aggregates of SQL by name. `count` with DISTINCT is a separate aggregate in plans. */
export const SQL_AGGREGATES: ReadonlySet<string> = new Set(NAMES)

/** Whether a function of SQL is an aggregate. */
export const isAggregate = (name: string): boolean => SQL_AGGREGATES.has(name)
