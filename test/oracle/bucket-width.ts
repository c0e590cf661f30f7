import type { Asked } from './explore.js'

const SECOND_US = 1_000_000
const [MINUTE_US, HOUR_US, DAY_US] = [60 * SECOND_US, 3_600 * SECOND_US, 86_400 * SECOND_US]
const WIDTHS_US = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_US),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_US),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_US),
  ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((n) => n * DAY_US),
]

/** The number of buckets from the bucket of one moment to the bucket of another, counted singly. */
function bucketsBetween(firstUs: number, lastUs: number, widthUs: number): number {
  let buckets = 1
  let endUs = Number(BigInt(firstUs) / BigInt(widthUs) + 1n) * widthUs
  for (; endUs <= lastUs && buckets < 1_000; endUs += widthUs) buckets++
  return buckets
}

/** The width of the buckets of a range: the smallest that makes at most 120 buckets. */
export function bucketWidth({ startUs, endUs }: Asked, nowUs: number): number {
  const lastUs = Math.max(startUs, endUs === Number.POSITIVE_INFINITY ? nowUs : endUs - 1)
  return WIDTHS_US.find((one) => bucketsBetween(startUs, lastUs, one) <= 120)!
}
