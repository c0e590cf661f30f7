import { expect } from 'vitest'
import type { PlainRow } from './oracle.js'

/** The errors that the contract allows. */
const MEAN_RELATIVE_ERROR = 1e-12
const RANK_ERROR = 0.005
const EXACT_UP_TO = 100

type Times = ReadonlyMap<number, readonly number[]>

/**
 * Expects equal rows, except for the error that the contract allows for the average and the percentiles. `times` are
 * the numbers behind each row, ascending. Without `times`, percentiles must be exact.
 */
export function expectRows(actual: readonly PlainRow[], expected: readonly PlainRow[], times: Times = new Map()): void {
  const forgiven = actual.map((row, i) => forgive(row, expected[i] ?? {}, times))
  expect(forgiven).toEqual(expected.map(withoutNegativeZero))
}

/** Returns the row with the expected value in place of each value within the allowed error. */
function forgive(row: PlainRow, expected: PlainRow, times: Times): PlainRow {
  const sorted = times.get(expected.timestamp as number) ?? []
  const allowed = (name: string, value: unknown) => {
    const wanted = expected[name]
    if (typeof value !== 'number' || typeof wanted !== 'number') return false
    if (name === 'avg_execution_time' || name === 'avg') return isMean(value, wanted)
    const percent = /^p(\d\d)(?:_|$)/.exec(name)?.[1]
    return percent !== undefined && isQuantile(value, Number(percent), sorted)
  }
  return withoutNegativeZero(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, allowed(name, value) ? expected[name]! : value]),
    ),
  )
}

/** JSON writes both zeros as 0. */
const withoutNegativeZero = (row: PlainRow): PlainRow =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === 0 ? 0 : value]))

export function isMean(value: number, exact: number): boolean {
  return Math.abs(value - exact) <= MEAN_RELATIVE_ERROR * Math.abs(exact)
}

/** Whether a value is at most 0.5 percentage points from the wanted rank. A few values must be exact. */
export function isQuantile(value: number, percent: number, sorted: readonly number[]): boolean {
  if (sorted.length <= EXACT_UP_TO) return false
  const below = sorted.filter((time) => time < value).length
  const atOrBelow = sorted.filter((time) => time <= value).length
  const wanted = (percent * sorted.length) / 100
  const inside = value >= sorted[0]! && value <= sorted.at(-1)!
  return inside && Math.max(below - wanted, wanted - atOrBelow) <= RANK_ERROR * sorted.length
}
