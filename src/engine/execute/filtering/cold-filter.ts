import type { Yielder } from '../../../base/scheduling/time-slices.js'
import type { ColdColumn } from '../../../common/columns.js'
import type { Batch, ColdTexts, MessageFilter } from '../columns/batch.js'
import { rowsWithGrams } from '../columns/message-filter.js'
import { narrow, rowAt, type Selection, sizeOf } from '../columns/selection.js'
import type { TextTest } from '../matching/match-texts.js'

/**
 * A condition on a cold column. Opened for a batch, the filter returns the rows of a selection for which the condition
 * is true. Reads that column alone, and all texts of a stored batch of texts at once. Rejects if the texts are damaged.
 */
export type ColdFilter = (batch: Batch) => (selection: Selection, yieldIfDue: Yielder) => Promise<Selection>

/** Rows further apart than this may have a batch of texts between the rows. */
const DENSE_ROWS = 256

/** Rows that are mostly in the same batch of texts. */
const FEW_ROWS = 512

/** More rows than are read together. */
const AHEAD_ROWS = 8192

/** Returns the filter of a test. */
export function coldFilter(column: ColdColumn, test: TextTest): ColdFilter {
  return (batch) => {
    // Consecutive selections share the texts at their borders.
    let kept: ColdTexts[] = []
    const readTexts = batch.openColdTexts(column)
    const memory = createTextMemory()
    let filter: Promise<MessageFilter | undefined> | undefined
    /** Returns the rows of a selection that may pass. Rows of a single batch of texts are not worth the filter. */
    const candidatesIn = async (rows: Selection) => {
      if (column !== 'event_message' || test.grams.length === 0 || spanOf(rows) <= FEW_ROWS) return rows
      filter ??= batch.readMessageFilter?.()
      const found = await filter
      return found === undefined ? rows : rowsWithGrams(found, rows, test.grams)
    }
    return async (wanted, yieldIfDue) => {
      const selection = await candidatesIn(wanted)
      const size = sizeOf(selection)
      const passing = new Uint32Array(size)
      const read: ColdTexts[] = []
      let count = 0
      for (let position = 0; position < size; ) {
        const row = rowAt(selection, position)
        const known = kept.find(({ from, to }) => row >= from && row < to)
        const texts = known ?? (await readTexts(row, denseEnd(selection, position), memory.take))
        memory.release(read.splice(1, 1, texts), kept)
        const end = positionFrom(selection, texts.to, position + 1)
        const found = await test.passing(texts, rowsOf(selection, position, end), yieldIfDue)
        passing.set(found, count)
        count += found.length
        position = end
        const pause = yieldIfDue()
        if (pause !== undefined) await pause
      }
      memory.release(kept, read)
      kept = read
      return narrow(selection, (out) => {
        out.set(passing.subarray(0, count))
        return count
      })
    }
  }
}

/** Returns the number of rows from the first of a selection to the last. */
function spanOf(selection: Selection): number {
  const size = sizeOf(selection)
  return size === 0 ? 0 : rowAt(selection, size - 1) - rowAt(selection, 0) + 1
}

/** Reused memory for texts: the pages of new memory cost as much as decompressing into the pages. */
function createTextMemory() {
  const free: ArrayBuffer[] = []
  return {
    take(bytes: number): Uint8Array {
      const memory = free.pop()
      const isEnough = memory !== undefined && memory.byteLength >= bytes
      return new Uint8Array(isEnough ? memory : new ArrayBuffer(bytes + (bytes >> 2)), 0, bytes)
    },
    /** Takes back the memory of texts that are not read any more: texts that are not among `used`. */
    release(texts: readonly ColdTexts[], used: readonly ColdTexts[]): void {
      for (const one of texts) if (!used.includes(one)) free.push(one.bytes.buffer as ArrayBuffer)
    },
  }
}

/** Returns the end of the rows from a position on between which no batch of texts is likely to be unwanted. */
function denseEnd(selection: Selection, position: number): number {
  if (selection.kind === 'range') return selection.end
  const { indices } = selection
  const most = Math.min(indices.length, position + AHEAD_ROWS) - 1
  let last = position
  while (last < most && indices[last + 1] - indices[last] < DENSE_ROWS) last++
  return indices[last] + 1
}

/** Returns the rows at the positions [from, to). */
function rowsOf(selection: Selection, from: number, to: number): Uint32Array {
  if (selection.kind === 'indices') return selection.indices.subarray(from, to)
  const rows = new Uint32Array(to - from)
  for (let i = 0; i < rows.length; i++) rows[i] = selection.start + from + i
  return rows
}

/** Returns the first position from `low` on with a row of at least `row`, or the size of the selection. */
function positionFrom(selection: Selection, row: number, low: number): number {
  let high = sizeOf(selection)
  if (selection.kind === 'range') return Math.min(high, Math.max(low, row - selection.start))
  while (low < high) {
    const middle = (low + high) >>> 1
    if (selection.indices[middle] < row) low = middle + 1
    else high = middle
  }
  return low
}
