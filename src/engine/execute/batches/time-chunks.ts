import { type TimeColumn, timeAt } from '../columns/batch.js'
import { narrow, rowAt, type Selection, sizeOf, slice } from '../columns/selection.js'

/** Some rows of a selection, none of which is newer (`asc`: older) than a time. */
export interface TimeChunk {
  selection: Selection
  boundUs: number
}

/** Approximate rows of the first chunk. Each chunk has twice the rows of the chunk before. */
const FIRST_ROWS = 256
/** The most rows in the time sample that determines the cuts of rows that do not ascend in time. */
const SAMPLED_ROWS = 4096

/**
 * Cuts a selection into chunks: `desc` from the newest rows on, `asc` from the oldest rows on. Costs nothing per row if
 * the selection ascends in time, else a pass over all rows for each chunk.
 */
export function chunksByTime(
  times: TimeColumn,
  selection: Selection,
  direction: 'asc' | 'desc',
): Generator<TimeChunk, void> {
  return (selection.timeOrdered ? orderedChunks : unorderedChunks)(times, selection, direction === 'desc')
}

function* orderedChunks(times: TimeColumn, selection: Selection, isDesc: boolean): Generator<TimeChunk, void> {
  const size = sizeOf(selection)
  for (let taken = 0, rows = FIRST_ROWS; taken < size; taken += rows, rows *= 2) {
    const next = Math.min(size, taken + rows)
    const first = isDesc ? size - 1 - taken : taken
    yield {
      selection: isDesc ? slice(selection, size - next, size - taken) : slice(selection, taken, next),
      boundUs: timeAt(times, rowAt(selection, first)),
    }
  }
}

/** Cuts at the times of a sample, so that the rows need not be sorted. Chunks without rows are left out. */
function* unorderedChunks(times: TimeColumn, selection: Selection, isDesc: boolean): Generator<TimeChunk, void> {
  const sample = sortedSample(times, selection)
  const rowsEach = sizeOf(selection) / sample.length
  let [fromUs, beforeUs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let taken = 0, rows = FIRST_ROWS; taken < sample.length; rows *= 2) {
    taken = Math.min(sample.length, taken + Math.max(1, Math.round(rows / rowsEach)))
    const isLast = taken === sample.length
    if (isDesc) fromUs = isLast ? Number.NEGATIVE_INFINITY : sample[sample.length - taken]
    else beforeUs = isLast ? Number.POSITIVE_INFINITY : sample[taken]
    const chunk = between(times, selection, fromUs, beforeUs)
    if (sizeOf(chunk) > 0) yield { selection: chunk, boundUs: isDesc ? beforeUs : fromUs }
    if (isDesc) beforeUs = fromUs
    else fromUs = beforeUs
  }
}

function sortedSample(times: TimeColumn, selection: Selection): Float64Array {
  const size = sizeOf(selection)
  const sample = new Float64Array(Math.min(size, SAMPLED_ROWS))
  for (let i = 0; i < sample.length; i++) {
    sample[i] = timeAt(times, rowAt(selection, Math.floor((i * size) / sample.length)))
  }
  return sample.sort()
}

/** Returns the selected rows with times in [fromUs, beforeUs). */
function between(
  { baseUs, unitUs, offsets }: TimeColumn,
  selection: Selection,
  fromUs: number,
  beforeUs: number,
): Selection {
  return narrow(selection, (out) => {
    let count = 0
    const size = sizeOf(selection)
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      const us = baseUs + offsets[row] * unitUs
      if (us >= fromUs && us < beforeUs) out[count++] = row
    }
    return count
  })
}
