import type { Value } from '../../plan/answer.js'
import type { SourceName } from '../../sources.js'
import type { Cell } from './clickhouse-server.js'
import { lowerPredicate } from './predicates.js'
import type { Aggregate } from './shape.js'

/**
 * An aggregate as the SQL expressions that ClickHouse computes for it, and how its value is read from their
 * results.
 */
export interface Lowered {
  values: readonly string[]
  /** Returns undefined if the results are too inexact: a mean then needs the exact sums. */
  read(cells: readonly Cell[]): Value | undefined
}

/**
 * Percentiles are exact: the value at rank ceil(percent / 100 * n), by counts of distinct values. The level
 * is reduced by this margin so that the rounding of the product cannot raise a whole rank to the next one.
 */
const RANK_MARGIN = 1e-12

/** Translates an aggregate to SQL. Throws a TypeError as {@link lowerPredicate} does. */
export function lowerAggregate(aggregate: Aggregate, source: SourceName): Lowered {
  switch (aggregate.fn) {
    case 'count':
      return { values: ['count()'], read: ([count]) => Number(count) }
    case 'countWhere':
      return { values: [`countIf(${lowerPredicate(aggregate.where, source)})`], read: ([count]) => Number(count) }
    case 'share':
      return { values: [`countIf(${lowerPredicate(aggregate.where, source)}) / count()`], read: ([value]) => value! }
    case 'min':
    case 'max':
      return { values: [`${aggregate.fn}(${aggregate.column})`], read: ([value]) => value! }
    case 'quantile': {
      const level = aggregate.percent / 100 - RANK_MARGIN
      return { values: [`quantileExactWeighted(${level})(${aggregate.column}, 1)`], read: ([value]) => value! }
    }
    case 'mean': {
      const { column } = aggregate
      const fractions = `countIf(${column} != trunc(${column}))`
      return { values: [`sum(${column})`, `sum(abs(${column}))`, `count(${column})`, fractions], read: readMean }
    }
  }
}

/** The largest error of one addition of doubles, relative to the sum of their absolute values. */
const ROUNDING = 2 ** -53
/** Half of the error that the contract allows for a mean: the other half is for the division. */
const TOLERANCE = 5e-13

/**
 * Returns the mean, or undefined if rounding may have exceeded the tolerance. Sums of whole numbers are
 * exact; sums of few values that do not cancel out are close. (`sumKahan` would be close for many values, but
 * crashes a cluster of version 18.16.)
 */
function readMean([sum, size, counted, fractions]: readonly Cell[]): number | null | undefined {
  const count = Number(counted)
  if (count === 0) return null
  if (size === 0) return 0
  // An overflow is not a number in JSON.
  if (typeof sum !== 'number' || typeof size !== 'number') return undefined
  const isExact = Number(fractions) === 0 && size <= Number.MAX_SAFE_INTEGER
  const lost = count * ROUNDING * size
  return isExact || lost <= TOLERANCE * Math.abs(sum) ? sum / count : undefined
}
