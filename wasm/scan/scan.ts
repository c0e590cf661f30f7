/** Entry point: scans lines into rows of the field table (src/wasm-layout/field-table.ts). */
import { BLANK, INVALID_JSON, NOT_AN_OBJECT, OK, TOO_DEEP } from '../../src/wasm-layout/outcomes'
import { byteAt, CASE_BIT, MINUS, NEWLINE, OPEN_OBJECT, QUOTE, skipSpace } from '../base/bytes'
import { BYTES } from '../base/input'
import { addRoom, clearList, hasRoom, nextEntry, truncateList } from './key-list'
import { beginRecord, metadataKeys } from './keys'
import { endOfLiteral, endOfNumber } from './scalars'
import { addressOf, BAD_STRING, closingQuote } from './strings'
import { clearRow, ROW_BYTES, writeKeys, writeLine } from './table'
import { WALK_INVALID, WALK_TOO_DEEP, walkContainer } from './walk'

/**
 * Scans the lines in the bytes [start, end) into the rows at `table`. Returns their number, at most `maxLines`; fewer
 * if they have very many keys. Reads up to 32 bytes after `end`, and writes a newline there for the duration of the
 * call.
 */
export function scan(start: u32, end: u32, table: usize, maxLines: i32): i32 {
  const stop = BYTES + end
  const after = byteAt(stop)
  store<u8>(stop, NEWLINE)
  clearList()
  let lines = 0
  for (let p = BYTES + start; p < stop && lines < maxLines && hasRoom(); lines++) {
    p = scanLine(table + <usize>lines * ROW_BYTES, p) + 1
  }
  store<u8>(stop, after)
  return lines
}

/**
 * Scans the line in the bytes [start, end) into `row`, without effect on the rows of the last `scan`. May be called for
 * a single row at a time. Reads and overwrites as `scan` does.
 */
export function scanAlone(start: u32, end: u32, row: usize): void {
  const keys = nextEntry
  const stop = BYTES + end
  const after = byteAt(stop)
  store<u8>(stop, NEWLINE)
  addRoom(true)
  scanLine(row, BYTES + start)
  addRoom(false)
  store<u8>(stop, after)
  truncateList(keys)
}

/** Scans the line at `start` into `row`. Returns the address of its newline. */
function scanLine(row: usize, start: usize): usize {
  clearRow(row)
  const p = skipSpace(start)
  if (byteAt(p) == NEWLINE) {
    writeLine(row, BLANK, start, p)
    return p
  }
  const keys = nextEntry
  const isContainer = (byteAt(p) | CASE_BIT) == OPEN_OBJECT
  const after = isContainer ? walkRecord(row, p) : endOfTopScalar(p)
  if (after == WALK_TOO_DEEP) return writeFault(row, TOO_DEEP, start)
  if (after == WALK_INVALID) return writeFault(row, INVALID_JSON, start)
  const end = skipSpace(after)
  if (byteAt(end) != NEWLINE) return writeFault(row, INVALID_JSON, start)
  writeLine(row, byteAt(p) == OPEN_OBJECT ? OK : NOT_AN_OBJECT, start, end)
  writeKeys(row, keys, nextEntry)
  return end
}

/** Walks the line's container at `p`; a second time if it has several keys `metadata`, since the last one is kept. */
function walkRecord(row: usize, p: usize): usize {
  const keys = nextEntry
  beginRecord(0)
  const after = walkContainer(row, p)
  if (metadataKeys <= 1 || after == WALK_INVALID || after == WALK_TOO_DEEP) return after
  clearRow(row)
  truncateList(keys)
  beginRecord(metadataKeys - 1)
  return walkContainer(row, p)
}

/** Returns the address after a string, number or literal that is the whole value of a line, or WALK_INVALID. */
function endOfTopScalar(p: usize): usize {
  const first = byteAt(p)
  if (first == QUOTE) {
    const quote = closingQuote(p + 1)
    return quote == BAD_STRING ? WALK_INVALID : addressOf(quote) + 1
  }
  return first == MINUS || first - 0x30 < 10 ? endOfNumber(p) : endOfLiteral(p)
}

/** Writes the row of a refused line; its fields are meaningless. Returns the address of its newline. */
function writeFault(row: usize, outcome: i32, start: usize): usize {
  let end = start
  while (byteAt(end) != NEWLINE) end++
  writeLine(row, outcome, start, end)
  return end
}
