import { DAY_US } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import type { NamedExpression, SortKey } from '../../../plan/plan.js'
import { type TimeUnit, unitUs } from '../../../plan/values/times.js'
import { CivilDate, Datetime, type Scalar, Timestamp } from '../../../plan/values/values.js'
import { GROUPING_LIMITS, tooManyGroups } from '../../engine.js'
import { computedFrame } from '../../execute/expressions/computed-frame.js'
import type { Frame } from '../../execute/expressions/frame.js'
import type { GroupSink } from '../../execute/grouping/sink.js'
import { type Lowered, lowerAggregate, readerOf } from '../lowering/aggregates.js'
import {
  type Exceptions,
  exceptionsOf,
  isException,
  joinExceptions,
  NO_EXCEPTIONS,
  nullableSql,
  operandOf,
  type Table,
} from '../lowering/operands.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { Cell, SelectOptions, Server } from '../server/clickhouse-server.js'
import { bucketNumber } from '../server/values.js'
import { exactSums } from './exact-sums.js'

/** A key of groups as SQL, and how the value is read. */
interface LoweredKey {
  name: string
  sql: string
  exceptions: Exceptions
  read(cell: Cell): Scalar
}

/** Groups that the server computes. */
export interface LoweredGroup {
  source: SourceName
  keys: readonly LoweredKey[]
  aggregates: readonly (Lowered & { name: string })[]
  /** The rows that the server may put into wrong groups. */
  exceptions: Exceptions
}

/** The first groups of an order, by their own columns. */
export interface FirstGroups {
  order: readonly SortKey[]
  rows: number
}

/**
 * Translates keys and aggregates to SQL. Undefined if ClickHouse has no expression of exactly the meaning of a key or
 * an aggregate. `exceptions` are the exceptions of the filters.
 */
export function lowerGroup(sink: GroupSink, table: Table, exceptions: Exceptions): LoweredGroup | undefined {
  const keys = sink.keys.map((key) => lowerKey(key, table))
  const aggregates = sink.aggregates.map(({ name, value }) => {
    const lowered = lowerAggregate(value, table)
    return lowered && { name, ...lowered }
  })
  if ([...keys, ...aggregates].includes(undefined)) return undefined
  const group = {
    source: table.source,
    keys: keys as LoweredKey[],
    aggregates: aggregates as LoweredGroup['aggregates'],
  }
  const ofParts = [...group.keys, ...group.aggregates].map((part) => part.exceptions)
  return { ...group, exceptions: joinExceptions([exceptions, ...ofParts]) }
}

function lowerKey({ name, value }: NamedExpression, table: Table): LoweredKey | undefined {
  const operand = operandOf(value, table)
  if (operand !== undefined && operand.type !== 'areas') {
    return { name, sql: nullableSql(operand), exceptions: exceptionsOf(operand), read: readerOf(operand) }
  }
  if (value.kind !== 'call') return undefined
  const [time, option] = value.args
  const make = TIMES[value.fn]
  const isOfTime = time !== undefined && operandOf(time, table)?.type === 'timestamp'
  if (make === undefined || !isOfTime || option?.kind !== 'literal') return undefined
  const bucket =
    value.fn === 'timestamp_bucket'
      ? bucketOfWidth(option.value)
      : bucketOfUnit(String(option.value).toLowerCase() as TimeUnit)
  return (
    bucket && { name, sql: bucket.sql, exceptions: NO_EXCEPTIONS, read: (cell) => make(bucket.startUs(Number(cell))) }
  )
}

const TIMES: Readonly<Record<string, (us: number) => Scalar>> = {
  timestamp_trunc: (us) => new Timestamp(us),
  timestamp_bucket: (us) => new Timestamp(us),
  datetime_trunc: (us) => new Datetime(us),
  date_trunc: (us) => new CivilDate(Math.floor(us / DAY_US)),
}

