/** Makes the series of the histogram from rows. */
import type { HistogramRow } from '../../api/explore.js'
import type { Axis } from '../../plot/buckets.js'
import { classCounts } from '../../plot/class-counts.js'
import { bySeverity, severityOf } from '../../record/severity.js'
import type { Bounds } from '../../shared/range.js'

/** The histogram as a chart: a series per class, the most severe first, which is at the bottom. */
export interface HistogramData {
  axis: Axis
  series: readonly { label: string; color: string }[]
  /** For each series, a count per bucket. */
  values: readonly Float64Array[]
  nowS: number
}

/** Returns the chart of rows over a range, or undefined for no rows. `bounds` without an end last until now. */
export function histogramOf(rows: readonly HistogramRow[], bounds: Bounds, nowUs: number): HistogramData | undefined {
  const found = classCounts(rows, bounds, nowUs, (name) => name)
  if (found === undefined) return undefined
  const { axis, counts } = found
  const classes = [...counts.keys()].sort(bySeverity)
  // Some sources have neither a status nor a level.
  const without = classes.length === 1 ? 'rows' : 'without'
  return {
    axis,
    series: classes.map((name) => ({ label: name ?? without, color: `severity-${severityOf(name)}` })),
    values: classes.map((name) => counts.get(name)!),
    nowS: nowUs / 1e6,
  }
}
