import type { SourceName } from '../common/sources.js'
import type { Aggregate } from './aggregates.js'
import { expressionOf, isExpression, type Value } from './calls.js'
import { call, column, type Expression, joinConditions, literal } from './expression.js'
import { append, type LastKey, nameOf } from './names.js'
import type { Direction, NamedExpression, Plan, SortKey, TimeRange } from './plan.js'
import type { TimeUnit } from './values/times.js'
import type { Scalar } from './values/values.js'

/** A unit that timestamps can be truncated to in the builder of endpoints. */
export type BucketUnit = Extract<TimeUnit, 'second' | 'minute' | 'hour' | 'day'>

/** True if a column equals a value. Null if the column is null. */
export const equals = (name: Value, value: Scalar): Expression => call('eq', expressionOf(name), literal(value))
/** True if an RE2 pattern matches somewhere in a column. */
export const matches = (name: Value, pattern: string): Expression =>
  call('regexp_contains', expressionOf(name), literal(pattern))
/** True if a column holds a text, letter by letter. */
export const contains = (name: Value, text: string): Expression => call('contains', expressionOf(name), literal(text))
/** True if a column is a value or more. */
export const atLeast = (name: Value, value: number): Expression => call('ge', expressionOf(name), literal(value))
/** Returns `equals`, or undefined (no condition) if the value is undefined. */
export const optional = (name: Value, value: string | undefined): Expression | undefined =>
  value === undefined ? undefined : equals(name, value)

/** The number of rows. */
export const count = (): Aggregate => ({ fn: 'count', args: [] })
/** The number of rows for which a condition is true. */
export const countWhere = (where: Expression): Aggregate => ({ fn: 'countif', args: [where] })
/** The fraction of the rows for which a condition is true, from 0 to 1. Null without rows. */
export const share = (where: Expression): Aggregate => ({ fn: 'share', args: [where] })
/** The least value of a column. Null without a value. */
export const min = (name: Value): Aggregate => ({ fn: 'min', args: [expressionOf(name)] })
/** The greatest value of a column. Null without a value. */
export const max = (name: Value): Aggregate => ({ fn: 'max', args: [expressionOf(name)] })
/** The mean of a column's numbers. Null without numbers. */
export const mean = (name: Value): Aggregate => ({ fn: 'avg', args: [expressionOf(name)] })
/** The value at rank ceil(percent / 100 * n). Rank error at most 0.5 percentage points, exact up to 100 values. */
export const quantile = (name: Value, percent: number): Aggregate => ({
  fn: 'quantile',
  args: [expressionOf(name), literal(percent)],
})

/** The plan without rows and columns. To return no rows but keep the columns, use `limit(0)`. */
export const nothing = (): Plan => []

/** Columns and their values. */
type Named<Column extends string> = Readonly<Record<Column, Value>>

/** A column or a field by its name, or columns and their values. */
type Columns<Column extends string> = Column | Named<string>

/** The names of such columns. A field's column has the last key of its path, where fields can be named at all. */
type NameOf<By, Column extends string> = By extends string
  ? string extends Column
    ? LastKey<By>
    : By
  : Extract<keyof By, string>

const named = (columns: Named<string>): NamedExpression[] =>
  Object.entries(columns).map(([name, value]) => ({ name, value: expressionOf(value) }))

/** Returns the columns that the rows of a plan are selected or grouped by. */
function namedColumns(columns: readonly Columns<string>[], plan: Plan): NamedExpression[] {
  return columns.flatMap((one) => {
    if (isExpression(one)) throw new TypeError('Give an expression a name: { name: expression }.')
    return named(typeof one === 'string' ? { [nameOf(one, plan)]: one } : one)
  })
}

/**
 * The rows at a point of a plan. `Column` is the union of the column names: any name for a source. Behind `aggregate`
 * or `select`, only the new column names compile.
 */
export class Rows<Column extends string> {
  readonly #plan: Plan
  /** The order of rows that are equal in every key of `orderBy`. */
  readonly #ties: readonly SortKey[]

  constructor(plan: Plan, ties: readonly SortKey[] = []) {
    this.#plan = plan
    this.#ties = ties
  }

  /** Returns the plan of some rows, without a limit. */
  static planOf(rows: Plan | Rows<never>): Plan {
    return rows instanceof Rows ? rows.#plan : rows
  }

