import type { Yielder } from '../../../base/time-slices.js'
import type { Frame } from '../expressions/frame.js'
import type { Vector } from '../expressions/vector.js'

/** Rows that are evaluated without a look at the clock. */
const BLOCK_ROWS = 4096
/** At most this many rows have their cold columns in memory at a time. */
const COLD_ROWS = 512

/** Positions next to each other: [from, to). */
export interface Block {
  from: number
  to: number
}

/**
 * Cuts the rows of a frame into blocks, in order; loads the cold columns of each if a vector needs them, and yields to
 * the event loop between them.
 */
export async function* blocksOf(frame: Frame, vectors: readonly Vector[], yieldIfDue: Yielder): AsyncGenerator<Block> {
  const isCold = vectors.some((vector) => vector.isCold)
  const size = isCold ? COLD_ROWS : BLOCK_ROWS
  for (let from = 0; from < frame.rows; ) {
    let to = Math.min(frame.rows, from + size)
    if (isCold) to = from + (await frame.load(positionsOf(from, to), yieldIfDue))
    yield { from, to }
    await yieldIfDue()
    from = to
  }
}

const positionsOf = (from: number, to: number) => Uint32Array.from({ length: to - from }, (_, i) => from + i)
