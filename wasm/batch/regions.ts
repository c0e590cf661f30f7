/** Memory layout after the field table: regions that are reserved once, each at its maximum size. */
import { SLACK_BYTES } from '../../src/wasm-layout/memory'
import { entriesFor, ENTRY_BYTES, initList } from '../scan/key-list'
import { ROW_BYTES } from '../scan/table'

/** Address of the field table: `scan` writes its rows, `appendLines` reads them. */
export let table: usize = 0

/** A batch of the next builder is full when it has at least this many rows, or this many bytes of text. */
export let batchRows: i32 = 0
export let batchBytes: i32 = 0

/** Upper limit of the text that one row adds to any one column. */
export let maxTextBytes: usize = 0

/** Address of a line in place of another. */
let replacement: usize = 0

/** Address of the next region. */
let top: usize = 0

/** Length of the UUID that a record without an id gets. */
export const UUID_BYTES: usize = 36

/**
 * Sets the sizes; `tableAt` is the address of the field table of `maxLines` rows, and one for a line in place of
 * another. Regions are reserved after it. The
 * host must grow the memory up to `reservedEnd()` before it scans.
 */
export function setSizes(tableAt: usize, maxLines: i32, maxLineBytes: i32, rows: i32, bytes: i32): void {
  table = tableAt
  batchRows = rows
  batchBytes = bytes
  maxTextBytes = max(<usize>maxLineBytes, UUID_BYTES)
  top = tableAt + (<usize>maxLines + 1) * ROW_BYTES
  replacement = reserve(maxLineBytes)
  initList(reserve(entriesFor(maxLineBytes) * ENTRY_BYTES), maxLineBytes)
}

/** Returns the address where the host writes a line in place of another, of at most `maxLineBytes`. */
export function replacementAddress(): usize {
  return replacement
}

/** Sets the limits of the batches of the builders that are added from now on. */
export function setBatchLimits(rows: i32, bytes: i32): void {
  batchRows = rows
  batchBytes = bytes
}

/** Returns the address after the last region: the size that the memory must have. */
export function reservedEnd(): usize {
  return top
}

/** Reserves a region of zeros, and SLACK_BYTES after it that may be read and overwritten. */
export function reserve(bytes: usize): usize {
  const start = (top + 63) & ~63
  top = start + bytes + SLACK_BYTES
  return start
}

/** Reserves a region for one value per row, and one more. */
export function reserveRows(valueBytes: usize): usize {
  return reserve((<usize>batchRows + 1) * valueBytes)
}

/** Reserves a region for the texts of one column: a batch just below its limit, and one more row. */
export function reserveTexts(): usize {
  return reserve(<usize>batchBytes + maxTextBytes)
}

/** Reserves a region for one text. */
export function reserveText(): usize {
  return reserve(maxTextBytes)
}
