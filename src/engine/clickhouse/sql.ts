import { BUCKET_US } from '../../base/buckets.js'
import { groupingKey } from '../columns.js'
import { GROUPING_LIMITS } from '../engine.js'
import { lowerAggregate } from './aggregates.js'
import { whereOf } from './predicates.js'
import type { BucketsShape, GroupsShape, RowsShape } from './shape.js'
import { quotedTable, type TableLocation } from './table-names.js'
import { textValue } from './values.js'

/** Newest first; rows of equal time by arrival, latest first. */
const NEWEST_FIRST = 'timestamp DESC, arrived DESC, batch DESC, row DESC'

/**
 * Returns the query for the newest rows. The cold columns are long: a subquery finds the oldest time of the answer from
 * the timestamps alone, so that they are read for little more than its rows.
 */
export function rowsQuery(shape: RowsShape, location: TableLocation): string {
  const from = `FROM ${quotedTable(location, shape.source)} WHERE ${whereOf(shape)}`
  const oldest = `SELECT min(timestamp) FROM (SELECT timestamp ${from} ORDER BY timestamp DESC LIMIT ${shape.limit})`
  const newest = `timestamp >= (${oldest}) ORDER BY ${NEWEST_FIRST} LIMIT ${shape.limit}`
  return `SELECT ${shape.columns.join(', ')} ${from} AND ${newest}`
}

/**
 * Returns the query for one row per group: its key, then the values of each aggregate in turn. The key of a
 * bucket is its number since the epoch. If text groups are ordered by a mean, the query returns all of them,
 * in any order, since a mean may need exact sums.
 */
export function groupsQuery(shape: BucketsShape | GroupsShape, location: TableLocation): string {
  const values = shape.aggregates.flatMap(([, aggregate]) => lowerAggregate(aggregate, shape.source).values)
  const selected = [`${keyOf(shape)} AS key`, ...values.map((value, i) => `${value} AS value_${i}`)]
  const from = `FROM ${quotedTable(location, shape.source)} WHERE ${whereOf(shape)}`
  const grouped = `SELECT ${selected.join(', ')} ${from} GROUP BY key`
  if (shape.kind === 'buckets') return `${grouped} ORDER BY key LIMIT ${shape.limit}`
  const end = isOrderedByMean(shape) ? '' : ` ORDER BY ${orderOf(shape)} LIMIT ${shape.limit}`
  const settings = `max_rows_to_group_by = ${GROUPING_LIMITS.groups}, group_by_overflow_mode = 'throw'`
  return `${grouped}${end} SETTINGS ${settings}`
}

/** Whether groups are ordered by a mean: the server then cannot sort them exactly. */
export function isOrderedByMean({ aggregates, orderBy }: GroupsShape): boolean {
  return aggregates.some(([name, { fn }]) => name === orderBy && fn === 'mean')
}

function orderOf({ source, by, aggregates, orderBy, direction }: GroupsShape): string {
  if (orderBy === by) return `key ${direction.toUpperCase()} NULLS LAST`
  const place = aggregates.findIndex(([name]) => name === orderBy)
  const before = aggregates.slice(0, place).flatMap(([, aggregate]) => lowerAggregate(aggregate, source).values)
  return `value_${before.length} ${direction.toUpperCase()} NULLS LAST, key ASC NULLS LAST`
}

/**
 * Returns the query for the sums of a column's values without rounding: one row per group and exponent of the doubles,
 * with the sums of the upper and the lower halves of the mantissas, and their number.
 */
export function exactSumsQuery(shape: BucketsShape | GroupsShape, column: string, location: TableLocation): string {
  const bits = `reinterpretAsUInt64(reinterpretAsString(assumeNotNull(${column})))`
  const parts = [
    `${keyOf(shape)} AS key`,
    `${bits} AS bits`,
    'bitAnd(bitShiftRight(bits, 52), toUInt64(2047)) AS exponent',
    'bitOr(bitAnd(bits, toUInt64(4503599627370495)), ' +
      'if(exponent = 0, toUInt64(0), toUInt64(4503599627370496))) AS mantissa',
    'if(bits >= toUInt64(9223372036854775808), toInt64(-1), toInt64(1)) AS sign',
  ]
  const where = `${whereOf(shape)} AND isNotNull(${column})`
  return (
    'SELECT key, exponent, sum(sign * toInt64(bitShiftRight(mantissa, 26))), ' +
    'sum(sign * toInt64(bitAnd(mantissa, toUInt64(67108863)))), count() ' +
    `FROM (SELECT ${parts.join(', ')} FROM ${quotedTable(location, shape.source)} WHERE ${where}) ` +
    'GROUP BY key, exponent'
  )
}

/**
 * Matches the path of a URL. The second alternative, which matches nothing, prevents ClickHouse's search for a required
 * literal (see `clickHousePattern` in predicates.ts).
 */
const PATH = '^(?:[^?#]*?://)?[^/?#]*([^?#]*)|[^\\x00-\\x{10FFFF}]'

function keyOf(shape: BucketsShape | GroupsShape): string {
  if (shape.kind === 'buckets') return bucketOf(shape)
  const { column, part, hasEmptyTexts } = groupingKey(shape.source, shape.by)
  if (part === 'path') return `extract(${column}, ${textValue(PATH)})`
  return hasEmptyTexts ? column : `nullIf(${column}, ${textValue('')})`
}

/** Division that rounds down, also before 1970. */
function bucketOf({ unit }: Pick<BucketsShape, 'unit'>): string {
  const us = `toInt64(${BUCKET_US[unit]})`
  return `intDiv(timestamp - if(timestamp < 0, ${us} - 1, 0), ${us})`
}
