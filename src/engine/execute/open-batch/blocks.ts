import type { Slice } from '../columns/batch.js'
import { range, rowAt, type Selection, sizeOf, slice } from '../columns/selection.js'
import type { OpenBatch } from './open-batch.js'

/** The least and the greatest timestamp of a block. */
export type BlockTimes = Pick<Slice, 'minUs' | 'maxUs'>

/**
 * Returns the first `rows` of an open batch as blocks of `blockRows` rows in order of arrival, and a rest. The rows of
 * a block never change; the rest grows.
 */
export function blocksOf(openBatch: OpenBatch, rows: number, blockRows: number): Slice[] {
  const { blockTimes, minUs, maxUs } = openBatch
  const full = Math.floor(rows / blockRows)
  for (let number = blockTimes.length; number < full; number++) {
    blockTimes.push(timesOf(openBatch, number * blockRows, (number + 1) * blockRows))
  }
  const blocks = blockTimes.slice(0, full).map((times, number) => block(number, blockRows, times, true))
  if (full * blockRows < rows) blocks.push(block(full, blockRows, { minUs, maxUs }, false))
  return blocks
}

function timesOf({ timestampsUs }: OpenBatch, from: number, to: number): BlockTimes {
  let [minUs, maxUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = from; row < to; row++) {
    const us = timestampsUs[row]
    if (us < minUs) minUs = us
    if (us > maxUs) maxUs = us
  }
  return { minUs, maxUs }
}

function block(number: number, blockRows: number, times: BlockTimes, isFixed: boolean): Slice {
  const firstRow = number * blockRows
  return {
    number,
    ...times,
    firstRow,
    isFixed,
    narrow: (_, selection) => rowsBetween(selection, firstRow, firstRow + blockRows),
  }
}

/** Returns the rows of a selection in [from, to). */
function rowsBetween(selection: Selection, from: number, to: number): Selection {
  if (selection.kind === 'range') {
    return range(Math.max(from, selection.start), Math.min(to, selection.end), selection.timeOrdered)
  }
  return slice(selection, positionOf(selection, from), positionOf(selection, to))
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
