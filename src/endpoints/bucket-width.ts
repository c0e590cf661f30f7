import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../base/units.js'
import type { TimeRange } from '../plan/plan.js'

const MOST_BUCKETS = 120

/** Widths of buckets up to a day. Longer ones are two days, four days, and so on. */
const WIDTHS_US = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_US),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_US),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_US),
]

/** Returns the smallest width of which a range has at most 120 buckets; a range without an end ends now. */
export function widthOfBuckets({ fromUs, throughUs }: TimeRange, nowUs: number): number {
  const lastUs = Math.max(fromUs, Number.isFinite(throughUs) ? throughUs : nowUs)
  const isWide = (widthUs: number) => Math.floor(lastUs / widthUs) - Math.floor(fromUs / widthUs) < MOST_BUCKETS
  const known = WIDTHS_US.find(isWide)
  if (known !== undefined) return known
  let widthUs = DAY_US
  while (!isWide(widthUs)) widthUs *= 2
  return widthUs
}
