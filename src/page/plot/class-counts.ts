/** Makes series of counts over time. */
import type { HistogramRow } from '../api/explore.js'
import type { Bounds } from '../shared/range.js'
import { type Axis, axisOver } from './buckets.js'

/** Counts of rows per bucket of an axis, by name. */
export interface ClassCounts<Name> {
  axis: Axis
  counts: ReadonlyMap<Name, Float64Array>
}

/**
 * Returns the counts of rows over a range, by the name that `nameOf` returns for their class, or undefined if there are
 * no rows.
 */
export function classCounts<Name>(
  rows: readonly HistogramRow[],
  bounds: Bounds,
  nowUs: number,
  nameOf: (name: string | null) => Name,
): ClassCounts<Name> | undefined {
  const widthUs = rows[0]?.bucket_us
  if (widthUs === undefined) return undefined
  const times = rows.map(({ timestamp }) => timestamp)
  const axis = axisOver(times, widthUs, bounds, nowUs)
  const counts = new Map<Name, Float64Array>()
  for (const row of rows) {
    const name = nameOf(row.class)
    const values = counts.get(name) ?? new Float64Array(axis.timesS.length)
    values[Math.round((row.timestamp - axis.timesS[0] * 1e6) / widthUs)] += row.count
    counts.set(name, values)
  }
  return { axis, counts }
}
