import { tooMuchMemory } from '../../../base/memory/memory-budget.js'
import { sortInSlices } from '../../../base/scheduling/sort-in-slices.js'
import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { SortKey } from '../../../plan/plan.js'
import { compareAll, type Scalar } from '../../../plan/values/values.js'
import { bytesOfValue } from '../columns/value-bytes.js'
import type { FoundRow } from './output-columns.js'
import type { LeftOut } from './rank.js'

/** The first rows so far. */
export interface Top {
  /** Whether there are as many rows as wanted, or more. */
  isFull(): boolean
  /** The last of the rows wanted as of the last cut. Undefined if there were too few. */
  worst(): FoundRow | undefined
  /** Whether a row with these keys would be among the first rows. */
  wants(keys: readonly Scalar[], batch: number, row: number): boolean
  /** Adds a row. Returns whether rows are to be cut now. */
  add(row: FoundRow): boolean
  /** Notes a row that is not wanted, given the keys of the row: the ranks of other rows may depend on the row. */
  leaveOut(keys: readonly Scalar[]): void
  /** Sorts the rows and drops rows that are not wanted. Throws `too_much_memory` if the kept rows take too much. */
  cut(yieldIfDue: Yielder): Promise<void>
  /** The rows as of the last cut, and the rows added since. */
  rows(): FoundRow[]
}

/** Rows held beyond the wanted rows before a sort and a cut. */
const SLACK = 1024
/** Object and pointers of a row, about. */
const ROW_BYTES = 160

/**
 * Creates an empty list of first rows. `leftOut`, if ranks are wanted, counts the rows of the last time that are not
 * kept.
 */
export function createTop(
  keys: readonly SortKey[],
  wanted: number,
  { limitBytes, meter }: { limitBytes: number; meter: (bytes: number) => void },
  leftOut: LeftOut | undefined,
): Top {
  let held: FoundRow[] = []
  let worst: FoundRow | undefined
  let bytes = 0
  let isCut = true
  const compare = orderOf(keys, leftOut !== undefined)
  return {
    isFull: () => held.length >= wanted,
    worst: () => worst,
    wants: (rowKeys, batch, row) =>
      wanted > 0 && (worst === undefined || compare({ keys: rowKeys, batch, row, values: [] }, worst) < 0),
    add(row) {
      held.push(row)
      isCut = false
      bytes += bytesOf(row)
      meter(bytes)
      return held.length >= 2 * wanted + SLACK || bytes > limitBytes || held.length === wanted
    },
    leaveOut: (rowKeys) => leftOut?.add(rowKeys),
    async cut(yieldIfDue) {
      if (isCut) return
      isCut = true
      if (held.length > wanted || bytes <= limitBytes) held = await sortInSlices(held, compare, yieldIfDue)
      const dropped = held.splice(wanted)
      for (const row of dropped) bytes -= bytesOf(row)
      meter(bytes)
      worst = held.length === wanted ? held.at(-1) : undefined
      leftOut?.cutTo(worst, dropped)
      if (bytes > limitBytes) throw tooMuchMemory(limitBytes)
    },
    rows: () => held,
  }
}

/** Bytes of a row. If the row is ordered by a text that is also among the values, the text counts once. */
function bytesOf({ keys, values }: FoundRow): number {
  let bytes = ROW_BYTES
  for (const value of values) bytes += bytesOfValue(value)
  for (const key of keys) if (typeof key !== 'string' || !values.includes(key)) bytes += bytesOfValue(key)
  return bytes
}

/** The order of the keys. Among equal keys, the later arrival comes first, if `isRanked` in descending order alone. */
function orderOf(keys: readonly SortKey[], isRanked: boolean): (a: FoundRow, b: FoundRow) => number {
  const isByArrival = keys.length === 0 || (isRanked && keys[0].direction === 'asc')
  return (a, b) => {
    for (const [i, { direction, nulls }] of keys.entries()) {
      const order = compareKeys(a.keys[i], b.keys[i], direction, nulls)
      if (order !== 0) return order
    }
    if (isByArrival) return a.batch - b.batch || a.row - b.row
    return b.batch - a.batch || b.row - a.row
  }
}

function compareKeys(a: Scalar, b: Scalar, direction: SortKey['direction'], nulls: SortKey['nulls']): number {
  if (a === null || b === null) {
    if (a === b) return 0
    return (a === null) === (nulls === 'first') ? -1 : 1
  }
  const order = compareAll(a, b)
  return direction === 'asc' ? order : -order
}
