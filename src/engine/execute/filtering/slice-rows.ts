import type { Batch, Slice } from '../columns/batch.js'
import { range, rowAt, type Selection, sizeOf, slice } from '../columns/selection.js'
import { filterTime } from './filter-rows.js'

/** Returns the selected rows of a batch of the part that are in a slice. */
export function rowsOfSlice({ rows, minUs, maxUs }: Slice, batch: Batch, selection: Selection): Selection {
  return rows === undefined
    ? filterTime(batch, selection, { fromUs: minUs, throughUs: maxUs })
    : rowsBetween(selection, rows.from, rows.to)
}

function rowsBetween(selection: Selection, from: number, to: number): Selection {
  if (selection.kind === 'indices') return slice(selection, positionOf(selection, from), positionOf(selection, to))
  return range(Math.max(from, selection.start), Math.min(to, selection.end), selection.timeOrdered)
}

/** Returns the first position of a selection with this row or a later one. */
function positionOf(selection: Selection, row: number): number {
  let low = 0
  let high = sizeOf(selection)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rowAt(selection, middle) < row) low = middle + 1
    else high = middle
  }
  return low
}
