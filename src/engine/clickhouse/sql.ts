import { BUCKET_US } from '../../base/buckets.js'
import { groupingKey } from '../columns.js'
import { GROUPING_LIMITS } from '../engine.js'
import type { BucketsShape, GroupsShape, RowsShape } from '../plan.js'
import { lowerAggregate } from './aggregates.js'
import { whereOf } from './predicates.js'
import { type TableLocation, tableOf } from './table-names.js'
import { textValue } from './values.js'

/** The newest first; of equal time what arrived last. */
const NEWEST_FIRST = 'timestamp DESC, arrived DESC, batch DESC, row DESC'

/**
 * The newest rows. The cold columns are long: a first look finds how far back the answer goes by times alone, so that
 * they are read for little more than its rows.
 */
export function rowsQuery(shape: RowsShape, location: TableLocation): string {
  const from = `FROM ${tableOf(location, shape.source)} WHERE ${whereOf(shape)}`
  const oldest = `SELECT min(timestamp) FROM (SELECT timestamp ${from} ORDER BY timestamp DESC LIMIT ${shape.limit})`
  return `SELECT ${shape.columns.join(', ')} ${from} AND timestamp >= (${oldest}) ORDER BY ${NEWEST_FIRST} LIMIT ${shape.limit}`
}

/**
 * One row a group: its key, then the values of each aggregate in turn. The key of a bucket is its number since the epoch.
 * Groups of texts that are ordered by a mean come in any order, and all of them: a mean may want exact sums.
 */
export function groupsQuery(shape: BucketsShape | GroupsShape, location: TableLocation): string {
  const values = shape.aggregates.flatMap(([, aggregate]) => lowerAggregate(aggregate, shape.source).values)
  const selected = [`${keyOf(shape)} AS key`, ...values.map((value, i) => `${value} AS value_${i}`)]
  const grouped = `SELECT ${selected.join(', ')} FROM ${tableOf(location, shape.source)} WHERE ${whereOf(shape)} GROUP BY key`
  if (shape.kind === 'buckets') return `${grouped} ORDER BY key LIMIT ${shape.limit}`
  const end = isOrderedByMean(shape) ? '' : ` ORDER BY ${orderOf(shape)} LIMIT ${shape.limit}`
  return `${grouped}${end} SETTINGS max_rows_to_group_by = ${GROUPING_LIMITS.groups}, group_by_overflow_mode = 'throw'`
}

/** Then the server cannot tell the order. */
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
 * The sums of a column's values without any rounding: for each group and each of the doubles' exponents one row, with the
 * sums of the upper and of the lower half of all mantissas, and how many they are.
 */
export function exactSumsQuery(shape: BucketsShape | GroupsShape, column: string, location: TableLocation): string {
  const bits = `reinterpretAsUInt64(reinterpretAsString(assumeNotNull(${column})))`
  const parts = [
    `${keyOf(shape)} AS key`,
    `${bits} AS bits`,
    'bitAnd(bitShiftRight(bits, 52), toUInt64(2047)) AS exponent',
    'bitOr(bitAnd(bits, toUInt64(4503599627370495)), if(exponent = 0, toUInt64(0), toUInt64(4503599627370496))) AS mantissa',
    'if(bits >= toUInt64(9223372036854775808), toInt64(-1), toInt64(1)) AS sign',
  ]
  const where = `${whereOf(shape)} AND isNotNull(${column})`
  return (
    'SELECT key, exponent, sum(sign * toInt64(bitShiftRight(mantissa, 26))), ' +
    'sum(sign * toInt64(bitAnd(mantissa, toUInt64(67108863)))), count() ' +
    `FROM (SELECT ${parts.join(', ')} FROM ${tableOf(location, shape.source)} WHERE ${where}) GROUP BY key, exponent`
  )
}

/**
 * The path in a URL; with the alternative behind it, which matches nothing, ClickHouse looks for no text that it holds to
 * be needed (see `matchOf` of the predicates).
 */
const PATH = '^(?:[^?#]*?://)?[^/?#]*([^?#]*)|[^\\x00-\\x{10FFFF}]'

function keyOf(shape: BucketsShape | GroupsShape): string {
  if (shape.kind === 'buckets') return bucketOf(shape)
  const { column, part, hasEmptyTexts } = groupingKey(shape.source, shape.by)
  if (part === 'path') return `extract(${column}, ${textValue(PATH)})`
  return hasEmptyTexts ? column : `nullIf(${column}, ${textValue('')})`
}

/** Division that rounds down, before 1970 too. */
function bucketOf({ unit }: Pick<BucketsShape, 'unit'>): string {
  const us = `toInt64(${BUCKET_US[unit]})`
  return `intDiv(timestamp - if(timestamp < 0, ${us} - 1, 0), ${us})`
}
