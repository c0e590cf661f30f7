import type { SourceName } from '../../sources.js'
import type { Value } from '../engine.js'
import type { Aggregate } from '../plan.js'
import { lowerPredicate } from './predicates.js'
import type { Cell } from './server.js'

/** An aggregate as what ClickHouse computes for it, and how its value is read from that. */
export interface Lowered {
  values: readonly string[]
  /** Undefined where what was computed does not tell the value: a mean that wants exact sums. */
  read(cells: readonly Cell[]): Value | undefined
}

/**
 * Percentiles are exact: the value at rank ceil(percent / 100 * n), by counts of distinct values. Less by this little, a
 * whole number of ranks is not rounded up to the next one by the last bit of a product.
 */
const RANK_MARGIN = 1e-12

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

/** What adding doubles loses of their sizes' sum, at each addition at most. */
const ROUNDING = 2 ** -53
/** Half of what the contract allows a mean, so that the division has its share too. */
const TOLERANCE = 5e-13

/**
 * The mean, where the sum cannot have lost more than it may: of whole numbers nothing is lost, of few values that do not
 * cancel out little. (`sumKahan` would lose little of many, but kills a cluster of version 18.16.)
 */
function readMean([sum, size, counted, fractions]: readonly Cell[]): number | null | undefined {
  const count = Number(counted)
  if (count === 0) return null
  if (size === 0) return 0
  // What overflows is no number in JSON.
  if (typeof sum !== 'number' || typeof size !== 'number') return undefined
  const isExact = Number(fractions) === 0 && size <= Number.MAX_SAFE_INTEGER
  const lost = count * ROUNDING * size
  return isExact || lost <= TOLERANCE * Math.abs(sum) ? sum / count : undefined
}
