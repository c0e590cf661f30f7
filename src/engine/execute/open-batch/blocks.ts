import type { Slice } from '../columns/batch.js'
import type { BlockTimes, OpenBatch } from './open-batch.js'

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
  const from = number * blockRows
  return { number, ...times, rows: { from, to: from + blockRows }, isFixed }
}
