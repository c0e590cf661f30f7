import type { Bounds } from '../shared/range.js'

/** The times of a chart: contiguous buckets, or single times. */
export interface Axis {
  /** Starts of the buckets, or the single times, ascending, in seconds since 1970. */
  timesS: Float64Array
  /** Length of a bucket, or of the shortest bucket if buckets are months. 0 for single times. */
  bucketS: number
}

const DAY_S = 86_400

/**
 * Returns an axis of the buckets of a range, and of the buckets of rows outside of the range: rows may be ahead of this
 * machine's clock. A range without an end lasts until now. `timesUs` are the starts of the rows' buckets, ascending and
 * not empty, and multiples of `widthUs`.
 */
export function axisOver(timesUs: ArrayLike<number>, widthUs: number, { fromUs, toUs }: Bounds, nowUs: number): Axis {
  const floor = (us: number) => Math.floor(us / widthUs) * widthUs
  const lastUs = Math.max(floor(toUs === undefined ? nowUs : toUs - 1), timesUs[timesUs.length - 1])
  const firstUs = Math.min(floor(fromUs), timesUs[0])
  return contiguous(firstUs / 1e6, widthUs / 1e6, Math.round((lastUs - firstUs) / widthUs) + 1)
}

function contiguous(firstS: number, bucketS: number, count: number): Axis {
  const timesS = new Float64Array(count)
  for (let i = 0; i < count; i++) timesS[i] = firstS + i * bucketS
  return { timesS, bucketS }
}

/** Maximum of buckets that an axis is filled up to. An answer with more buckets has single times. */
const MAX_BUCKETS = 100_000

/**
 * Returns an axis from the first to the last of the times, ascending and at least two different times. The buckets are
 * as long as possible: months if all times start a month, else a whole number of seconds, from a whole second on. If no
 * such buckets hold the times, or too many, the axis has only the times themselves.
 */
export function axisThrough(timesUs: Float64Array): Axis {
  const timesS = Float64Array.from(new Set(timesUs), (us) => us / 1e6)
  const [firstS, lastS] = [timesS[0], timesS.at(-1)!]
  const months = timesS.map(monthOf)
  if (timesS.every((seconds, i) => startOfMonthS(months[i]) === seconds)) return monthly(months)
  // In microseconds, which are whole numbers.
  const stepS = timesUs.reduce((step, us) => commonDivisor(step, us - timesUs[0]), 0) / 1e6
  const count = Math.round((lastS - firstS) / stepS) + 1
  const isWhole = Number.isInteger(firstS) && Number.isInteger(stepS)
  return isWhole && count <= MAX_BUCKETS ? contiguous(firstS, stepS, count) : { timesS, bucketS: 0 }
}

/** Months are numbered from January 1970. */
function monthOf(seconds: number): number {
  const date = new Date(seconds * 1_000)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

const startOfMonthS = (month: number) => Date.UTC(1970, month) / 1_000

function monthly(months: Float64Array): Axis {
  const [first, last] = [months[0], months.at(-1)!]
  const step = months.reduce((step, month) => commonDivisor(step, month - first), 0)
  const length = (last - first) / step + 1
  return {
    timesS: Float64Array.from({ length }, (_, i) => startOfMonthS(first + i * step)),
    bucketS: step * 28 * DAY_S,
  }
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/** Returns the position on the axis of the last time that is not after `seconds`, or -1 if all times are later. */
export function positionAt({ timesS }: Axis, seconds: number): number {
  let [from, to] = [0, timesS.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (timesS[middle] <= seconds) from = middle + 1
    else to = middle
  }
  return from - 1
}

/** Returns the position on the axis of each time. The times are ascending and not before the axis. */
export function positionsOn({ timesS }: Axis, timesUs: Float64Array): Int32Array {
  const positions = new Int32Array(timesUs.length)
  let position = 0
  for (let row = 0; row < timesUs.length; row++) {
    while (timesS[position + 1] <= timesUs[row] / 1e6) position++
    positions[row] = position
  }
  return positions
}

/** Returns a value per position of the axis: `values[row]` at `positions[row]`, and `without` if there is no row. */
export function onAxis({ timesS }: Axis, positions: Int32Array, values: Float64Array, without: number): Float64Array {
  const placed = new Float64Array(timesS.length).fill(without)
  for (let row = 0; row < values.length; row++) placed[positions[row]] = values[row]
  return placed
}
