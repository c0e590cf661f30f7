import type { Moment } from '../../base/time/moment.js'
import { conjunctsOf, type Expression, joinConditions } from '../../plan/expression.js'
import type { NamedExpression, Operator, Plan, Scan, TimeRange, View } from '../../plan/plan.js'
import { addUnits, type TimeUnit, truncateUs } from '../../plan/values/times.js'
import { momentUs } from '../../plan/values/values.js'

/**
 * A column that is the timestamp of stored rows, or the start of the bucket of groups of views, whole or truncated to a
 * unit, in some or all scans and views of a plan.
 */
interface TimeColumn {
  places: readonly { range: TimeRange; unit: TimeUnit | undefined }[]
  /** Whether every row of the plan comes from the scans of `places`. */
  isWhole: boolean
}

type TimeColumns = ReadonlyMap<string, TimeColumn>

/** A part of a plan. Later operators may still narrow the scans. */
interface Narrowed {
  /** Make the operators, when all of the plan has been seen. */
  operators: (() => Operator)[]
  columns: TimeColumns
  /** The columns by place, for unions. */
  names: readonly string[]
}

/**
 * Moves conditions on the timestamp into the scans and views of a plan, so that other days are not read: comparisons of
 * the column, or of the column truncated to a unit, with a literal. Conditions behind a limit remain.
 */
export function withTimeRanges(plan: Plan): Plan {
  return madeOf(narrow(plan))
}

const madeOf = ({ operators }: Narrowed): Plan => operators.map((make) => make())

function narrow(plan: Plan): Narrowed {
  const operators: Narrowed['operators'] = []
  let columns: TimeColumns = new Map()
  let names: readonly string[] = []
  for (const operator of plan) {
    const step = narrowStep(operator, columns)
    operators.push(...(step.operators ?? [() => operator]))
    columns = step.columns ?? columns
    names = step.names ?? names
  }
  return { operators, columns, names }
}

/** Returns the columns behind an operator. The operator itself is kept unless `operators` is set. */
function narrowStep(operator: Operator, columns: TimeColumns): Partial<Narrowed> {
  switch (operator.op) {
    case 'scan':
      return ranged(operator, 'timestamp')
    case 'view':
      return ranged(operator, operator.view.bucket)
    case 'union':
      return united(operator.plans)
    case 'filter':
      return { operators: filtered(operator.where, columns) }
    case 'extend':
      return { columns: extended(operator.columns, columns) }
    case 'select':
      return chosen(operator.columns, columns)
    case 'group':
      return chosen(operator.keys, columns)
    case 'isIn': {
      const inner = narrow(operator.plan)
      return { operators: [() => ({ ...operator, plan: madeOf(inner) })] }
    }
    case 'limit':
      return { columns: new Map() }
    default:
      return {}
  }
}

/** The rows of a range of time, which a column has. */
function ranged(read: Scan | View, time: string): Partial<Narrowed> {
  const range: TimeRange = { fromUs: read.fromUs, throughUs: read.throughUs }
  const columns = new Map([[time, { places: [{ range, unit: undefined }], isWhole: true }]])
  return { operators: [() => ({ ...read, ...range })], columns }
}

function united(plans: readonly Plan[]): Narrowed {
  const parts = plans.map(narrow)
  const [first] = parts
  const names = first?.names ?? []
  const columns = new Map<string, TimeColumn>()
  for (const [i, name] of names.entries()) {
    const found = parts.map((part) => part.columns.get(part.names[i] ?? ''))
    const places = found.flatMap((column) => column?.places ?? [])
    if (places.length > 0) columns.set(name, { places, isWhole: found.every((column) => column?.isWhole === true) })
  }
  const union = (): Operator => ({ op: 'union', plans: parts.map(madeOf) })
  return { operators: [union], columns, names }
}

/** A column that replaces an existing column is a time only if the new expression is a time. */
function extended(added: readonly NamedExpression[], columns: TimeColumns): TimeColumns {
  const all = new Map(columns)
  for (const { name } of added) all.delete(name)
  return new Map([...all, ...timeColumns(added, columns)])
}

