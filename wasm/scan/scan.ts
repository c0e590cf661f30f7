/** The second door: many lines in, one row of the field table a line out. See src/ingest/wasm/fields.ts. */
import { BLANK, INVALID_JSON, NOT_AN_OBJECT, OK, TOO_DEEP } from '../../src/wasm-layout/outcomes'
import { byteAt, CASE_BIT, MINUS, NEWLINE, OPEN_OBJECT, QUOTE, skipSpace } from '../base/bytes'
import { BYTES } from '../base/input'
import { cutList, emptyList, hasRoom, nextEntry } from './key-list'
import { beginRecord, metadataKeys } from './keys'
import { endOfLiteral, endOfNumber } from './scalars'
import { addressOf, BAD_STRING, closingQuote } from './strings'
import { forgetAll, ROW_BYTES, writeKeys, writeLine } from './table'
import { WALK_INVALID, WALK_TOO_DEEP, walkContainer } from './walk'

/**
 * Scans the lines in the bytes [start, end) into the rows at `table`, at most `maxLines`, and gives their number: fewer
 * if they have very many keys.
 * Reads up to 32 bytes behind `end`, and for the length of the call puts a newline there.
 */
export function scan(start: u32, end: u32, table: usize, maxLines: i32): i32 {
  const stop = BYTES + end
  const behind = byteAt(stop)
  store<u8>(stop, NEWLINE)
  emptyList()
  let lines = 0
  for (let p = BYTES + start; p < stop && lines < maxLines && hasRoom(); lines++) {
    p = scanLine(table + <usize>lines * ROW_BYTES, p) + 1
  }
  store<u8>(stop, behind)
  return lines
}

/** Scans the line at `start` into `row` and gives the address of its newline. */
function scanLine(row: usize, start: usize): usize {
  forgetAll(row)
  const p = skipSpace(start)
  if (byteAt(p) == NEWLINE) {
    writeLine(row, BLANK, start, p)
    return p
  }
  const keys = nextEntry
  const isContainer = (byteAt(p) | CASE_BIT) == OPEN_OBJECT
  const behind = isContainer ? walkRecord(row, p) : endOfTopScalar(p)
  if (behind == WALK_TOO_DEEP) return writeFault(row, TOO_DEEP, start)
  if (behind == WALK_INVALID) return writeFault(row, INVALID_JSON, start)
  const end = skipSpace(behind)
  if (byteAt(end) != NEWLINE) return writeFault(row, INVALID_JSON, start)
  writeLine(row, byteAt(p) == OPEN_OBJECT ? OK : NOT_AN_OBJECT, start, end)
  writeKeys(row, keys, nextEntry)
  return end
}

/** Walks the line's container at `p`; a second time if it has several metadata, of which the last wins whole. */
function walkRecord(row: usize, p: usize): usize {
  const keys = nextEntry
  beginRecord(0)
  const behind = walkContainer(row, p)
  if (metadataKeys <= 1 || behind == WALK_INVALID || behind == WALK_TOO_DEEP) return behind
  forgetAll(row)
  cutList(keys)
  beginRecord(metadataKeys - 1)
  return walkContainer(row, p)
}

/** The address behind a string, number or literal that is a line's whole value, or WALK_INVALID. */
function endOfTopScalar(p: usize): usize {
  const first = byteAt(p)
  if (first == QUOTE) {
    const quote = closingQuote(p + 1)
    return quote == BAD_STRING ? WALK_INVALID : addressOf(quote) + 1
  }
  return first == MINUS || first - 0x30 < 10 ? endOfNumber(p) : endOfLiteral(p)
}

/** Writes the row of a line that is refused, whose fields then mean nothing; gives the address of its newline. */
function writeFault(row: usize, outcome: i32, start: usize): usize {
  let end = start
  while (byteAt(end) != NEWLINE) end++
  writeLine(row, outcome, start, end)
  return end
}
