import type { SourceName } from '../sources.js'
import type { Aggregate } from './aggregates.js'
import { call, column, type Expression, literal } from './expression.js'
import type { Direction, NamedExpression, Operator, Plan, SortKey, TimeRange } from './plan.js'
import type { TimeUnit } from './values/times.js'
import type { Scalar } from './values/values.js'

/** A unit that timestamps can be truncated to in the builder of endpoints. */
export type BucketUnit = Extract<TimeUnit, 'second' | 'minute' | 'hour' | 'day'>

/** A column by name, or an expression. */
type Value = string | Expression

const expressionOf = (value: Value): Expression => (typeof value === 'string' ? column(value) : value)

/** True if a column equals a value; null if it is absent. */
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
/** The fraction of the rows for which a condition is true, from 0 to 1; null without rows. */
export const share = (where: Expression): Aggregate => ({ fn: 'share', args: [where] })
/** The least value of a column; null if none is present. */
export const min = (name: Value): Aggregate => ({ fn: 'min', args: [expressionOf(name)] })
/** The greatest value of a column; null if none is present. */
export const max = (name: Value): Aggregate => ({ fn: 'max', args: [expressionOf(name)] })
/** The mean of a column's numbers; null if none is present. */
export const mean = (name: Value): Aggregate => ({ fn: 'avg', args: [expressionOf(name)] })
/** The value at rank ceil(percent / 100 * n); rank error at most 0.5 percentage points, exact up to 100 values. */
export const quantile = (name: Value, percent: number): Aggregate => ({
  fn: 'quantile',
  args: [expressionOf(name), literal(percent)],
})

/** The plan without rows and columns. To return no rows but keep the columns, use `limit(0)`. */
export const nothing = (): Plan => []

/** Columns by name, of a type that is checked where the columns are known. */
type Named<Column extends string> = Readonly<Record<Column, Expression>>

const named = (columns: Readonly<Record<string, Expression>>): NamedExpression[] =>
  Object.entries(columns).map(([name, value]) => ({ name, value }))

/**
 * Rows on their way through a plan, whose columns are named `Column`: of a source any name, behind `aggregate` or
 * `select` the ones that these made, so that another name does not compile.
 */
export class Rows<Column extends string> {
  readonly #operators: Plan
  /** The order of rows that are equal in every key of `orderBy`. */
  readonly #ties: readonly SortKey[]

  constructor(operators: Plan, ties: readonly SortKey[] = []) {
    this.#operators = operators
    this.#ties = ties
  }

  #with<After extends string>(operator: Operator): Rows<After> {
    return new Rows([...this.#operators, operator])
  }

  /** Keeps the rows for which every condition is true; undefined ones are ignored. */
  filter(...conditions: readonly (Expression | undefined)[]): Rows<Column> {
    const [first, ...others] = conditions.filter((condition) => condition !== undefined)
    if (first === undefined) return this
    const where = others.length === 0 ? first : call('and', first, ...others)
    return new Rows([...this.#operators, { op: 'filter', where }], this.#ties)
  }

  /** Adds computed columns. */
  extend<Added extends string>(columns: Named<Added>): Rows<Column | Added> {
    return this.#with({ op: 'extend', columns: named(columns) })
  }

  /** Replaces the timestamp by the start of its bucket, in UTC. */
  truncate(
    name: 'timestamp' & Column,
    unit: BucketUnit,
    as: 'microseconds' | 'datetime' = 'microseconds',
  ): Rows<Column> {
    const fn = as === 'datetime' ? 'datetime_trunc' : 'timestamp_trunc'
    return this.#with({
      op: 'extend',
      columns: [{ name, value: call(fn, column(name), literal(unit)) }],
    })
  }

  /** Groups by columns, or by named expressions. Rows without a value form one group, whose key is null. */
  group<Key extends Column>(...by: readonly [Key, ...Key[]]): Grouped<Key>
  group<Key extends string>(by: Named<Key>): Grouped<Key>
  group(...by: readonly (string | Named<string>)[]): Grouped<string> {
    const keys = by.flatMap((key) => named(typeof key === 'string' ? { [key]: keyOf(key) } : key))
    return new Grouped(this.#operators, keys)
  }

  /** Keeps exactly these columns, in this order. */
  select<Kept extends Column>(...columns: readonly [Kept, ...Kept[]]): Rows<Kept>
  select<Kept extends string>(columns: Named<Kept>): Rows<Kept>
  select(...columns: readonly (string | Named<string>)[]): Rows<string> {
    const kept = columns.flatMap((name) => named(typeof name === 'string' ? { [name]: column(name) } : name))
    return this.#with({ op: 'select', columns: kept })
  }

  /**
   * Sorts by a column or an expression. Rows with equal timestamps are sorted by arrival, the latest first; groups with
   * equal values by their keys, ascending. Nulls come last unless `nulls` says otherwise.
   */
  orderBy(
    by: Column | 'timestamp' | Expression,
    direction: Direction = 'asc',
    nulls: 'first' | 'last' = 'last',
  ): Sorted<Column> {
    return new Sorted(this.#operators, [{ by: expressionOf(by), direction, nulls }], this.#ties)
  }

  /** Ends the plan: at most this many rows, after the first `offset` ones. */
  limit(rows: number, offset = 0): Plan {
    return [...this.#operators, { op: 'limit', rows, offset }]
  }
}

/** `url_path` is the path in the URL. */
const keyOf = (name: string): Expression => (name === 'url_path' ? call('url_path', column('url')) : column(name))

/** Sorted rows, to which more keys can be added. */
export class Sorted<Column extends string> {
  readonly #before: Plan
  readonly #keys: readonly SortKey[]
  readonly #ties: readonly SortKey[]

  constructor(before: Plan, keys: readonly SortKey[], ties: readonly SortKey[]) {
    this.#before = before
    this.#keys = keys
    this.#ties = ties
  }

  /** Adds a key for rows that are equal in the keys so far. */
  thenBy(
    by: Column | 'timestamp' | Expression,
    direction: Direction = 'asc',
    nulls: 'first' | 'last' = 'last',
  ): Sorted<Column> {
    return new Sorted(this.#before, [...this.#keys, { by: expressionOf(by), direction, nulls }], this.#ties)
  }

  /** Ends the plan: at most this many rows, after the first `offset` ones. */
  limit(rows: number, offset = 0): Plan {
    const keys = [...this.#keys, ...this.#ties]
    return [...this.#before, { op: 'orderBy', keys }, { op: 'limit', rows, offset }]
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

  /** Returns one row for each group: its keys, then these columns. */
  aggregate<Name extends string>(columns: Readonly<Record<Name, Aggregate>>): Rows<Key | Name> {
    const aggregates = Object.entries<Aggregate>(columns).map(([name, value]) => ({ name, value }))
    const ties = this.#keys.map(({ name }): SortKey => ({ by: column(name), direction: 'asc', nulls: 'last' }))
    return new Rows([...this.#before, { op: 'group', keys: this.#keys, aggregates }], ties)
  }
}

/** Starts a plan over the rows of `source` whose timestamp is in the range. */
export function scan(source: SourceName, { fromUs, throughUs }: TimeRange): Rows<string> {
  return new Rows([{ op: 'scan', sources: [source], fromUs, throughUs }])
}
