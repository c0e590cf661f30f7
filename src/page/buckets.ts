import type { Window } from './intervals.js'

/** Buckets of time that follow each other without gaps. */
export interface Axis {
  /** Where the first begins. */
  firstS: number
  bucketS: number
  count: number
}

/**
 * The axis on which the buckets of an answer lie, at least as long as its window: the endpoints leave out buckets with
 * nothing in them. `timesUs` are ascending and one or more.
 */
export function axisOf(timesUs: Float64Array, { windowS, bucketS }: Window, nowS: number): Axis {
  const floor = (seconds: number) => Math.floor(seconds / bucketS) * bucketS
  const [firstRowS, lastRowS] = [timesUs[0]! / 1e6, timesUs.at(-1)! / 1e6]
  // The clock of the service is not that of this machine: where they are far apart, only that of the service counts.
  const isNear = Math.abs(nowS - lastRowS) <= windowS
  const endS = isNear ? Math.max(nowS, lastRowS) : lastRowS
  const firstS = Math.min(floor(endS - windowS), firstRowS)
  return { firstS, bucketS, count: Math.round((floor(endS) - firstS) / bucketS) + 1 }
}

/** Values, one a row, put where the buckets of their rows are; `without` where there is no row. */
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
