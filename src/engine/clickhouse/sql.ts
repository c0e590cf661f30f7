import { BUCKET_US } from '../../base/buckets.js'
import type { BucketsShape, RowsShape } from '../plan.js'
import { lowerAggregate } from './aggregates.js'
import { type Layout, tableOf } from './layout.js'
import { whereOf } from './predicates.js'

/** The newest first; of equal time what arrived last. */
const NEWEST_FIRST = 'timestamp DESC, arrived DESC, batch DESC, row DESC'

/**
 * The newest rows. The cold columns are long: a first look finds how far back the answer goes by times alone, so that
 * they are read for little more than its rows.
 */
export function rowsQuery(shape: RowsShape, layout: Layout): string {
  const from = `FROM ${tableOf(layout, shape.source)} WHERE ${whereOf(shape)}`
  const oldest = `SELECT min(timestamp) FROM (SELECT timestamp ${from} ORDER BY timestamp DESC LIMIT ${shape.limit})`
  return `SELECT ${shape.columns.join(', ')} ${from} AND timestamp >= (${oldest}) ORDER BY ${NEWEST_FIRST} LIMIT ${shape.limit}`
}

/** One row a bucket: its number since the epoch, then the values of each aggregate in turn. */
export function bucketsQuery(shape: BucketsShape, layout: Layout): string {
  const values = shape.aggregates.flatMap(([, aggregate]) => lowerAggregate(aggregate, shape.source).values)
  const selected = [`${bucketOf(shape)} AS bucket`, ...values.map((value, i) => `${value} AS value_${i}`)]
  return (
    `SELECT ${selected.join(', ')} FROM ${tableOf(layout, shape.source)} WHERE ${whereOf(shape)} ` +
    `GROUP BY bucket ORDER BY bucket LIMIT ${shape.limit}`
  )
}

/**
 * The sums of a column's values without any rounding: for each bucket and each of the doubles' exponents one row, with the
 * sums of the upper and of the lower half of all mantissas, and how many they are.
 */
export function exactSumsQuery(shape: BucketsShape, column: string, layout: Layout): string {
  const bits = `reinterpretAsUInt64(reinterpretAsString(assumeNotNull(${column})))`
  const parts = [
    `${bucketOf(shape)} AS bucket`,
    `${bits} AS bits`,
    'bitAnd(bitShiftRight(bits, 52), toUInt64(2047)) AS exponent',
    'bitOr(bitAnd(bits, toUInt64(4503599627370495)), if(exponent = 0, toUInt64(0), toUInt64(4503599627370496))) AS mantissa',
    'if(bits >= toUInt64(9223372036854775808), toInt64(-1), toInt64(1)) AS sign',
  ]
  const where = `${whereOf(shape)} AND isNotNull(${column})`
  return (
    'SELECT bucket, exponent, sum(sign * toInt64(bitShiftRight(mantissa, 26))), ' +
    'sum(sign * toInt64(bitAnd(mantissa, toUInt64(67108863)))), count() ' +
    `FROM (SELECT ${parts.join(', ')} FROM ${tableOf(layout, shape.source)} WHERE ${where}) GROUP BY bucket, exponent`
  )
}

/** Division that rounds down, before 1970 too. */
function bucketOf({ unit }: Pick<BucketsShape, 'unit'>): string {
  const us = `toInt64(${BUCKET_US[unit]})`
  return `intDiv(timestamp - if(timestamp < 0, ${us} - 1, 0), ${us})`
}
