/** Makes the series of the histogram from its rows. */
import type { HistogramRow } from '../api/explore.js'
import type { Axis } from '../plot/buckets.js'
import type { Bounds } from './range.js'
import { bySeverity, severityOf } from './severity.js'

/** The histogram as a chart: one series per class, the most severe first, which is at the bottom. */
export interface HistogramData {
  axis: Axis
  series: readonly { label: string; color: string }[]
  /** Per series one count per bucket. */
  values: readonly Float64Array[]
  total: number
}

/** Returns the chart of rows over a range; undefined if there are none. `bounds` without an end last until now. */
export function histogramOf(rows: readonly HistogramRow[], bounds: Bounds, nowUs: number): HistogramData | undefined {
  const widthUs = rows[0]?.bucket_us
  if (widthUs === undefined) return undefined
  const floor = (us: number) => Math.floor(us / widthUs) * widthUs
  // Rows may be ahead of this machine's clock.
  const endUs = Math.max(bounds.toUs === undefined ? nowUs : bounds.toUs - 1, rows.at(-1)!.timestamp)
  const firstUs = Math.min(floor(bounds.fromUs), rows[0]!.timestamp)
  const length = Math.round((floor(endUs) - firstUs) / widthUs) + 1
  const axis = {
    timesS: Float64Array.from({ length }, (_, i) => (firstUs + i * widthUs) / 1e6),
    bucketS: widthUs / 1e6,
  }
  const classes = [...new Set(rows.map((row) => row.class))].sort(bySeverity)
  // Some sources have neither a status nor a level.
  const without = classes.length === 1 ? 'rows' : 'without'
  const values = classes.map(() => new Float64Array(length))
  for (const row of rows)
    values[classes.indexOf(row.class)]![Math.round((row.timestamp - firstUs) / widthUs)] = row.count
  return {
    axis,
    series: classes.map((name) => ({ label: name ?? without, color: `severity-${severityOf(name)}` })),
    values,
    total: rows.reduce((sum, { count }) => sum + count, 0),
  }
}
