import type { SourceName } from '../sources.js'

/**
 * A plan is plain data: a list of operators over one source, built by an endpoint, run by an engine.
 * The empty list is the plan that has no rows.
 *
 * Two shapes run today, and {@link shapeOf} tells them apart:
 *   rows     scan, filter*, select, orderBy timestamp desc, limit
 *   buckets  scan, filter*, truncate, group, aggregate, orderBy timestamp asc, limit
 */
export type Plan = readonly Operator[]

export type BucketUnit = 'second' | 'minute' | 'hour' | 'day'

/** Both ends included, microseconds since the epoch. `from` above `through` is an empty range. */
export interface TimeRange {
  fromUs: number
  throughUs: number
}

/** A test of one column of a row. Nothing but `isNull`-free truth: an absent value never passes. */
export type Predicate =
  | { test: 'equals'; column: string; value: string }
  /** RE2, matching somewhere in the value. */
  | { test: 'matches'; column: string; pattern: string }
  | { test: 'contains'; column: string; text: string }
  | { test: 'atLeast'; column: string; value: number }

/** Absent values take no part; with none present min, max, mean and quantile are null. */
export type Aggregate =
  | { fn: 'count' }
  | { fn: 'countWhere'; where: Predicate }
  | { fn: 'min' | 'max' | 'mean'; column: string }
  /** The value at rank ceil(percent / 100 * n); rank error at most 0.5 percentage points, exact up to 100 values. */
  | { fn: 'quantile'; column: string; percent: number }

export type Operator =
  | ({ op: 'scan'; source: SourceName } & TimeRange)
  | { op: 'filter'; predicates: readonly Predicate[] }
  | { op: 'truncate'; column: 'timestamp'; unit: BucketUnit; as: 'microseconds' | 'datetime' }
  | { op: 'group'; by: 'timestamp' }
  | { op: 'aggregate'; columns: Readonly<Record<string, Aggregate>> }
  | { op: 'select'; columns: readonly string[] }
  | { op: 'orderBy'; column: 'timestamp'; direction: 'asc' | 'desc' }
  | { op: 'limit'; rows: number }

export const equals = (column: string, value: string): Predicate => ({ test: 'equals', column, value })
export const matches = (column: string, pattern: string): Predicate => ({ test: 'matches', column, pattern })
export const contains = (column: string, text: string): Predicate => ({ test: 'contains', column, text })
export const atLeast = (column: string, value: number): Predicate => ({ test: 'atLeast', column, value })
/** `equals`, or no predicate at all where the value is undefined. */
export const optional = (column: string, value: string | undefined): Predicate | undefined =>
  value === undefined ? undefined : equals(column, value)

export const count = (): Aggregate => ({ fn: 'count' })
export const countWhere = (where: Predicate): Aggregate => ({ fn: 'countWhere', where })
export const min = (column: string): Aggregate => ({ fn: 'min', column })
export const max = (column: string): Aggregate => ({ fn: 'max', column })
export const mean = (column: string): Aggregate => ({ fn: 'mean', column })
export const quantile = (column: string, percent: number): Aggregate => ({ fn: 'quantile', column, percent })

/** The plan that has no rows. */
export const nothing = (): Plan => []

/** Builds a plan one operator at a time; `limit` ends it. */
export class PlanBuilder {
  readonly #operators: readonly Operator[]

  constructor(operators: readonly Operator[]) {
    this.#operators = operators
  }

  #with(operator: Operator): PlanBuilder {
    return new PlanBuilder([...this.#operators, operator])
  }

  /** Keeps the rows that pass every predicate; an undefined one is passed over. */
  filter(...predicates: readonly (Predicate | undefined)[]): PlanBuilder {
    return this.#with({ op: 'filter', predicates: predicates.filter((p) => p !== undefined) })
  }

  /** Cuts `column` down to the start of its bucket, in UTC. */
  truncate(column: 'timestamp', unit: BucketUnit, as: 'microseconds' | 'datetime' = 'microseconds'): PlanBuilder {
    return this.#with({ op: 'truncate', column, unit, as })
  }

  group(by: 'timestamp'): PlanBuilder {
    return this.#with({ op: 'group', by })
  }

  aggregate(columns: Readonly<Record<string, Aggregate>>): PlanBuilder {
    return this.#with({ op: 'aggregate', columns })
  }

  select(...columns: readonly string[]): PlanBuilder {
    return this.#with({ op: 'select', columns })
  }

  /** Descending order breaks ties by arrival, the latest first. */
  orderBy(column: 'timestamp', direction: 'asc' | 'desc' = 'asc'): PlanBuilder {
    return this.#with({ op: 'orderBy', column, direction })
  }

  limit(rows: number): Plan {
    return [...this.#operators, { op: 'limit', rows }]
  }
}

/** Starts a plan: the rows of `source` whose timestamp lies in the range. */
export function scan(source: SourceName, range: TimeRange): PlanBuilder {
  return new PlanBuilder([{ op: 'scan', source, fromUs: range.fromUs, throughUs: range.throughUs }])
}

interface ScanShape extends TimeRange {
  source: SourceName
  predicates: readonly Predicate[]
  limit: number
}

/** The newest rows, as they came. */
export interface RowsShape extends ScanShape {
  kind: 'rows'
  columns: readonly string[]
}

/** One row per bucket of time, the oldest first. */
export interface BucketsShape extends ScanShape {
  kind: 'buckets'
  unit: BucketUnit
  as: 'microseconds' | 'datetime'
  aggregates: readonly (readonly [name: string, aggregate: Aggregate])[]
}

const FORMS: Record<string, RowsShape['kind'] | BucketsShape['kind']> = {
  'scan select orderBy limit': 'rows',
  'scan truncate group aggregate orderBy limit': 'buckets',
}

/**
 * Reads a plan into the one shape that an engine runs; undefined for the plan without operators.
 * Throws a TypeError on any other sequence: a plan comes from an endpoint's code, never from a caller.
 */
export function shapeOf(plan: Plan): RowsShape | BucketsShape | undefined {
  if (plan.length === 0) return undefined
  const operators = new Map(plan.map((operator) => [operator.op, operator]))
  const form = plan
    .map(({ op }) => op)
    .filter((op) => op !== 'filter')
    .join(' ')
  const kind = FORMS[form]
  const find = <Op extends Operator['op']>(op: Op) => operators.get(op) as Extract<Operator, { op: Op }>
  const order = kind === 'rows' ? 'desc' : 'asc'
  if (kind === undefined || find('orderBy').direction !== order) {
    throw new TypeError(`This sequence of operators is not a plan that an engine runs: ${form}.`)
  }
  const { source, fromUs, throughUs } = find('scan')
  const predicates = plan.flatMap((operator) => (operator.op === 'filter' ? operator.predicates : []))
  const scanned = { source, fromUs, throughUs, predicates, limit: find('limit').rows }
  if (kind === 'rows') return { kind, ...scanned, columns: find('select').columns }
  const { unit, as } = find('truncate')
  return { kind, ...scanned, unit, as, aggregates: Object.entries(find('aggregate').columns) }
}