/** 1970-01-01 was a Thursday: the days to the start of that week. */
const DAYS_TO_EPOCH: Partial<Record<TimeUnit, number>> = { week: 4, isoweek: 3 }

/** The number of a moment's bucket as SQL, and the start of a bucket. */
interface LoweredBucket {
  sql: string
  startUs(bucket: number): number
}

function bucketOfWidth(widthUs: Scalar): LoweredBucket | undefined {
  if (typeof widthUs !== 'number' || !Number.isSafeInteger(widthUs) || widthUs <= 0) return undefined
  return { sql: bucketNumber('timestamp', widthUs), startUs: (bucket) => bucket * widthUs }
}

function bucketOfUnit(unit: TimeUnit): LoweredBucket | undefined {
  const lengthUs = unitUs(unit)
  if (lengthUs === undefined) return undefined
  const shiftUs = (DAYS_TO_EPOCH[unit] ?? 0) * DAY_US
  const moment = shiftUs === 0 ? 'timestamp' : `(timestamp + toInt64(${shiftUs}))`
  return { sql: bucketNumber(moment, lengthUs), startUs: (bucket) => bucket * lengthUs - shiftUs }
}

/** The table that a query reads, the condition, and the cancellation. */
export interface GroupContext extends Pick<SelectOptions, 'signal' | 'onRead'> {
  server: Server
  location: TableLocation
  where: string
}

/**
 * Computes groups on the server. Undefined if there is an exception among the rows, so that the server
 * cannot tell all groups. Throws `too_many_groups` beyond the limit: exactly, unlike the server's own limit, which
 * counts by thread and shard. Rejects with a ServerError.
 */
export async function queryGroups(
  group: LoweredGroup,
  first: FirstGroups | undefined,
  context: GroupContext,
): Promise<Frame | undefined> {
  const { server, location, where, ...options } = context
  let count: number | undefined
  const sql = groupsQuery(group, first, `FROM ${quotedTable(location, group.source)} WHERE ${where}`)
  const onGroups = (groups: number) => {
    count = groups
  }
  const rows = await server.select(sql, { ...options, onGroups })
  if (isException(group.exceptions) !== undefined && rows.some((cells) => Number(cells.at(-1)) > 0)) return undefined
  const isBeyond = (count ?? rows.length) > GROUPING_LIMITS.groups || bytesOf(rows) > GROUPING_LIMITS.bytes
  if (isBeyond) throw tooManyGroups(GROUPING_LIMITS)
  return readGroups(group, rows, context)
}

function bytesOf(rows: readonly (readonly Cell[])[]): number {
  let bytes = 0
  for (const cells of rows) for (const cell of cells) if (typeof cell === 'string') bytes += cell.length
  return bytes
}

/**
 * Returns the query for a row per group: the keys, then the values of each aggregate in turn, then the number of
 * exceptions. Groups with exceptions come first.
 */
function groupsQuery(group: LoweredGroup, first: FirstGroups | undefined, from: string): string {
  const { keys, aggregates } = group
  const exception = isException(group.exceptions)
  const values = aggregates.flatMap(({ values }) => values)
  const columns = [...keys.map(({ sql }, i) => `${sql} AS key_${i}`), ...values.map((sql, i) => `${sql} AS value_${i}`)]
  if (exception !== undefined) columns.push(`countIf(${exception}) AS exceptions`)
  const selected = `SELECT ${columns.length === 0 ? 'count()' : columns.join(', ')} ${from}`
  if (keys.length === 0) return selected
  const grouped = `${selected} GROUP BY ${keys.map((_, i) => `key_${i}`).join(', ')}`
  const order = first && orderOf(group, first.order)
  const before = exception === undefined ? [] : ['exceptions DESC']
  const end = order === undefined ? '' : ` ORDER BY ${[...before, ...order].join(', ')} LIMIT ${first!.rows}`
  const settings = `max_rows_to_group_by = ${GROUPING_LIMITS.groups}, group_by_overflow_mode = 'throw'`
  return `${grouped}${end} SETTINGS ${settings}`
}

