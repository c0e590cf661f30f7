/** The second door: many lines in, one row of the field table a line out. See src/ingest/fields.ts. */
import { byteAt, CASE_BIT, MINUS, NEWLINE, OPEN_OBJECT, QUOTE, skipSpace } from '../base/bytes'
import { endOfLiteral, endOfNumber } from './scalars'
import { addressOf, BAD_STRING, closingQuote } from './strings'
import { BLANK, BYTES, forgetAll, INVALID_JSON, NOT_AN_OBJECT, OK, ROW_BYTES, TOO_DEEP, writeLine } from './table'
import { WALK_INVALID, WALK_TOO_DEEP, walkContainer } from './walk'

/**
 * Scans the lines in the bytes [start, end) into the rows at `table`, at most `maxLines`, and gives their number.
 * Reads up to 32 bytes behind `end`, and for the length of the call puts a newline there.
 */
export function scan(start: u32, end: u32, table: usize, maxLines: i32): i32 {
  const stop = BYTES + end
  const behind = byteAt(stop)
  store<u8>(stop, NEWLINE)
  let lines = 0
  for (let p = BYTES + start; p < stop && lines < maxLines; lines++) {
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
  const isContainer = (byteAt(p) | CASE_BIT) == OPEN_OBJECT
  const behind = isContainer ? walkContainer(row, p) : endOfTopScalar(p)
  if (behind == WALK_TOO_DEEP) return writeFault(row, TOO_DEEP, start)
  if (behind == WALK_INVALID) return writeFault(row, INVALID_JSON, start)
  const end = skipSpace(behind)
  if (byteAt(end) != NEWLINE) return writeFault(row, INVALID_JSON, start)
  writeLine(row, byteAt(p) == OPEN_OBJECT ? OK : NOT_AN_OBJECT, start, end)
  return end
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
