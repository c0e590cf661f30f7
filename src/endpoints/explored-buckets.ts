import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../base/units.js'
import { fn } from '../plan/calls.js'
import { literal } from '../plan/expression.js'
import type { TimeRange } from '../plan/plan.js'
import { sql } from './endpoint.js'
import { type ExploreArgs, exploredRange, exploredRows } from './explore-params.js'

/** A range has at most 120 buckets up to now, and any number of later buckets. */
export const MAX_BUCKET_ROWS = 10_000

const MOST_BUCKETS = 120

/** Widths of buckets up to a day. Longer widths are two days, four days, and so on. */
const WIDTHS_US = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_US),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_US),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_US),
]

/** Returns the smallest width of which a range has at most 120 buckets. A range without an end ends now. */
function widthOfBuckets({ fromUs, throughUs }: TimeRange, nowUs: number): number {
  const lastUs = Math.max(fromUs, Number.isFinite(throughUs) ? throughUs : nowUs)
  const isWide = (widthUs: number) => Math.floor(lastUs / widthUs) - Math.floor(fromUs / widthUs) < MOST_BUCKETS
  const known = WIDTHS_US.find(isWide)
  if (known !== undefined) return known
  let widthUs = DAY_US
  while (!isWide(widthUs)) widthUs *= 2
  return widthUs
}

/** The first columns of the rows of buckets, in stored SQL. */
export const BUCKET_SQL = sql`
  -- the start of the bucket, whose width follows from @start and @end
  timestamp_micros(unix_micros(timestamp) - mod(unix_micros(timestamp), bucket_us)) as timestamp,
  bucket_us,
`

/** Returns the rows of a request, the start of the bucket of each row, and the width of all buckets. */
export function exploredBuckets(args: ExploreArgs, nowUs: number) {
  const range = exploredRange(args, nowUs)
  const widthUs = widthOfBuckets(range, nowUs)
  return {
    rows: exploredRows(args, nowUs, range),
    timestamp: fn.timestamp_bucket('timestamp', widthUs),
    bucket_us: literal(widthUs),
  }
}