/** The order of groups as SQL. Undefined if the server cannot sort by a column of the order. */
function orderOf({ keys, aggregates }: LoweredGroup, order: readonly SortKey[]): string[] | undefined {
  const columns = new Map<string, string>(keys.map(({ name }, i) => [name, `key_${i}`]))
  let value = 0
  for (const { name, values, summed } of aggregates) {
    if (summed === undefined) columns.set(name, `value_${value}`)
    value += values.length
  }
  const sorted = order.map(({ by, direction, nulls }) => {
    const column = by.kind === 'column' ? columns.get(by.name) : undefined
    return column && `${column} ${direction.toUpperCase()} NULLS ${nulls.toUpperCase()}`
  })
  return sorted.length > 0 && sorted.every((key) => key !== undefined) ? sorted : undefined
}

async function readGroups(
  group: LoweredGroup,
  rows: readonly (readonly Cell[])[],
  context: GroupContext,
): Promise<Frame> {
  const { keys, aggregates } = group
  const columns = new Map<string, Scalar[]>()
  for (const [i, { name, read }] of keys.entries())
    columns.set(
      name,
      rows.map((cells) => read(cells[i])),
    )
  let at = keys.length
  for (const { name, values, read, summed } of aggregates) {
    const from = at
    at += values.length
    const found = rows.map((cells) => read(cells.slice(from, from + values.length)))
    if (found.includes(undefined)) await fillSums(found, rows, summed!, group, context)
    columns.set(name, found as Scalar[])
  }
  return computedFrame(rows.length, columns)
}

/** Sets the sums or means that were too inexact, by a second query for the exact sums. */
async function fillSums(
  found: (Scalar | undefined)[],
  rows: readonly (readonly Cell[])[],
  { sql, as }: NonNullable<Lowered['summed']>,
  { keys, source }: LoweredGroup,
  { server, location, where, signal }: GroupContext,
): Promise<void> {
  const query = exactSumsQuery(keys, sql, `FROM ${quotedTable(location, source)} WHERE ${where}`)
  const sums = exactSums(await server.select(query, { signal }), keys.length)
  for (const [i, value] of found.entries()) {
    if (value !== undefined) continue
    const exact = sums.get(JSON.stringify(rows[i].slice(0, keys.length)))?.[as]
    // A sum beyond the range of doubles is null.
    found[i] = exact !== undefined && Number.isFinite(exact) ? exact : null
  }
}

/**
 * Returns the query for the sums of a column's values without rounding. Returns a row per group and exponent of the
 * doubles, with the sums of the upper and the lower halves of the mantissas, and the number of mantissas.
 */
function exactSumsQuery(keys: readonly LoweredKey[], column: string, from: string): string {
  const names = keys.map((_, i) => `key_${i}`)
  const bits = `reinterpretAsUInt64(reinterpretAsString(assumeNotNull(${column})))`
  const parts = [
    ...keys.map(({ sql }, i) => `${sql} AS key_${i}`),
    `${bits} AS bits`,
    'bitAnd(bitShiftRight(bits, 52), toUInt64(2047)) AS exponent',
    'bitOr(bitAnd(bits, toUInt64(4503599627370495)), ' +
      'if(exponent = 0, toUInt64(0), toUInt64(4503599627370496))) AS mantissa',
    'if(bits >= toUInt64(9223372036854775808), toInt64(-1), toInt64(1)) AS sign',
  ]
  return (
    `SELECT ${[...names, 'exponent'].join(', ')}, sum(sign * toInt64(bitShiftRight(mantissa, 26))), ` +
    'sum(sign * toInt64(bitAnd(mantissa, toUInt64(67108863)))), count() ' +
    `FROM (SELECT ${parts.join(', ')} ${from} AND isNotNull(${column})) GROUP BY ${[...names, 'exponent'].join(', ')}`
  )
}
