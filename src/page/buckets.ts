import type { Window } from './intervals.js'

/** Contiguous time buckets. */
export interface Axis {
  /** Start of the first bucket, in seconds since 1970. */
  firstS: number
  bucketS: number
  count: number
}

/**
 * Returns an axis that contains all buckets of an answer and at least its window: endpoints omit empty buckets.
 * `timesUs` are ascending and not empty.
 */
export function axisOf(timesUs: Float64Array, { windowS, bucketS }: Window, nowS: number): Axis {
  const floor = (seconds: number) => Math.floor(seconds / bucketS) * bucketS
  const [firstRowS, lastRowS] = [timesUs[0]! / 1e6, timesUs.at(-1)! / 1e6]
  // The clocks of the service and of this machine may differ. If they differ widely, use only the service's times.
  const isNear = Math.abs(nowS - lastRowS) <= windowS
  const endS = isNear ? Math.max(nowS, lastRowS) : lastRowS
  const firstS = Math.min(floor(endS - windowS), firstRowS)
  return { firstS, bucketS, count: Math.round((floor(endS) - firstS) / bucketS) + 1 }
}

/**
 * Returns one value per bucket: `values[row]` at the bucket of `timesUs[row]`, and `without` in buckets without a row.
 */
export function onAxis(
  { firstS, bucketS, count }: Axis,
  timesUs: Float64Array,
  values: Float64Array,
  without: number,
): Float64Array {
  const placed = new Float64Array(count).fill(without)
  for (let row = 0; row < values.length; row++)
    placed[Math.round((timesUs[row]! / 1e6 - firstS) / bucketS)] = values[row]!
  return placed
}
