import { LogweirError } from '../../base/errors.js'
import type { Aggregate as PlanAggregate } from '../../plan/aggregates.js'
import type { BucketUnit } from '../../plan/builder.js'
import { conjunctsOf, type Expression } from '../../plan/expression.js'
import type { Direction, NamedExpression, Operator, Plan, SortKey, TimeRange } from '../../plan/plan.js'
import { schemaOf } from '../../plan/schema.js'
import type { SourceName } from '../../sources.js'

/** A test of one column that this engine lowers to SQL. An absent value passes none. */
export type Predicate =
  | { test: 'equals'; column: string; value: string }
  | { test: 'matches'; column: string; pattern: string }
  | { test: 'contains'; column: string; text: string }
  | { test: 'atLeast'; column: string; value: number }

/** An aggregate that this engine lowers to SQL. */
export type Aggregate =
  | { fn: 'count' }
  | { fn: 'countWhere' | 'share'; where: Predicate }
  | { fn: 'min' | 'max' | 'mean'; column: string }
  | { fn: 'quantile'; column: string; percent: number }

/** Aggregates in the order of their columns. */
export type NamedAggregates = readonly (readonly [name: string, aggregate: Aggregate])[]

interface ScanShape extends TimeRange {
  source: SourceName
  predicates: readonly Predicate[]
  limit: number
}

/** The newest rows. */
export interface RowsShape extends ScanShape {
  kind: 'rows'
  columns: readonly string[]
}

/** One row for each bucket of time, the oldest first. */
export interface BucketsShape extends ScanShape {
  kind: 'buckets'
  unit: BucketUnit
  as: 'microseconds' | 'datetime'
  aggregates: NamedAggregates
}

/** One row for each text of a column, ordered by that column or by an aggregate. */
export interface GroupsShape extends ScanShape {
  kind: 'groups'
  by: string
  aggregates: NamedAggregates
  orderBy: string
  direction: Direction
}

/** What this engine lowers to SQL so far. */
export type Shape = RowsShape | BucketsShape | GroupsShape

const unsupported = (what: string) =>
  new LogweirError(
    'unsupported_by_engine',
    `The engine over ClickHouse cannot run ${what} yet. Ask the embedded engine, or change the query.`,
  )

/**
 * Reads a plan as one of the shapes; undefined if it has no rows: no operators, or a limit of 0. Throws
 * `unsupported_by_engine`, which names the operator or function, on any other plan.
 */
export function shapeOf(plan: Plan): Shape | undefined {
  schemaOf(plan)
  if (plan.length === 0) return undefined
  const operators = [...plan]
  const scan = take(operators, 'scan')
  const [source, other] = scan.sources
  if (other !== undefined) throw unsupported('a scan of several sources')
  const predicates: Predicate[] = []
  while (operators[0]?.op === 'filter')
    predicates.push(...conjunctsOf(take(operators, 'filter').where).map(predicateOf))
  const scanned = { source: source!, fromUs: scan.fromUs, throughUs: scan.throughUs, predicates }
  const shape = operators[0]?.op === 'select' ? rowsShape(scanned, operators) : groupedShape(scanned, operators)
  if (operators.length > 0) throw unsupported(`the operator ${operators[0]!.op} behind limit`)
  return shape.limit === 0 ? undefined : shape
}

/** Takes the next operator, which must be of this kind. */
function take<Op extends Operator['op']>(operators: Operator[], op: Op): Extract<Operator, { op: Op }> {
  const next = operators.shift()
  if (next?.op !== op) throw unsupported(next === undefined ? `a plan without ${op}` : `the operator ${next.op} here`)
  return next as Extract<Operator, { op: Op }>
}

type Scanned = Omit<ScanShape, 'limit'>

function takeLimit(operators: Operator[]): number {
  const { rows, offset } = take(operators, 'limit')
  if (offset > 0) throw unsupported('an offset')
  return rows
}

function rowsShape(scanned: Scanned, operators: Operator[]): RowsShape {
  const columns = take(operators, 'select').columns.map(({ name, value }) => sameColumn(name, value))
  const { keys } = take(operators, 'orderBy')
  const [key] = keys
  const isNewest = keys.length === 1 && columnName(key!.by) === 'timestamp' && key!.direction === 'desc'
  if (!isNewest) throw unsupported('rows that are not ordered by timestamp, the newest first')
  return { kind: 'rows', ...scanned, columns, limit: takeLimit(operators) }
}

