/** Chooses the marks that a chart draws: at most one per pixel, the highest bucket of the pixel. */
import { type Axis, positionAt } from './buckets.js'
import { highestOf, sumsOf } from './thin.js'

/** For each series, a value per position of the axis, NaN for no value. */
export interface ChartData {
  axis: Axis
  values: readonly Float64Array[]
  /**
   * When the data was asked for, in seconds since 1970: the bucket of that moment is not over. Undefined: all buckets
   * are over.
   */
  nowS?: number
}

/** Returns data in which hidden series have no bars and no lines. */
export function withoutSeries(data: ChartData, kind: ChartKind, hidden: ReadonlySet<number>): ChartData {
  if (hidden.size === 0) return data
  const none = kind === 'bars' ? 0 : Number.NaN
  return { ...data, values: data.values.map((values, i) => (hidden.has(i) ? values.map(() => none) : values)) }
}

/** Returns the bucket that is not over, or undefined if all buckets are over. */
export function runningBucket({ axis: { timesS, bucketS }, nowS }: ChartData): number | undefined {
  const last = timesS.length - 1
  return nowS !== undefined && bucketS > 0 && last >= 0 && timesS[last] + bucketS > nowS ? last : undefined
}

/** `bars` are stacked, the first series at the bottom. */
export type ChartKind = 'bars' | 'lines'

/** The drawn marks: a mark per `size` buckets in [`from`, `to`), and per series the bucket that each mark shows. */
export interface Marks {
  from: number
  to: number
  size: number
  picked: readonly Int32Array[]
}

/** A range of time in seconds since 1970. */
export type Span = readonly [fromS: number, toS: number]

/** Returns the marks of a range of time, or of the whole axis if undefined, for a chart of that many pixels. */
export function marksOf(data: ChartData, kind: ChartKind, zoomed: Span | undefined, pixels: number): Marks {
  const [from, to] = bucketsOf(data.axis, zoomed)
  const size = Math.ceil((to - from) / Math.max(pixels, 1))
  return { from, to, size, picked: pickedOf(data, kind, from, to, size) }
}

/** Returns the range [from, to) of buckets in a range of time: at least two, because a line has two ends. */
function bucketsOf(axis: Axis, zoomed: Span | undefined): [number, number] {
  const count = axis.timesS.length
  if (zoomed === undefined) return [0, count]
  const [first, last] = zoomed.map((seconds) => positionAt(axis, seconds)) as [number, number]
  const from = Math.max(0, Math.min(first, count - 2))
  return [from, Math.min(Math.max(last + 1, from + 2), count)]
}

function pickedOf(
  { values }: ChartData,
  kind: ChartKind,
  from: number,
  to: number,
  size: number,
): readonly Int32Array[] {
  if (kind === 'lines') return values.map((line) => highestOf(line, from, to, size))
  const picked = highestOf(sumsOf(values, to), from, to, size)
  return values.map(() => picked)
}

/**
 * Returns the times and values of marks, as uPlot takes data. uPlot draws series in order, so bars are stacked here:
 * the top segment first, as high as the sum.
 */
export function alignedOf(
  { axis: { timesS }, values }: ChartData,
  kind: ChartKind,
  { from, size, picked }: Marks,
): [number[], ...(number | null)[][]] {
  const times = Array.from(picked[0], (_, mark) => timesS[from + mark * size])
  const shownAt = (bucket: number, i: number) => {
    const value = values[i][bucket]
    return value === undefined || Number.isNaN(value) ? null : value
  }
  const shown = picked.map((buckets, i) => Array.from(buckets, (bucket) => shownAt(bucket, i)))
  if (kind === 'lines') return [times, ...shown]
  for (let i = 1; i < shown.length; i++) shown[i] = shown[i].map((value, mark) => value! + shown[i - 1][mark]!)
  return [times, ...shown.reverse()]
}
