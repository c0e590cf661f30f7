/** Figures of several processes. */
import { median } from '../process.mjs'

/**
 * Returns the median, the least and the most value per column, of a `Map` of column to results. `figureOf` returns the
 * value of a process, or a list of values.
 */
export function figures(resultsOf, figureOf) {
  return Object.fromEntries(
    [...resultsOf].map(([column, results]) => {
      const values = results.flatMap(figureOf)
      return [column, { median: median(values), least: Math.min(...values), most: Math.max(...values) }]
    }),
  )
}
