/**
 * The fourth door: makes lines of a body for `scan`. In a JSON body newlines take the place of commas; objects that follow
 * one another have no byte between them for that, so they are moved. Brackets are counted, not matched, and nothing but
 * the ends of values is looked for: if a line is JSON, they are where they seem to be; if not, the scan refuses it.
 */
import {
  CUT_OFF,
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
import { isKey } from './scan/keys'

const TAB: u32 = 0x09

/** What `endOfValue` gives for a value that does not end. */
const ENDLESS: usize = 0

/** Where the body ends, while it is cut. */
let stop: usize = 0
/** See `cutStart` and `cutEnd`. */
let first: usize = 0
let last: usize = 0
/** Where the array begins that is called `batch`, in the object walked over last; 0 where there is none. */
let batch: usize = 0

/**
 * Makes each record of the JSON body [start, end) a line: the elements of an array, of the array `batch` of an object,
 * or one object. A newline takes the place of the comma behind an element; of line breaks in a record, those in strings
 * become carriage returns, which JSON forbids there as well, the others spaces. Gives the number of records, at most
 * `limit`, or the complement (`~`, negative) of a fault.
 */
export function cut(start: u32, end: u32, limit: i32): i32 {
  stop = BYTES + end
  const open = skipSpaces(BYTES + start)
  if (open == stop) return fault(EMPTY, open)
  if (byteAt(open) == OPEN_ARRAY) return cutArray(open, limit)
  return byteAt(open) == OPEN_OBJECT ? cutObject(open, limit) : fault(NO_CONTAINER, open)
}

/** Where the first line begins, or the place of the fault. */
export function cutStart(): u32 {
  return <u32>(first - BYTES)
}

/** Where the last line ends. */
export function cutEnd(): u32 {
  return <u32>(last - BYTES)
}

function fault(what: i32, at: usize): i32 {
  first = at
  return ~what
}

function cutArray(open: usize, limit: i32): i32 {
  const count = cutElements(open, limit)
  return count < 0 ? count : orNotTheEnd(count, last + 1)
}

function cutObject(open: usize, limit: i32): i32 {
  const end = endOfContainer(open, true)
  if (end == ENDLESS) return fault(CUT_OFF, stop)
  const next = skipSpaces(end)
  if (next != stop) return fault(byteAt(next) == OPEN_OBJECT ? MORE_OBJECTS : NOT_THE_END, next)
  if (batch != 0) return cutElements(batch, limit)
  first = open
  last = end
  return 1
}

/**
 * Makes each of the objects that follow one another in the body [start, end) a line, as `cut` does; nothing else may be
 * there. The lines are moved to the front: before `start` a byte is free for each object. Returns what `cut` returns.
 */
export function cutObjects(start: u32, end: u32, limit: i32): i32 {
  stop = BYTES + end
  last = BYTES
  let count = 0
  for (let p = skipSpaces(BYTES + start); p < stop; ) {
    if (byteAt(p) != OPEN_OBJECT) return fault(NOT_THE_END, p)
    if (count++ == limit) return fault(TOO_MANY, p)
    const behind = endOfContainer(p, false)
    if (behind == ENDLESS) return fault(CUT_OFF, stop)
    moveLine(p, behind)
    p = skipSpaces(behind)
  }
  first = BYTES
  return count
}

/**
 * Makes each object that follows another on a line of the NDJSON body [start, end) a line of its own, up to the first fault
 * on that line, and moves all lines to the front: before `start` a byte is free for each of them.
 */
export function cutLines(start: u32, end: u32): void {
  const bodyEnd = BYTES + end
  first = last = BYTES
  for (let line = BYTES + start; line < bodyEnd; line = stop + 1) {
    stop = line
    while (stop < bodyEnd && byteAt(stop) != NEWLINE) stop++
    splitLine(line)
  }
}

/** Moves the line [line, stop). */
function splitLine(line: usize): void {
  while (true) {
    const open = skipSpaces(line)
    const behind = open < stop && byteAt(open) == OPEN_OBJECT ? endOfContainer(open, false) : ENDLESS
    if (behind == ENDLESS) break
    const next = skipSpaces(behind)
    if (next == stop || byteAt(next) != OPEN_OBJECT) break
    moveLine(line, behind)
    line = next
  }
  moveLine(line, stop)
}

/** Puts [p, end) and a newline behind the lines that were moved before. */
function moveLine(p: usize, end: usize): void {
  memory.copy(last, p, end - p)
  last += end - p
  store<u8>(last++, NEWLINE)
}

/** Whether an object may follow another on a line of [start, end): true also if that is the text of a string. */
export function hasNeighbours(start: u32, end: u32): bool {
  const behind = BYTES + end
  for (let p = BYTES + start; p < behind; p += 16) {
    for (let ends = endsIn16(p); ends != 0; ends &= ends - 1) {
      let next = p + ctz(ends) + 1
      while (next < behind && isBlank(byteAt(next))) next++
      if (next < behind && byteAt(next) == OPEN_OBJECT) return true
    }
  }
  return false
}

/** A bit for each of the 16 bytes at `p` that is `}` and has a blank or `{` behind it. */
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

/** The count, where nothing but white space stands behind `p`. */
function orNotTheEnd(count: i32, p: usize): i32 {
  const next = skipSpaces(p)
  return next == stop ? count : fault(NOT_THE_END, next)
}

/** Makes the elements of the array at `open` lines. */
function cutElements(open: usize, limit: i32): i32 {
  first = open + 1
  let p = skipSpaces(first)
  last = p
  if (p < stop && byteAt(p) == CLOSE_ARRAY) return 0
  let count = 0
  while (true) {
    const end = endOfValue(p)
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

/** The address behind the value at `p`, or ENDLESS; `p` itself where there is none. */
function endOfValue(p: usize): usize {
  const byte = byteAt(p)
  if ((byte | CASE_BIT) == OPEN_OBJECT) return endOfContainer(p, false)
  if (byte != QUOTE) return endOfScalar(p)
  const quote = closingQuote(p + 1)
  return quote == ENDLESS ? ENDLESS : quote + 1
}

/** The same for an object or an array; notes where the member `batch` of a body is. */
function endOfContainer(p: usize, isBody: bool): usize {
  batch = 0
  for (let depth = 0; p < stop; p++) {
    const byte = byteAt(p)
    if (byte == QUOTE) {
      const key = p + 1
      p = closingQuote(key)
      if (p == ENDLESS) return ENDLESS
      if (isBody && depth == 1 && isKey(key, p, BATCH, 5)) noteBatch(p + 1)
    } else if ((byte | CASE_BIT) == OPEN_OBJECT) depth++
    else if ((byte | CASE_BIT) == CLOSE_OBJECT) {
      if (--depth == 0) return p + 1
    } else if (byte == NEWLINE) store<u8>(p, SPACE)
  }
  return ENDLESS
}

/** `batch` */
const BATCH: usize = memory.data<u8>([0x62, 0x61, 0x74, 0x63, 0x68, 0, 0, 0])

/** Notes the value of the key before `p`, where it is one; of equal keys the last wins. */
function noteBatch(p: usize): void {
  const colon = skipSpaces(p)
  if (byteAt(colon) != COLON) return
  const value = skipSpaces(colon + 1)
  batch = byteAt(value) == OPEN_ARRAY ? value : 0
}

/** The closing quote of the string whose text begins at `p`, or ENDLESS. */
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

/** A bit for each of the 16 bytes at `p` that is a quote, a backslash or a newline. */
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

/** The first address from `p` on that holds no white space, or `stop`; line breaks become spaces. */
function skipSpaces(p: usize): usize {
  for (; p < stop && isSpace(byteAt(p)); p++) if (byteAt(p) == NEWLINE) store<u8>(p, SPACE)
  return p
}

function isSpace(byte: u32): bool {
  return byte == NEWLINE || isBlank(byte)
}

/** White space within a line. */
function isBlank(byte: u32): bool {
  return byte == SPACE || byte == RETURN || byte == TAB
}