function chosen(columns: readonly NamedExpression[], before: TimeColumns): Pick<Narrowed, 'columns' | 'names'> {
  return { columns: new Map(timeColumns(columns, before)), names: columns.map(({ name }) => name) }
}

function timeColumns(columns: readonly NamedExpression[], before: TimeColumns): [string, TimeColumn][] {
  return columns.flatMap(({ name, value }) => {
    const column = timeColumn(value, before)
    return column === undefined ? [] : [[name, column] as [string, TimeColumn]]
  })
}

const TRUNCATIONS: ReadonlySet<string> = new Set(['timestamp_trunc', 'datetime_trunc', 'date_trunc'])
const CASTS: ReadonlySet<string> = new Set([
  'cast_timestamp',
  'cast_datetime',
  'safe_cast_timestamp',
  'safe_cast_datetime',
])

/** The time column that an expression is, or undefined. */
function timeColumn(expression: Expression, columns: TimeColumns): TimeColumn | undefined {
  if (expression.kind === 'column') return columns.get(expression.name)
  if (expression.kind === 'literal') return undefined
  const { fn, args } = expression
  const inner = args[0] && timeColumn(args[0], columns)
  if (inner === undefined || CASTS.has(fn)) return inner
  const [, unit] = args
  if (fn === 'cast_date') return truncated(inner, 'day')
  if (!TRUNCATIONS.has(fn) || unit?.kind !== 'literal') return undefined
  return truncated(inner, unit.value as TimeUnit)
}

function truncated({ places, isWhole }: TimeColumn, unit: TimeUnit): TimeColumn | undefined {
  if (places.some((place) => place.unit !== undefined)) return undefined
  return { places: places.map(({ range }) => ({ range, unit })), isWhole }
}

/** Narrows the scans by the conditions on times, and returns the filter of all other conditions. */
function filtered(where: Expression, columns: TimeColumns): (() => Operator)[] {
  const rest = conjunctsOf(where).filter((condition) => !narrowBy(condition, columns))
  if (rest.length === 0) return []
  return [() => ({ op: 'filter', where: joinConditions('and', rest) })]
}

const MIRRORED: Readonly<Record<string, string>> = { eq: 'eq', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' }

/** Narrows scans by a condition. Returns whether the narrowed scans make the condition redundant. */
function narrowBy(condition: Expression, columns: TimeColumns): boolean {
  if (condition.kind !== 'call' || MIRRORED[condition.fn] === undefined) return false
  const [left, right] = condition.args as [Expression, Expression]
  const [time, other, fn] =
    right.kind === 'literal' ? [left, right, condition.fn] : [right, left, MIRRORED[condition.fn]]
  const column = timeColumn(time, columns)
  const us = other.kind === 'literal' && other.value !== null ? momentUs(other.value) : undefined
  if (column === undefined || us === undefined) return false
  for (const { range, unit } of column.places) {
    const { fromUs, throughUs } = rangeOf(fn, us, unit)
    range.fromUs = Math.max(range.fromUs, fromUs)
    range.throughUs = Math.min(range.throughUs, throughUs)
  }
  return column.isWhole
}

/**
 * The timestamps t for which `fn(truncate(t, unit), moment)` is true, or `fn(t, moment)` without a unit. Bounds beyond
 * 2^53 are rounded, since no row has a time beyond 2^53.
 */
function rangeOf(fn: string, moment: Moment, unit: TimeUnit | undefined): TimeRange {
  const start = unit === undefined ? moment : truncateUs(moment, unit)
  const isStart = start === moment
  const [fromUs, throughUs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  const us = Number(start)
  const nextUs = unit === undefined ? us + 1 : Number(addUnits(start, 1, unit) ?? throughUs)
  switch (fn) {
    case 'ge':
      return { fromUs: isStart ? us : nextUs, throughUs }
    case 'gt':
      return { fromUs: nextUs, throughUs }
    case 'le':
      return { fromUs, throughUs: nextUs - 1 }
    case 'lt':
      return { fromUs, throughUs: (isStart ? us : nextUs) - 1 }
    default:
      return isStart ? { fromUs: us, throughUs: nextUs - 1 } : { fromUs: throughUs, throughUs: fromUs }
  }
}
