/**
 * Entry point: splits the body of a request into lines for `scan`. In a JSON body newlines replace the commas between
 * records; adjacent objects have no byte between them to replace, so they are moved. The values of a JSON body are
 * checked. The ends of damaged ones, and of those of NDJSON, are found by counting brackets: if a line is valid JSON,
 * they are correct; if not, the body is refused, or the line by the scan.
 */
import {
  CUT_OFF,
  DAMAGED,
  EMPTY,
  MORE_OBJECTS,
  NO_COMMA,
  NO_CONTAINER,
  NO_ELEMENT,
  NOT_THE_END,
  TOO_MANY,
} from '../src/wasm-layout/split-faults'
import {
  BACKSLASH,
  byteAt,
  CASE_BIT,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  RETURN,
  SPACE,
} from './base/bytes'
import { BYTES } from './base/input'
import { checkedBatch, endOfValid, endOfValidScalar, INVALID, TOO_DEEP } from './scan/check'
import { isKey } from './scan/keys'

const TAB: u32 = 0x09

/** Result of `endOfValue` for a value that does not end. */
const ENDLESS: usize = 0

/** Address after the body that is being split. */
let stop: usize = 0
/** See `linesStart` and `linesEnd`. */
let first: usize = 0
let last: usize = 0
/** Address of the array that is the member `batch` of the last object walked; 0 if it has none. */
let batch: usize = 0
/** The number of the first damaged record, from 1; 0 if there is none. */
let damaged: i32 = 0

/**
 * Splits the JSON body [start, end) into lines in place: the elements of an array, of the array `batch` of an object,
 * or one object. A newline replaces the comma after an element. Line breaks within a record are replaced: in strings by
 * carriage returns, which JSON forbids there as well, elsewhere by spaces. Returns the number of records, at most
 * `limit`, or the complement (`~`, negative) of a fault. Writes a zero after the body for the duration of the call.
 */
export function splitJson(start: u32, end: u32, limit: i32): i32 {
  const after = startSplit(end)
  const count = splitBody(start, limit)
  store<u8>(stop, after)
  return count
}

/** Sets the state of a split. Returns the byte after the body, and writes a zero there. */
function startSplit(end: u32): u32 {
  stop = BYTES + end
  damaged = 0
  const after = byteAt(stop)
  store<u8>(stop, 0)
  return after
}

function splitBody(start: u32, limit: i32): i32 {
  const open = skipSpaces(BYTES + start)
  if (open == stop) return fault(EMPTY, open)
  if (byteAt(open) == OPEN_ARRAY) return splitArray(open, limit)
  return byteAt(open) == OPEN_OBJECT ? splitObject(open, limit) : fault(NO_CONTAINER, open)
}

/** Returns the offset of the first line, or of the fault; for DAMAGED the number of the record, or 0. */
export function linesStart(): u32 {
  return <u32>(first - BYTES)
}

/** Returns the offset after the last line. */
export function linesEnd(): u32 {
  return <u32>(last - BYTES)
}

function fault(what: i32, at: usize): i32 {
  first = at
  return ~what
}

/** Returns the count, or the fault that a record is damaged. */
function unlessDamaged(count: i32): i32 {
  return count >= 0 && damaged != 0 ? fault(DAMAGED, BYTES + damaged) : count
}

function splitArray(open: usize, limit: i32): i32 {
  const count = splitElements(open, limit, false)
  return count < 0 ? count : unlessDamaged(checkEnd(count, last + 1))
}

function splitObject(open: usize, limit: i32): i32 {
  const checked = endOfValid(open)
  const isValid = checked > TOO_DEEP
  batch = checkedBatch
  const end = isValid ? checked : endOfContainer(open, true)
  if (end == ENDLESS) return fault(CUT_OFF, stop)
  const next = skipSpaces(end)
  if (next != stop) return fault(byteAt(next) == OPEN_OBJECT ? MORE_OBJECTS : NOT_THE_END, next)
  if (batch != 0) {
    const count = unlessDamaged(splitElements(batch, limit, isValid))
    return count >= 0 && checked == INVALID ? fault(DAMAGED, BYTES) : count
  }
  if (checked == INVALID) return fault(DAMAGED, BYTES + 1)
  first = open
  last = end
  return 1
}

