import type { Batch } from '../columns/batch.js'
import { timeAt } from '../columns/batch.js'
import { rowAt, type Selection, sizeOf } from '../columns/selection.js'

/** A reference to a row. If times are equal, the later arrival is newer: the later batch, then the later row. */
export interface RowRef {
  timestampUs: number
  /** The batch's number in order of arrival. */
  batch: number
  row: number
}

/** The newest rows so far, at most `limit`, newest first. */
export interface Top {
  readonly found: readonly RowRef[]
  /** Whether a batch whose newest row has that time may have a row among the newest. */
  wants(maxUs: number): boolean
  /** Adds the rows of a selection that are among the newest. */
  offer(batch: Batch, batchNumber: number, selection: Selection): void
}

/** Creates an empty {@link Top}. An insertion costs up to `limit` steps. */
export function createTop(limit: number): Top {
  const found: RowRef[] = []
  const wants = (timestampUs: number) => found.length < limit || timestampUs >= found[limit - 1]!.timestampUs
  return {
    found,
    wants,
    offer(batch, batchNumber, selection) {
      for (let position = sizeOf(selection) - 1; position >= 0; position--) {
        const row = rowAt(selection, position)
        const timestampUs = timeAt(batch.times, row)
        if (wants(timestampUs)) insert(found, { timestampUs, batch: batchNumber, row }, limit)
        else if (selection.timeOrdered) return
      }
    },
  }
}

function insert(found: RowRef[], row: RowRef, limit: number): void {
  let at = found.length
  while (at > 0 && isNewer(row, found[at - 1]!)) at--
  if (at >= limit) return
  found.splice(at, 0, row)
  if (found.length > limit) found.pop()
}

function isNewer(a: RowRef, b: RowRef): boolean {
  if (a.timestampUs !== b.timestampUs) return a.timestampUs > b.timestampUs
  return a.batch !== b.batch ? a.batch > b.batch : a.row > b.row
}
