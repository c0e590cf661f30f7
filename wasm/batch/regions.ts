/** Where everything lies: regions of memory behind the field table, each of its full size from the start. */
import { SLACK_BYTES } from '../../src/wasm-layout/memory'
import { entriesFor, ENTRY_BYTES, placeList } from '../scan/key-list'
import { ROW_BYTES } from '../scan/table'

/** The field table: the rows that `scan` writes and `take` reads. */
export let table: usize = 0

/** A batch is full when it has this many rows, or this many bytes of text. */
export let batchRows: i32 = 0
export let batchBytes: i32 = 0

/** What the texts of one row can take at the most, in any one column. */
export let longestText: usize = 0

/** Where the next region begins. */
let top: usize = 0

/** The text made for a record without an id is as long as this. */
export const UUID_BYTES: usize = 36

/**
 * Sets the sizes. `tableAt`: the address of the field table of `maxLines` rows. Regions are reserved behind it: the
 * host must see to it that memory reaches up to `reservedEnd()` before anything is scanned.
 */
export function setSizes(tableAt: usize, maxLines: i32, maxLineBytes: i32, rows: i32, bytes: i32): void {
  table = tableAt
  batchRows = rows
  batchBytes = bytes
  longestText = max(<usize>maxLineBytes, UUID_BYTES)
  top = tableAt + <usize>maxLines * ROW_BYTES
  placeList(reserve(entriesFor(maxLineBytes) * ENTRY_BYTES), maxLineBytes)
}

export function reservedEnd(): usize {
  return top
}

/** A region of so many bytes, zeros as yet; some more may be read and written behind it. */
export function reserve(bytes: usize): usize {
  const start = (top + 63) & ~63
  top = start + bytes + SLACK_BYTES
  return start
}

/** A region for one value a row, and one more. */
export function reserveRows(valueBytes: usize): usize {
  return reserve((<usize>batchRows + 1) * valueBytes)
}

/** A region for the texts of one column: a batch that is not full takes one more row. */
export function reserveTexts(): usize {
  return reserve(<usize>batchBytes + longestText)
}

/** A region for one text. */
export function reserveText(): usize {
  return reserve(longestText)
}
