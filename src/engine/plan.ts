import type { SourceName } from '../sources.js'

/**
 * A plan is plain data: a list of operators over one source, built by an endpoint, run by an engine.
 * The empty list is the plan that has no rows.
 *
 * Engines run three shapes, which {@link shapeOf} distinguishes:
 *   rows     scan, filter*, select, orderBy timestamp desc, limit
 *   buckets  scan, filter*, truncate, group timestamp, aggregate, orderBy timestamp asc, limit
 *   groups   scan, filter*, group a column of texts, aggregate, orderBy that column or an aggregate, limit
 */
export type Plan = readonly Operator[]

/** The length of a time bucket. Buckets are aligned to UTC. */
export type BucketUnit = 'second' | 'minute' | 'hour' | 'day'

/** Ascending or descending. Nulls come last in both. */
export type Direction = 'asc' | 'desc'

/** Both ends included, microseconds since the epoch. `from` above `through` is an empty range. */
export interface TimeRange {
  fromUs: number
  throughUs: number
}

/** A test of one column of a row. An absent value passes no test. */
export type Predicate =
  | { test: 'equals'; column: string; value: string }
  /** RE2, matching somewhere in the value. */
  | { test: 'matches'; column: string; pattern: string }
  | { test: 'contains'; column: string; text: string }
  | { test: 'atLeast'; column: string; value: number }

/** An aggregate ignores absent values. If none is present, min, max, mean and quantile are null. */
export type Aggregate =
  | { fn: 'count' }
  | { fn: 'countWhere'; where: Predicate }
  /** The fraction of the rows that pass, from 0 to 1. */
  | { fn: 'share'; where: Predicate }
  | { fn: 'min' | 'max' | 'mean'; column: string }
  /** The value at rank ceil(percent / 100 * n); rank error at most 0.5 percentage points, exact up to 100 values. */
  | { fn: 'quantile'; column: string; percent: number }

/** One step of a plan. {@link PlanBuilder} documents each. */
export type Operator =
  | ({ op: 'scan'; source: SourceName } & TimeRange)
  | { op: 'filter'; predicates: readonly Predicate[] }
  | { op: 'truncate'; column: 'timestamp'; unit: BucketUnit; as: 'microseconds' | 'datetime' }
  | { op: 'group'; by: string }
  | { op: 'aggregate'; columns: Readonly<Record<string, Aggregate>> }
  | { op: 'select'; columns: readonly string[] }
  | { op: 'orderBy'; column: string; direction: Direction }
  | { op: 'limit'; rows: number }

/** Passes if the text is exactly `value`. For the project and category columns. */
export const equals = (column: string, value: string): Predicate => ({ test: 'equals', column, value })
/** Passes if the RE2 pattern matches somewhere in the text. For category and text columns. */
export const matches = (column: string, pattern: string): Predicate => ({ test: 'matches', column, pattern })
/** Passes if the text has the substring; of an areas column, one of `AREAS`. */
export const contains = (column: string, text: string): Predicate => ({ test: 'contains', column, text })
/** Passes if the number is at least `value`. */
export const atLeast = (column: string, value: number): Predicate => ({ test: 'atLeast', column, value })
/** Returns `equals`, or undefined (no predicate) if the value is undefined. */
export const optional = (column: string, value: string | undefined): Predicate | undefined =>
  value === undefined ? undefined : equals(column, value)

/** The number of rows. */
export const count = (): Aggregate => ({ fn: 'count' })
/** The number of rows that pass. Engines count by `atLeast` and, on areas columns, by `contains`. */
export const countWhere = (where: Predicate): Aggregate => ({ fn: 'countWhere', where })
/** The fraction of the rows that pass, from 0 to 1; the same predicates as {@link countWhere}. */
export const share = (where: Predicate): Aggregate => ({ fn: 'share', where })
/** The least value of a number column; null if no row has one. */
export const min = (column: string): Aggregate => ({ fn: 'min', column })
/** The greatest value of a number column; null if no row has one. */
export const max = (column: string): Aggregate => ({ fn: 'max', column })
/** The arithmetic mean of a number column; null if no row has a value. */
export const mean = (column: string): Aggregate => ({ fn: 'mean', column })
/** The value at rank ceil(percent / 100 * n), null if n is 0; the rank error is at most 0.5 percentage points. */
export const quantile = (column: string, percent: number): Aggregate => ({ fn: 'quantile', column, percent })