/**
 * Splits the body [start, end), a sequence of objects and nothing else, into lines. Moves them to the front: there must
 * be a free byte before `start` for each object. Returns the same as `splitJson`.
 */
export function splitObjects(start: u32, end: u32, limit: i32): i32 {
  const after = startSplit(end)
  const count = moveObjects(start, limit)
  store<u8>(stop, after)
  return unlessDamaged(count)
}

function moveObjects(start: u32, limit: i32): i32 {
  last = BYTES
  let count = 0
  for (let p = skipSpaces(BYTES + start); p < stop; ) {
    if (byteAt(p) != OPEN_OBJECT) return fault(NOT_THE_END, p)
    if (count++ == limit) return fault(TOO_MANY, p)
    const after = endOfChecked(p, count)
    if (after == ENDLESS) return fault(CUT_OFF, stop)
    moveLine(p, after)
    p = skipSpaces(after)
  }
  first = BYTES
  return count
}

/**
 * Splits the NDJSON body [start, end): each object that follows another on a line becomes a line, up to the first fault
 * on that line. Moves all lines to the front: there must be a free byte before `start` for each of them.
 */
export function splitLines(start: u32, end: u32): void {
  const bodyEnd = BYTES + end
  first = last = BYTES
  for (let line = BYTES + start; line < bodyEnd; line = stop + 1) {
    stop = line
    while (stop < bodyEnd && byteAt(stop) != NEWLINE) stop++
    splitLine(line)
  }
}

/** Moves the line [line, stop), split into its objects. */
function splitLine(line: usize): void {
  while (true) {
    const open = skipSpaces(line)
    const after = open < stop && byteAt(open) == OPEN_OBJECT ? endOfContainer(open, false) : ENDLESS
    if (after == ENDLESS) break
    const next = skipSpaces(after)
    if (next == stop || byteAt(next) != OPEN_OBJECT) break
    moveLine(line, after)
    line = next
  }
  moveLine(line, stop)
}

/** Moves [p, end) to the end of the moved lines, and adds a newline. */
function moveLine(p: usize, end: usize): void {
  memory.copy(last, p, end - p)
  last += end - p
  store<u8>(last++, NEWLINE)
}

/** Returns whether an object may follow another on a line of [start, end). May return true for the text of a string. */
export function hasAdjacentObjects(start: u32, end: u32): bool {
  const after = BYTES + end
  for (let p = BYTES + start; p < after; p += 16) {
    for (let ends = endsIn16(p); ends != 0; ends &= ends - 1) {
      let next = p + ctz(ends) + 1
      while (next < after && isBlank(byteAt(next))) next++
      if (next < after && byteAt(next) == OPEN_OBJECT) return true
    }
  }
  return false
}

/** Returns a bit for each of the 16 bytes at `p` that is `}` and is followed by a blank or `{`. */
// @ts-ignore: decorator
@inline
function endsIn16(p: usize): i32 {
  const closes = i8x16.eq(v128.load(p), i8x16.splat(<i8>CLOSE_OBJECT))
  if (!v128.any_true(closes)) return 0
  const next = v128.load(p + 1)
  const spaces = v128.or(i8x16.eq(next, i8x16.splat(<i8>SPACE)), i8x16.eq(next, i8x16.splat(<i8>TAB)))
  const opens = v128.or(i8x16.eq(next, i8x16.splat(<i8>OPEN_OBJECT)), i8x16.eq(next, i8x16.splat(<i8>RETURN)))
  return i8x16.bitmask(v128.and(closes, v128.or(spaces, opens)))
}

/** Returns the count, or a fault if anything but white space follows at `p`. */
function checkEnd(count: i32, p: usize): i32 {
  const next = skipSpaces(p)
  return next == stop ? count : fault(NOT_THE_END, next)
}

/** Splits the array at `open`, checked unless `isValid`, into lines. Returns the number of elements or a fault. */
function splitElements(open: usize, limit: i32, isValid: bool): i32 {
  first = open + 1
  let p = skipSpaces(first)
  last = p
  if (p < stop && byteAt(p) == CLOSE_ARRAY) return 0
  let count = 0
  while (true) {
    const end = isValid ? endOfValue(p) : endOfChecked(p, count + 1)
    if (end == ENDLESS || p == stop) return fault(CUT_OFF, stop)
    if (end == p) return fault(NO_ELEMENT, p)
    if (count++ == limit) return fault(TOO_MANY, p)
    last = skipSpaces(end)
    if (last == stop) return fault(CUT_OFF, stop)
    if (byteAt(last) == CLOSE_ARRAY) return count
    if (byteAt(last) != COMMA) return fault(NO_COMMA, last)
    store<u8>(last, NEWLINE)
    p = skipSpaces(last + 1)
  }
}

