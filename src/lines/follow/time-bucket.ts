import type { GroupSink } from '../../engine/execute/grouping/sink.js'
import type { Expression } from '../../plan/expression.js'
import { addUnits, bucketStartUs, type TimeUnit, truncateUs } from '../../plan/values/times.js'

/** The key of groups that cuts the time of lines to buckets. Times are microseconds since the epoch. */
export interface TimeBucket {
  /** The place of the key among the keys. */
  place: number
  startOf(us: number): number
  /** Returns the end of the bucket that starts at a time. */
  endOf(startUs: number): number
}

/** A time that tells which of two buckets is longer. */
const SAMPLE_US = 0

/** Returns the coarsest of the keys that truncate the timestamp. Undefined if there is none. */
export function timeBucketOf({ keys }: GroupSink): TimeBucket | undefined {
  const buckets = keys.flatMap(({ value }, place) => bucketOf(value, place) ?? [])
  const length = (bucket: TimeBucket) => bucket.endOf(bucket.startOf(SAMPLE_US)) - bucket.startOf(SAMPLE_US)
  return buckets.sort((a, b) => length(b) - length(a))[0]
}

const TRUNCATIONS: ReadonlySet<string> = new Set(['timestamp_trunc', 'datetime_trunc', 'date_trunc'])

function bucketOf(key: Expression, place: number): TimeBucket | undefined {
  if (key.kind !== 'call') return undefined
  const { fn, args } = key
  const [time, option] = args
  if (fn === 'cast_date' && isTime(time)) return ofUnit(place, 'day')
  if (option?.kind !== 'literal' || !isTime(time)) return undefined
  if (fn === 'timestamp_bucket') return ofWidth(place, Number(option.value))
  return TRUNCATIONS.has(fn) ? ofUnit(place, String(option.value).toLowerCase() as TimeUnit) : undefined
}

/** Whether an expression is the timestamp, also as a datetime or a date. */
function isTime(expression: Expression | undefined): boolean {
  if (expression?.kind !== 'call') return false
  const { fn, args } = expression
  return fn === 'known_time' || ((fn === 'cast_datetime' || fn === 'cast_date') && isTime(args[0]))
}

const ofWidth = (place: number, widthUs: number): TimeBucket => ({
  place,
  startOf: (us) => bucketStartUs(us, widthUs),
  endOf: (startUs) => startUs + widthUs,
})

const ofUnit = (place: number, unit: TimeUnit): TimeBucket => ({
  place,
  startOf: (us) => Number(truncateUs(us, unit)),
  endOf: (startUs) => Number(addUnits(startUs, 1, unit) ?? Number.POSITIVE_INFINITY),
})