/** The plan without rows and columns. To return no rows but keep the columns, use `limit(0)`. */
export const nothing = (): Plan => []

/**
 * Returns the plan restricted to the rows of one project; the empty plan if it tests for another project. The project
 * is tested once and first: engines rely on that.
 */
export function ofProject(plan: Plan, project: string): Plan {
  const [scanned, ...others] = plan
  const isOther = (predicate: Predicate) => testsProject(predicate) && predicate.value !== project
  if (scanned === undefined || plan.some((one) => one.op === 'filter' && one.predicates.some(isOther))) return nothing()
  const rest = others.map((one) => (one.op === 'filter' ? withoutProject(one) : one))
  return [
    scanned,
    { op: 'filter', predicates: [equals('project', project)] },
    ...rest.filter((one) => one !== undefined),
  ]
}

/** Returns the filter without its tests of the project; undefined if no other test remains. */
function withoutProject({ op, predicates }: Operator & { op: 'filter' }): Operator | undefined {
  const others = predicates.filter((predicate) => !testsProject(predicate))
  return others.length === 0 ? undefined : { op, predicates: others }
}

function testsProject(predicate: Predicate): predicate is Predicate & { test: 'equals' } {
  return predicate.test === 'equals' && predicate.column === 'project'
}

/** Builds a plan one operator at a time; `limit` ends it. */
export class PlanBuilder {
  readonly #operators: readonly Operator[]

  constructor(operators: readonly Operator[]) {
    this.#operators = operators
  }

