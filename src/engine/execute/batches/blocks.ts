import { createPace } from '../../../base/scheduling/pace.js'
import { SLICE_MS, type Yielder } from '../../../base/scheduling/time-slices.js'
import type { Frame, Loaded } from '../expressions/frame.js'
import { makeRow, workOf } from '../expressions/row-work.js'
import { isCold, type Vector } from '../expressions/vector.js'

/** At most this many rows are evaluated without a look at the clock. */
const BLOCK_ROWS = 4096
/** At most this many rows have their cold columns in memory at a time. */
const COLD_ROWS = 512
/** A block should take no longer than this. */
const BLOCK_MS = SLICE_MS / 4

/** Positions next to each other: [from, to). */
export interface Block {
  from: number
  to: number
}

/**
 * Cuts the rows of a frame into blocks, in order. Loads the cold columns of each block if a vector needs them, and
 * yields to the event loop between blocks. The first block is a single row, since an expression may take long, such as
 * a pattern in a long text. The time of a block determines the length of the next block. If a row may take longer than
 * a slice, the values of the row are made in slices, and the row is a block of its own.
 */
export async function* blocksOf(frame: Frame, vectors: readonly Vector[], yieldIfDue: Yielder): AsyncGenerator<Block> {
  const isAnyCold = vectors.some(isCold)
  const pace = createPace(BLOCK_MS, isAnyCold ? COLD_ROWS : BLOCK_ROWS)
  const work = workOf(vectors, frame)
  for (let from = 0; from < frame.rows; ) {
    let end = Math.min(frame.rows, from + pace.items())
    const loaded = isAnyCold ? await frame.load(positionsOf(from, end), yieldIfDue) : NOT_LOADED
    if (isAnyCold) end = from + loaded.rows
    while (from < end) {
      // The loaded rows may be of a single record: then each row reads the text of the record.
      const to = work.endOf(from, end, loaded.longestBytes)
      if (work.isSlow(from, loaded.longestBytes)) await makeRow(vectors, from, yieldIfDue)
      const startedMs = performance.now()
      yield { from, to }
      pace.note(to - from, performance.now() - startedMs)
      await yieldIfDue()
      from = to
    }
  }
}

const NOT_LOADED: Loaded = { rows: 0, longestBytes: 0 }

const positionsOf = (from: number, to: number) => Uint32Array.from({ length: to - from }, (_, i) => from + i)