  /** Keeps the rows for which every condition is true. Undefined conditions are ignored. */
  filter(...conditions: readonly (Expression | undefined)[]): Rows<Column> {
    const given = conditions.filter((condition) => condition !== undefined)
    if (given.length === 0) return this
    return new Rows(append(this.#plan, { op: 'filter', where: joinConditions('and', given) }), this.#ties)
  }

  /** Adds computed columns. */
  extend<Added extends string>(columns: Named<Added>): Rows<Column | Added> {
    const ties = this.#ties.some(({ by }) => by.kind === 'column' && Object.hasOwn(columns, by.name)) ? [] : this.#ties
    return new Rows(append(this.#plan, { op: 'extend', columns: named(columns) }), ties)
  }

  /** Replaces the timestamp by the start of its bucket, in UTC. */
  truncate(
    name: 'timestamp' & Column,
    unit: BucketUnit,
    as: 'microseconds' | 'datetime' = 'microseconds',
  ): Rows<Column> {
    const fn = as === 'datetime' ? 'datetime_trunc' : 'timestamp_trunc'
    const value = call(fn, column(name), literal(unit))
    return new Rows(append(this.#plan, { op: 'extend', columns: [{ name, value }] }))
  }

  /**
   * Returns a row for each element of a list, or a single row for an object. The element or object becomes the column
   * `name`. Any other value has no row, or with `outer` a row with a null element.
   */
  unnest<Name extends string>(list: Value, name: Name, rows: 'inner' | 'outer' = 'inner'): Rows<Column | Name> {
    const isOuter = rows === 'outer'
    return new Rows(append(this.#plan, { op: 'unnest', list: expressionOf(list), name, isOuter }))
  }

  /** Adds the column `name`: whether a value is among the rows of another plan, which has a single column. */
  isIn<Name extends string>(value: Value, plan: Plan | Rows<never>, name: Name): Rows<Column | Name> {
    return new Rows(append(this.#plan, { op: 'isIn', value: expressionOf(value), plan: Rows.planOf(plan), name }))
  }

  /**
   * Groups by columns, by fields, and by named expressions. Rows without a value form a group with a null key. Without
   * a key there is a single group, even of no rows.
   */
  group<const By extends readonly Columns<Column>[]>(...by: By): Grouped<NameOf<By[number], Column>> {
    return new Grouped(this.#plan, namedColumns(by, this.#plan))
  }

  /** Keeps exactly the columns `columns`, in this order. */
  select<const Kept extends readonly [Columns<Column>, ...Columns<Column>[]]>(
    ...columns: Kept
  ): Rows<NameOf<Kept[number], Column>> {
    return new Rows(append(this.#plan, { op: 'select', columns: namedColumns(columns, this.#plan) }))
  }

  /**
   * Sorts by a column or an expression. Rows with equal timestamps are sorted by arrival, the latest first. Groups
   * with equal values are sorted by key, ascending. Nulls come last unless `nulls` says otherwise.
   */
  orderBy(
    by: Column | 'timestamp' | Expression,
    direction: Direction = 'asc',
    nulls: 'first' | 'last' = 'last',
  ): Sorted<Column> {
    return new Sorted(this.#plan, [{ by: expressionOf(by), direction, nulls }], this.#ties)
  }

  /** Ends the plan: at most `rows` rows, after the first `offset` rows. */
  limit(rows: number, offset = 0): Plan {
    return append(this.#plan, { op: 'limit', rows, offset })
  }
}

/** Sorted rows, to which more keys can be added. */
export class Sorted<Column extends string> {
  readonly #before: Plan
  readonly #keys: readonly SortKey[]
  readonly #ties: readonly SortKey[]
  readonly #rank: string | undefined

  constructor(before: Plan, keys: readonly SortKey[], ties: readonly SortKey[], rank?: string) {
    this.#before = before
    this.#keys = keys
    this.#ties = ties
    this.#rank = rank
  }

  /** Adds a key for rows that are equal in the keys so far. */
  thenBy(
    by: Column | 'timestamp' | Expression,
    direction: Direction = 'asc',
    nulls: 'first' | 'last' = 'last',
  ): Sorted<Column> {
    return new Sorted(this.#before, [...this.#keys, { by: expressionOf(by), direction, nulls }], this.#ties, this.#rank)
  }

  /**
   * Adds the column `name` to an order by the stored timestamp alone: the place of each row among all rows of its
   * timestamp, in order of arrival, from 1, whatever the limit. Rows of equal timestamps are then sorted by arrival in
   * ascending order too, the earliest first.
   */
  rank(name: string): Sorted<Column> {
    return new Sorted(this.#before, this.#keys, this.#ties, name)
  }

  /** Ends the plan: at most `rows` rows, after the first `offset` rows. */
  limit(rows: number, offset = 0): Plan {
    const keys = [...this.#keys, ...this.#ties]
    const rank = this.#rank === undefined ? {} : { rank: this.#rank }
    return append(append(this.#before, { op: 'orderBy', keys, ...rank }), { op: 'limit', rows, offset })
  }
}

/** Groups on their way to their aggregates. */
export class Grouped<Key extends string> {
  readonly #before: Plan
  readonly #keys: readonly NamedExpression[]

  constructor(before: Plan, keys: readonly NamedExpression[]) {
    this.#before = before
    this.#keys = keys
  }

  /** Returns a row for each group: the keys, then `columns`. */
  aggregate<Name extends string>(columns: Readonly<Record<Name, Aggregate>>): Rows<Key | Name> {
    const aggregates = Object.entries<Aggregate>(columns).map(([name, value]) => ({ name, value }))
    const ties = this.#keys.map(({ name }): SortKey => ({ by: column(name), direction: 'asc', nulls: 'last' }))
    return new Rows(append(this.#before, { op: 'group', keys: this.#keys, aggregates }), ties)
  }
}

/**
 * Starts a plan over the rows of one or more sources in a range of time. Rows of several sources have the columns that
 * all of them have.
 */
export function scan(
  source: SourceName | readonly [SourceName, ...SourceName[]],
  { fromUs, throughUs }: TimeRange,
): Rows<string> {
  return new Rows([{ op: 'scan', sources: typeof source === 'string' ? [source] : source, fromUs, throughUs }])
}

/**
 * Starts a plan over the rows of other plans, limited or not, which have the same number of columns. The names of the
 * columns come from the first plan.
 */
export function union<Column extends string = string>(
  first: Plan | Rows<Column>,
  ...others: readonly (Plan | Rows<never>)[]
): Rows<Column> {
  return new Rows([{ op: 'union', plans: [first, ...others].map(Rows.planOf) }])
}