function sameColumn(name: string, value: Expression): string {
  if (columnName(value) !== name) throw unsupported(`the computed column ${name}`)
  return name
}

const columnName = (expression: Expression): string | undefined =>
  expression.kind === 'column' ? expression.name : undefined

function groupedShape(scanned: Scanned, operators: Operator[]): BucketsShape | GroupsShape {
  const bucket = operators[0]?.op === 'extend' ? bucketOf(take(operators, 'extend').columns) : undefined
  const { keys, aggregates } = take(operators, 'group')
  const [key, another] = keys
  if (key === undefined || another !== undefined) throw unsupported(`grouping by ${keys.length} keys`)
  const named = aggregates.map(({ name, value }) => [name, aggregateOf(value)] as const)
  const order = take(operators, 'orderBy').keys
  const shape = { ...scanned, aggregates: named, limit: takeLimit(operators) }
  if (bucket !== undefined) return bucketsShape(shape, bucket, key, order)
  const { orderBy, direction } = groupOrder(order, key.name)
  return { kind: 'groups', ...shape, by: key.name, orderBy, direction }
}

type Bucket = Pick<BucketsShape, 'unit' | 'as'>

function bucketOf([column, another]: readonly NamedExpression[]): Bucket {
  const value = column!.value
  const isBucket = another === undefined && column!.name === 'timestamp' && value.kind === 'call'
  if (!isBucket || !/^(?:timestamp|datetime)_trunc$/.test(value.fn))
    throw unsupported(`the computed column ${column!.name}`)
  const [time, unit] = value.args
  const units = ['second', 'minute', 'hour', 'day']
  const isKnown = columnName(time!) === 'timestamp' && unit?.kind === 'literal' && units.includes(unit.value as string)
  if (!isKnown) throw unsupported('buckets of that unit')
  return {
    unit: (unit as { value: BucketUnit }).value,
    as: value.fn === 'datetime_trunc' ? 'datetime' : 'microseconds',
  }
}

function bucketsShape(
  shape: Scanned & { aggregates: NamedAggregates; limit: number },
  bucket: Bucket,
  key: NamedExpression,
  [first]: readonly SortKey[],
): BucketsShape {
  const isByTime = columnName(key.value) === 'timestamp' && key.name === 'timestamp'
  const isAscending = first !== undefined && columnName(first.by) === 'timestamp' && first.direction === 'asc'
  if (!isByTime || !isAscending) throw unsupported('buckets in another order than the oldest first')
  return { kind: 'buckets', ...shape, ...bucket }
}

/** The order of groups: by one column, ties by the key ascending, nulls last. */
function groupOrder([first, ...ties]: readonly SortKey[], by: string): { orderBy: string; direction: Direction } {
  const orderBy = first && columnName(first.by)
  const areTies = ties.every((tie) => columnName(tie.by) === by && tie.direction === 'asc' && tie.nulls === 'last')
  if (orderBy === undefined || first!.nulls !== 'last' || !areTies) throw unsupported('that order of groups')
  return { orderBy, direction: first!.direction }
}

function predicateOf(condition: Expression): Predicate {
  const name = condition.kind === 'call' ? condition.fn : condition.kind
  if (condition.kind === 'call' && condition.args.length === 2) {
    const [left, right] = condition.args as [Expression, Expression]
    const column = columnName(left)
    const value = right.kind === 'literal' ? right.value : undefined
    if (column !== undefined && typeof value === 'string') {
      if (condition.fn === 'eq') return { test: 'equals', column, value }
      if (condition.fn === 'regexp_contains') return { test: 'matches', column, pattern: value }
      if (condition.fn === 'contains') return { test: 'contains', column, text: value }
    }
    if (column !== undefined && condition.fn === 'ge' && typeof value === 'number')
      return { test: 'atLeast', column, value }
  }
  throw unsupported(`the condition ${name} with these arguments`)
}

function aggregateOf({ fn, args }: PlanAggregate): Aggregate {
  const [value, option] = args
  if (fn === 'count' && value === undefined) return { fn }
  if (fn === 'countif') return { fn: 'countWhere', where: predicateOf(value!) }
  if (fn === 'share') return { fn, where: predicateOf(value!) }
  const column = value && columnName(value)
  if (column !== undefined) {
    if (fn === 'min' || fn === 'max') return { fn, column }
    if (fn === 'avg') return { fn: 'mean', column }
    if (fn === 'quantile' && option?.kind === 'literal') return { fn, column, percent: Number(option.value) }
  }
  throw unsupported(`the aggregate ${fn} with these arguments`)
}
