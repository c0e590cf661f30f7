import type { Yielder } from '../../../base/scheduling/time-slices.js'
import { type Scalar, Timestamp } from '../../../plan/values/values.js'
import { type TimeColumn, timeAt } from '../columns/batch.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'
import type { Frame } from '../expressions/frame.js'
import type { Top } from './top.js'

/** Rows compared by time between two checks of the clock. */
const COMPARED_ROWS = 4096

/**
 * Offers the newest rows of a stored batch from the end. Stops at the first row that is too old if the rows ascend in
 * time.
 */
export async function offerNewest(
  top: Top,
  { stored }: Frame,
  batch: number,
  capture: (position: number) => Scalar[],
  yieldIfDue: Yielder,
): Promise<void> {
  const { selection, batch: columns } = stored!
  const { times } = columns
  for (let end = sizeOf(selection); end > 0; ) {
    const start = Math.max(0, end - COMPARED_ROWS)
    for (let last = end; last > start; ) {
      const leastUs = worstUs(top)
      last = selection.timeOrdered ? last - 1 : lastPositionFrom(times, selection, { start, end: last, leastUs })
      if (last < start) break
      const row = rowAt(selection, last)
      const us = timeAt(times, row)
      if (us < leastUs) return
      const keys = [new Timestamp(us)]
      if (!top.wants(keys, batch, row)) top.leaveOut(keys)
      else if (top.add({ keys, batch, row, values: capture(last) })) await top.cut(yieldIfDue)
      else {
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
    }
    end = start
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
}

/** The time that a row must have at least to be among the newest. -Infinity while there are too few rows. */
const worstUs = (top: Top): number =>
  Number((top.worst()?.keys[0] as Timestamp | undefined)?.us ?? Number.NEGATIVE_INFINITY)

/** Returns the last position in [start, end) with a time of at least `leastUs`, else -1. */
function lastPositionFrom(
  { baseUs, unitUs, offsets }: TimeColumn,
  selection: Selection,
  { start, end, leastUs }: { start: number; end: number; leastUs: number },
): number {
  if (selection.kind === 'range') {
    const first = selection.start
    for (let position = end - 1; position >= start; position--) {
      if (baseUs + offsets[first + position] * unitUs >= leastUs) return position
    }
    return -1
  }
  const { indices } = selection
  for (let position = end - 1; position >= start; position--) {
    if (baseUs + offsets[indices[position]] * unitUs >= leastUs) return position
  }
  return -1
}