  #with(operator: Operator): PlanBuilder {
    return new PlanBuilder([...this.#operators, operator])
  }

  /** Keeps the rows that pass every predicate; undefined predicates are ignored. */
  filter(...predicates: readonly (Predicate | undefined)[]): PlanBuilder {
    return this.#with({ op: 'filter', predicates: predicates.filter((p) => p !== undefined) })
  }

  /** Cuts `column` down to the start of its bucket, in UTC. */
  truncate(column: 'timestamp', unit: BucketUnit, as: 'microseconds' | 'datetime' = 'microseconds'): PlanBuilder {
    return this.#with({ op: 'truncate', column, unit, as })
  }

  /**
   * Groups by the truncated timestamp or by a hot text column; rows without a text form one group with the
   * key null.
   */
  group(by: string): PlanBuilder {
    return this.#with({ op: 'group', by })
  }

  /** Computes one value per group and column; the keys name the columns of the answer, in order. */
  aggregate(columns: Readonly<Record<string, Aggregate>>): PlanBuilder {
    return this.#with({ op: 'aggregate', columns })
  }

  /** Names the columns of an answer without groups, in order. */
  select(...columns: readonly string[]): PlanBuilder {
    return this.#with({ op: 'select', columns })
  }

  /**
   * Sorts. Rows with equal timestamps are sorted by arrival, the latest first; groups with equal values by
   * key, ascending in the order of its UTF-8 bytes. Nulls are last in both directions.
   */
  orderBy(column: string, direction: Direction = 'asc'): PlanBuilder {
    return this.#with({ op: 'orderBy', column, direction })
  }

  /** Ends the plan: the answer is its first `rows` rows. */
  limit(rows: number): Plan {
    return [...this.#operators, { op: 'limit', rows }]
  }
}

/** Starts a plan over the rows of `source` whose timestamp is in the range. */
export function scan(source: SourceName, range: TimeRange): PlanBuilder {
  return new PlanBuilder([{ op: 'scan', source, fromUs: range.fromUs, throughUs: range.throughUs }])
}

/** The aggregates of an answer, in the order of their columns. */
export type NamedAggregates = readonly (readonly [name: string, aggregate: Aggregate])[]

interface ScanShape extends TimeRange {
  source: SourceName
  predicates: readonly Predicate[]
  limit: number
}

/** The newest rows, without grouping. */
export interface RowsShape extends ScanShape {
  kind: 'rows'
  columns: readonly string[]
}

/** One row per bucket of time, the oldest first. */
export interface BucketsShape extends ScanShape {
  kind: 'buckets'
  unit: BucketUnit
  as: 'microseconds' | 'datetime'
  aggregates: NamedAggregates
}

/** One row per text of a column, ordered by that column or by an aggregate. */
export interface GroupsShape extends ScanShape {
  kind: 'groups'
  /** A hot column of texts. */
  by: string
  aggregates: NamedAggregates
  /** The grouping column or an aggregate. */
  orderBy: string
  direction: Direction
}

/** A validated plan, as an engine runs it. */
export type Shape = RowsShape | BucketsShape | GroupsShape

const FORMS: Record<string, Shape['kind']> = {
  'scan select orderBy limit': 'rows',
  'scan truncate group aggregate orderBy limit': 'buckets',
  'scan group aggregate orderBy limit': 'groups',
}

/**
 * Validates a plan and returns its shape; undefined if it has no rows: no operators, or a limit of 0.
 * Throws a TypeError on any other sequence of operators: plans come from an endpoint's code, never from a client.
 */
export function shapeOf(plan: Plan): Shape | undefined {
  const shape = readShape(plan)
  return shape?.limit === 0 ? undefined : shape
}

function readShape(plan: Plan): Shape | undefined {
  if (plan.length === 0) return undefined
  const operators = new Map(plan.map((operator) => [operator.op, operator]))
  const form = plan.map(({ op }) => op).join(' ')
  const kind = FORMS[form.replace(/^scan( filter)+/, 'scan')]
  if (kind === undefined) throw notRun(form)
  const find = <Op extends Operator['op']>(op: Op) => operators.get(op) as Extract<Operator, { op: Op }>
  const { source, fromUs, throughUs } = find('scan')
  const predicates = plan.flatMap((operator) => (operator.op === 'filter' ? operator.predicates : []))
  const scanned = { source, fromUs, throughUs, predicates, limit: find('limit').rows }
  const { column, direction } = find('orderBy')
  if (kind === 'rows') {
    if (column !== 'timestamp' || direction !== 'desc') throw notRun(`${form}, by ${column} ${direction}`)
    return { kind, ...scanned, columns: find('select').columns }
  }
  const { by } = find('group')
  const aggregates = Object.entries(find('aggregate').columns)
  const names = aggregates.map(([name]) => name)
  if (names.includes(by)) throw new TypeError(`An aggregate is named ${by} as the column that the rows are grouped by.`)
  if (kind === 'groups') {
    if (column !== by && !names.includes(column)) throw new TypeError(`No column ${column} to order the groups by.`)
    return { kind, ...scanned, by, aggregates, orderBy: column, direction }
  }
  if (by !== 'timestamp' || column !== by || direction !== 'asc') {
    throw notRun(`${form}, grouped by ${by}, by ${column} ${direction}`)
  }
  const { unit, as } = find('truncate')
  return { kind, ...scanned, unit, as, aggregates }
}

const notRun = (form: string) => new TypeError(`This sequence of operators is not a plan that an engine runs: ${form}.`)

/** The type of a column's values; any value may also be null. */
export type ColumnKind =
  | 'text'
  /** A JSON text. */
  | 'json'
  /** Whole microseconds since the epoch, UTC. */
  | 'microseconds'
  /** `YYYY-MM-DDTHH:MM:SS`, UTC. */
  | 'datetime'
  /** A whole number from 0. */
  | 'count'
  | 'double'

/** The name and the type of an answer's column. */
export interface AnswerColumn {
  name: string
  kind: ColumnKind
}

const ROWS_KINDS: Readonly<Record<string, ColumnKind>> = { timestamp: 'microseconds', metadata: 'json' }

/** Returns the columns of a plan's answer in order, even if its limit is 0; no columns for the empty plan. */
export function answerColumns(plan: Plan): readonly AnswerColumn[] {
  const shape = readShape(plan)
  if (shape === undefined) return []
  if (shape.kind === 'rows') return shape.columns.map((name) => ({ name, kind: ROWS_KINDS[name] ?? 'text' }))
  const aggregates = shape.aggregates.map(([name, { fn }]) => {
    const kind: ColumnKind = fn === 'count' || fn === 'countWhere' ? 'count' : 'double'
    return { name, kind }
  })
  const key: AnswerColumn =
    shape.kind === 'groups' ? { name: shape.by, kind: 'text' } : { name: 'timestamp', kind: shape.as }
  return [key, ...aggregates]
}
