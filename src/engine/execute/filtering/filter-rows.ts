import { countBelow } from '../../../base/search.js'
import type { TimeRange } from '../../../plan/plan.js'
import { type Batch, type TextColumn, type TimeColumn, timeAt } from '../columns/batch.js'
import { EXCEPTION, type Exceptions, type NumberColumn, numberAt } from '../columns/numbers.js'
import { narrow, none, type RangeSelection, range, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import { visitZones } from '../columns/zones.js'
import type { Hits } from '../matching/match-pattern.js'

/** Returns the selection if the batch lies inside the range, `none` if outside, else the selected rows inside. */
export function filterTime(batch: Batch, selection: Selection, { fromUs, throughUs }: TimeRange): Selection {
  if (batch.minUs > throughUs || batch.maxUs < fromUs) return none
  if (batch.minUs >= fromUs && batch.maxUs <= throughUs) return selection
  if (selection.kind === 'range' && selection.timeOrdered) return cutRange(batch.times, selection, fromUs, throughUs)
  const { baseUs, unitUs, offsets } = batch.times
  return narrow(selection, (out) => {
    let count = 0
    const size = sizeOf(selection)
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      const timestampUs = baseUs + offsets[row] * unitUs
      if (timestampUs >= fromUs && timestampUs <= throughUs) out[count++] = row
    }
    return count
  })
}

function cutRange(
  times: TimeColumn,
  { start, end }: RangeSelection,
  fromUs: number,
  throughUs: number,
): RangeSelection {
  const first = firstRowAt(times, start, end, fromUs)
  return range(first, firstRowAt(times, first, end, throughUs + 1), true)
}

/** Returns the first row at or after a moment in [start, end), or `end`. The rows ascend in time. */
export function firstRowAt(times: TimeColumn, start: number, end: number, timestampUs: number): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (timeAt(times, middle) < timestampUs) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the selected rows with a code that is a hit. Reads only the zones that may hold a hit. */
export function narrowByHits({ codes, zones }: TextColumn, selection: Selection, search: Hits): Selection {
  const { hits, from, to } = search
  return narrow(selection, (out) => {
    let count = 0
    if (selection.kind === 'indices') {
      for (const row of selection.indices) if (hits[codes[row]] === 1) out[count++] = row
      return count
    }
    const { start, end } = selection
    if (zones === undefined) return hitsBetween(codes, hits, start, end, out, 0)
    visitZones(zones, start, end, from, to - 1, (zoneStart, zoneEnd) => {
      count = hitsBetween(codes, hits, zoneStart, zoneEnd, out, count)
    })
    return count
  })
}

/** A separate loop, outside of any closure. Writes from `count` on, and returns the new count. */
function hitsBetween(
  codes: TextColumn['codes'],
  hits: Uint8Array,
  start: number,
  end: number,
  out: Uint32Array,
  count: number,
): number {
  for (let row = start; row < end; row++) if (hits[codes[row]] === 1) out[count++] = row
  return count
}

/** The numbers from `least` to `most`. If `isOpen`, `least` and `most` are excluded. */
export interface Bounds {
  least: number
  most: number
  isOpen?: boolean
}

/** Returns the selected rows with a number within bounds. Absent numbers are out of bounds. */
export function narrowByBounds(column: NumberColumn, selection: Selection, bounds: Bounds): Selection {
  const { least, most, isOpen = false } = bounds
  const isWithin = (value: number) => (isOpen ? value > least && value < most : value >= least && value <= most)
  return narrow(selection, (out) => {
    let count = 0
    const size = sizeOf(selection)
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      if (isWithin(numberAt(column, row))) out[count++] = row
    }
    return count
  })
}

/** Returns the selected rows with a number among `members`. Rows with an absent number are left out. */
export function narrowByMembers(column: NumberColumn, selection: Selection, members: ReadonlySet<number>): Selection {
  return narrow(selection, (out) => {
    let count = 0
    const size = sizeOf(selection)
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      if (members.has(numberAt(column, row))) out[count++] = row
    }
    return count
  })
}

/** Returns the selected rows without a number, or with `isPresent` the selected rows with a number. */
export function narrowByPresence(column: NumberColumn, selection: Selection, isPresent: boolean): Selection {
  return narrow(selection, (out) =>
    'exceptions' in column
      ? selectShorts(column, column.exceptions, selection, isPresent, out)
      : selectDoubles(column.values, selection, isPresent, out),
  )
}

/**
 * Writes the selected rows without a number, or with `isPresent` the selected rows with a number. Returns the count.
 */
function selectDoubles(values: Float64Array, selection: Selection, isPresent: boolean, out: Uint32Array): number {
  const size = sizeOf(selection)
  let count = 0
  for (let position = 0; position < size; position++) {
    const row = rowAt(selection, position)
    if (Number.isNaN(values[row]) !== isPresent) out[count++] = row
  }
  return count
}

/** The same for small integers, of which only the exceptions can be absent. */
function selectShorts(
  { values }: NumberColumn,
  exceptions: Exceptions,
  selection: Selection,
  isPresent: boolean,
  out: Uint32Array,
): number {
  const size = sizeOf(selection)
  let next = countBelow(exceptions.rows, rowAt(selection, 0))
  let count = 0
  for (let position = 0; position < size; position++) {
    const row = rowAt(selection, position)
    let isAbsent = false
    if (values[row] === EXCEPTION) {
      while (exceptions.rows[next] < row) next++
      isAbsent = Number.isNaN(exceptions.values[next])
    }
    if (isAbsent !== isPresent) out[count++] = row
  }
  return count
}