/** Returns the same as `endOfValue`. Sets `damaged` to the number of the record if it is the first that is not JSON. */
function endOfChecked(p: usize, number: i32): usize {
  const isContainer = (byteAt(p) | CASE_BIT) == OPEN_OBJECT
  const checked = isContainer ? endOfValid(p) : endOfValidScalar(p)
  if (isContainer && checked > TOO_DEEP) return checked
  const end = endOfValue(p)
  if (damaged == 0 && (isContainer ? checked == INVALID : checked != end)) damaged = number
  return end
}

/** Returns the address after the value at `p`, ENDLESS if it does not end, `p` if there is no value. */
function endOfValue(p: usize): usize {
  const byte = byteAt(p)
  if ((byte | CASE_BIT) == OPEN_OBJECT) return endOfContainer(p, false)
  if (byte != QUOTE) return endOfScalar(p)
  const quote = closingQuote(p + 1)
  return quote == ENDLESS ? ENDLESS : quote + 1
}

/** Returns the address after the object or array at `p`, or ENDLESS. If `isBody`, also finds its member `batch`. */
function endOfContainer(p: usize, isBody: bool): usize {
  batch = 0
  for (let depth = 0; p < stop; p++) {
    const byte = byteAt(p)
    if (byte == QUOTE) {
      const key = p + 1
      p = closingQuote(key)
      if (p == ENDLESS) return ENDLESS
      if (isBody && depth == 1 && isKey(key, p, BATCH, 5)) setBatch(p + 1)
    } else if ((byte | CASE_BIT) == OPEN_OBJECT) depth++
    else if ((byte | CASE_BIT) == CLOSE_OBJECT) {
      if (--depth == 0) return p + 1
    } else if (byte == NEWLINE) store<u8>(p, SPACE)
  }
  return ENDLESS
}

/** `batch` */
const BATCH: usize = memory.data<u8>([0x62, 0x61, 0x74, 0x63, 0x68, 0, 0, 0])

/** Sets `batch` from the value of the key before `p`, if it is a key; the last of equal keys is kept. */
function setBatch(p: usize): void {
  const colon = skipSpaces(p)
  if (byteAt(colon) != COLON) return
  const value = skipSpaces(colon + 1)
  batch = byteAt(value) == OPEN_ARRAY ? value : 0
}

/** Returns the address of the closing quote of the string with content from `p` on, or ENDLESS. */
function closingQuote(p: usize): usize {
  while (p < stop) {
    const stops = stopsIn16(p)
    p += stops == 0 ? 16 : ctz(stops)
    if (stops == 0 || p >= stop) continue
    const byte = byteAt(p)
    if (byte == QUOTE) return p
    if (byte == BACKSLASH) p += byteAt(p + 1) == NEWLINE ? 1 : 2
    else store<u8>(p++, RETURN)
  }
  return ENDLESS
}

/** Returns a bit for each of the 16 bytes at `p` that is a quote, a backslash or a newline. */
// @ts-ignore: decorator
@inline
function stopsIn16(p: usize): i32 {
  const bytes = v128.load(p)
  const ends = v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)))
  return i8x16.bitmask(v128.or(ends, i8x16.eq(bytes, i8x16.splat(<i8>NEWLINE))))
}

function endOfScalar(p: usize): usize {
  while (p < stop && byteAt(p) != COMMA && byteAt(p) != CLOSE_ARRAY && !isSpace(byteAt(p))) p++
  return p
}

/** Returns the first address from `p` on that is not white space, or `stop`. Replaces line breaks by spaces. */
function skipSpaces(p: usize): usize {
  for (; p < stop && isSpace(byteAt(p)); p++) if (byteAt(p) == NEWLINE) store<u8>(p, SPACE)
  return p
}

function isSpace(byte: u32): bool {
  return byte == NEWLINE || isBlank(byte)
}

/** Returns whether the byte is white space within a line. */
function isBlank(byte: u32): bool {
  return byte == SPACE || byte == RETURN || byte == TAB
}
