import { LogweirError } from '../../base/errors.js'
import type { Aggregate as PlanAggregate } from '../../plan/aggregates.js'
import type { BucketUnit } from '../../plan/builder.js'
import { conjunctsOf, type Expression } from '../../plan/expression.js'
import type { Direction, NamedExpression, Operator, Plan, SortKey, TimeRange } from '../../plan/plan.js'
import { schemaOf } from '../../plan/schema.js'
import type { SourceName } from '../../sources.js'
import { AREAS, COLD_COLUMNS, type HotKind, planColumns } from '../columns.js'

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

/** The plans that this engine lowers to SQL; {@link shapeOf} refuses all others. */
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
  while (operators[0]?.op === 'filter') {
    const conditions = conjunctsOf(take(operators, 'filter').where)
    predicates.push(...conditions.map((condition) => predicateOf(condition, source!)))
  }
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
  const columns = take(operators, 'select').columns.map(rowColumn)
  const { keys } = take(operators, 'orderBy')
  const [key] = keys
  const isNewest = keys.length === 1 && columnName(key!.by) === 'timestamp' && key!.direction === 'desc'
  if (!isNewest) throw unsupported('rows that are not ordered by timestamp, the newest first')
  return { kind: 'rows', ...scanned, columns, limit: takeLimit(operators) }
}

const ROW_COLUMNS: readonly string[] = ['timestamp', ...COLD_COLUMNS]

function rowColumn({ name, value }: NamedExpression): string {
  if (columnName(value) !== name) throw unsupported(`the computed column ${name}`)
  if (!ROW_COLUMNS.includes(name)) throw unsupported(`rows with the column ${name}`)
  return name
}

/** How a hot column is stored; undefined for the timestamp and cold columns. */
const kindOf = (name: string, source: SourceName): HotKind | undefined =>
  name === 'project' ? 'category' : planColumns(source).find((column) => column.name === name)?.kind

const columnName = (expression: Expression): string | undefined =>
  expression.kind === 'column' ? expression.name : undefined

function groupedShape(scanned: Scanned, operators: Operator[]): BucketsShape | GroupsShape {
  const bucket = operators[0]?.op === 'extend' ? bucketOf(take(operators, 'extend').columns) : undefined
  const { keys, aggregates } = take(operators, 'group')
  const [key, another] = keys
  if (key === undefined || another !== undefined) throw unsupported(`grouping by ${keys.length} keys`)
  const named = aggregates.map(({ name, value }) => [name, aggregateOf(value, scanned.source)] as const)
  const order = take(operators, 'orderBy').keys
  const shape = { ...scanned, aggregates: named, limit: takeLimit(operators) }
  if (bucket !== undefined) return bucketsShape(shape, bucket, key, order)
  checkKey(key, scanned.source)
  const { orderBy, direction } = groupOrder(order, key.name)
  return { kind: 'groups', ...shape, by: key.name, orderBy, direction }
}

/** Rows are grouped by a column of texts under its own name, or by the path in a URL as `url_path`. */
function checkKey({ name, value }: NamedExpression, source: SourceName): void {
  if (value.kind === 'call') {
    const isPath = name === 'url_path' && value.fn === 'url_path' && columnName(value.args[0]!) === 'url'
    if (!isPath) throw unsupported(`grouping by ${value.fn}, named ${name}`)
    return
  }
  const kind = columnName(value) === name && name !== 'project' ? kindOf(name, source) : undefined
  if (kind !== 'text' && kind !== 'category') throw unsupported(`grouping by ${columnName(value) ?? 'a constant'}`)
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

function predicateOf(condition: Expression, source: SourceName): Predicate {
  const name = condition.kind === 'call' ? condition.fn : condition.kind
  const predicate = condition.kind === 'call' && condition.args.length === 2 ? testOf(condition, source) : undefined
  if (predicate === undefined) throw unsupported(`the condition ${name} with these arguments`)
  return predicate
}

/** A test of a stored column by a constant; undefined if its kind has no such test. */
function testOf({ fn, args }: Expression & { kind: 'call' }, source: SourceName): Predicate | undefined {
  const [left, right] = args as [Expression, Expression]
  const column = columnName(left)
  if (column === undefined || right.kind !== 'literal') return undefined
  const { value } = right
  const kind = kindOf(column, source)
  if (fn === 'ge')
    return kind === 'number' && typeof value === 'number' ? { test: 'atLeast', column, value } : undefined
  if (typeof value !== 'string') return undefined
  const isArea = kind === 'areas' && AREAS.includes(value as (typeof AREAS)[number])
  const isText = kind === 'text' || kind === 'category'
  if (fn === 'contains' && (isText || isArea)) return { test: 'contains', column, text: value }
  if (fn === 'eq' && isText) return { test: 'equals', column, value }
  return fn === 'regexp_contains' && isText ? { test: 'matches', column, pattern: value } : undefined
}

function aggregateOf({ fn, args }: PlanAggregate, source: SourceName): Aggregate {
  const [value, option] = args
  if (fn === 'count' && value === undefined) return { fn }
  if (fn === 'countif') return { fn: 'countWhere', where: predicateOf(value!, source) }
  if (fn === 'share') return { fn, where: predicateOf(value!, source) }
  const column = value && columnName(value)
  if (column !== undefined && kindOf(column, source) === 'number') {
    if (fn === 'min' || fn === 'max') return { fn, column }
    if (fn === 'avg') return { fn: 'mean', column }
    if (fn === 'quantile' && option?.kind === 'literal' && typeof option.value === 'number')
      return { fn, column, percent: option.value }
  }
  throw unsupported(`the aggregate ${fn} with these arguments`)
}
