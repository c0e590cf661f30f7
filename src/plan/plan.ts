import type { SourceName } from '../common/sources.js'
import type { Aggregate } from './aggregates.js'
import type { Expression } from './expression.js'
import type { Type } from './values/values.js'

/**
 * A plan is plain data: operators, of which each takes the rows of the previous operator. The first is `scan`, `view`
 * or `union`. The empty list is the plan without rows and columns.
 */
export type Plan = readonly Operator[]

/** Both ends included, microseconds since the epoch. `from` above `through` is an empty range. */
export interface TimeRange {
  fromUs: number
  throughUs: number
}

/** Ascending or descending. */
export type Direction = 'asc' | 'desc'

/** An expression and the name of its column. */
export interface NamedExpression {
  name: string
  value: Expression
}

/** An aggregate and the name of its column. */
export interface NamedAggregate {
  name: string
  value: Aggregate
}

/** A key of an order. */
export interface SortKey {
  by: Expression
  direction: Direction
  nulls: 'first' | 'last'
}

/** A view, as a plan reads it: its groups are rows. */
export interface ViewSource {
  name: string
  /** Identifies the grouping, see docs/views.md. */
  identity: string
  /** The columns of a group, in order: `project`, the start of the bucket, the other keys and the aggregates. */
  columns: readonly { name: string; type: Type }[]
  /** The column of the start of the bucket, a timestamp. */
  bucket: string
  /** The sources of the grouped rows. */
  sources: readonly SourceName[]
}

/**
 * Where the groups of a view end: before the first bucket with which there are more groups or bytes of values, except
 * that the newest bucket is always whole. Counts the groups that pass the filters directly behind, of a single project.
 */
export interface MostGroups {
  groups: number
  bytes: number
}

/** A step of a {@link Plan}. */
export type Operator =
  /** The rows of one or more sources in a range of time. */
  | ({ op: 'scan'; sources: readonly SourceName[] } & TimeRange)
  /** The groups of a view in buckets that start in a range of time. */
  | ({ op: 'view'; view: ViewSource; most?: MostGroups } & TimeRange)
  /** The rows of all `plans`, which have equally many columns. The names of the columns come from the first plan. */
  | { op: 'union'; plans: readonly Plan[] }
  /**
   * For each row: a row for each element of a list, or a single row for an object. The element or object is the column
   * `name`. Any other value has no row, or with `isOuter` a row in which `name` is null.
   */
  | { op: 'unnest'; list: Expression; name: string; isOuter: boolean }
  /**
   * Adds the column `name`: whether a value is among the rows of another plan, which has a single column. True, false
   * or null as the function `in` over the rows of the other plan, false without rows. The value is evaluated only in
   * rows in which the column is read, and only if the other plan has rows. The other plan is run once, as a whole.
   */
  | { op: 'isIn'; value: Expression; plan: Plan; name: string }
  /** The rows for which a condition is true. */
  | { op: 'filter'; where: Expression }
  /**
   * Adds columns. If a new column has the name of an existing column, the expressions of this operator read the
   * existing column.
   */
  | { op: 'extend'; columns: readonly NamedExpression[] }
  /** A row for each distinct combination of keys. Without keys a single row, even of no rows. */
  | { op: 'group'; keys: readonly NamedExpression[]; aggregates: readonly NamedAggregate[] }
  /** Exactly `columns`. */
  | { op: 'select'; columns: readonly NamedExpression[] }
  /**
   * Sorts. Directly behind `select`, the keys may also read the columns before `select`. Equal timestamps in
   * descending order go by arrival, the latest first. Other ties are open.
   *
   * `rank` adds a last column of that name: the place of each row among all rows of the order with the same timestamp,
   * in order of arrival, from 1. The only key is then the stored column `timestamp`, and ties go by arrival in
   * ascending order too, the earliest first. An order with a rank ends the plan, or directly precedes `limit`. The
   * order of arrival is known among the rows of a single project and source.
   */
  | { op: 'orderBy'; keys: readonly SortKey[]; rank?: string }
  | { op: 'limit'; rows: number; offset: number }

/** The operator `scan` of a plan. */
export type Scan = Extract<Operator, { op: 'scan' }>
/** The operator `view` of a plan. */
export type View = Extract<Operator, { op: 'view' }>

/** Returns the plans that an operator reads besides its input rows. */
export function innerPlansOf(operator: Operator): readonly Plan[] {
  if (operator.op === 'isIn') return [operator.plan]
  return operator.op === 'union' ? operator.plans : []
}

/** Returns an operator with each of its inner plans replaced. */
export function withInnerPlans(operator: Operator, change: (plan: Plan) => Plan): Operator {
  if (operator.op === 'isIn') return { ...operator, plan: change(operator.plan) }
  return operator.op === 'union' ? { ...operator, plans: operator.plans.map(change) } : operator
}

/** Returns every scan of a plan, also of inner plans. */
export function scansOf(plan: Plan): Scan[] {
  return readsOf(plan).filter((operator) => operator.op === 'scan')
}

/** Returns every operator of a plan that reads rows of a range of time, also of inner plans. */
export function readsOf(plan: Plan): (Scan | View)[] {
  return plan.flatMap((operator) => ('fromUs' in operator ? [operator] : innerPlansOf(operator).flatMap(readsOf)))
}

/** Returns the sources of whose rows the rows of a plan are made, by way of views too. */
export function sourcesOf(plan: Plan): SourceName[] {
  return [...new Set(readsOf(plan).flatMap((read) => (read.op === 'scan' ? read.sources : read.view.sources)))]
}
