import { MINUS, NEWLINE, ZERO } from '../../../src/base/text/ascii.js'
import type { Scanner } from '../../../src/ingest/wasm/scanner.js'
import { FIELD_COUNT, LINE_INTS, MAX_DEPTH } from '../../../src/wasm-layout/field-table.js'
import { FIELD, KIND, OUTCOME, slotOf } from '../field-table.js'
import { CONTEXT, CONTEXT_OF_FIELD, fieldOfEscapedKey, fieldOfKey, forgetField, MERGED, NO_FIELD } from './keys.js'
import {
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LETTER_n,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from './structure.js'
import { FAULT, literalEnd, numberEnd, stringEnd } from './tokens.js'

export interface ScannerOptions {
  capacityBytes: number
  maxLines: number
}

/**
 * The scanner in plain JavaScript: one pass over the bytes, without recursion and without allocation per line. The
 * reference for faster scanners.
 */
export function createScanner({ capacityBytes, maxLines }: ScannerOptions): Scanner {
  const memory = new Uint8Array(capacityBytes + 1)
  const table = new Int32Array(maxLines * LINE_INTS)

  /** Puts a newline after the last line, which stops every loop, and restores the byte there at the end. */
  function scan(start: number, end: number): number {
    const replaced = memory[end]!
    memory[end] = NEWLINE
    let lines = 0
    for (let p = start; p < end && lines < maxLines; lines++) {
      const at = lines * LINE_INTS
      let lineEnd = scanFresh(p, at, 0)
      if (metadataKeys > 1) lineEnd = scanFresh(p, at, metadataKeys - 1)
      table[at + 1] = p
      table[at + 2] = lineEnd
      p = lineEnd + 1
    }
    memory[end] = replaced
    return lines
  }

  function scanFresh(p: number, at: number, ignored: number): number {
    table.fill(0, at, at + LINE_INTS)
    metadataKeys = 0
    ignoredMetadata = ignored
    metadataFields.clear()
    return scanLine(memory, p, table, at)
  }
  return { bytes: memory.subarray(0, capacityBytes), table, maxLines, scan }
}

/** Number of keys `metadata` in the record so far, and of ignored keys `metadata`: the last key wins completely. */
let metadataKeys = 0
let ignoredMetadata = 0
/** The fields that the metadata has. The same fields of the record are ignored. */
const metadataFields = new Set<number>()

/** Returns whether the field of a key is used. */
function counts(context: number, field: number): boolean {
  if (context === CONTEXT.metadata) metadataFields.add(field)
  if (context !== CONTEXT.record) return true
  if (field === FIELD.metadata!) return metadataKeys++ >= ignoredMetadata
  return !(MERGED.has(field) && metadataFields.has(field))
}

/** The states: the tokens that may follow. */
const VALUE = 0
const FIRST_ELEMENT = 1
const FIRST_KEY = 2
const KEY = 3
const AFTER_VALUE = 4

/** The open containers, an entry per level. Level 0 is the line, which a newline closes. */
const closers = new Uint8Array(MAX_DEPTH + 1).fill(NEWLINE, 0, 1)
const contexts = new Uint8Array(MAX_DEPTH + 1)
const fields = new Uint8Array(MAX_DEPTH + 1).fill(NO_FIELD)
/** 1 if the container has an element that is not an object. */
const mixed = new Uint8Array(MAX_DEPTH + 1)

/**
 * Scans the line at `start`, writes the outcome and the fields, and returns the position of the newline. One long loop,
 * one token per iteration: the state must stay in registers.
 */
function scanLine(bytes: Uint8Array, start: number, table: Int32Array, at: number): number {
  let p = start
  while (bytes[p] === SPACE || bytes[p] === TAB || bytes[p] === CARRIAGE_RETURN) p++
  if (bytes[p] === NEWLINE) return finish(bytes, p, table, at, OUTCOME.blank)
  const outcome = bytes[p] === OPEN_BRACE ? OUTCOME.ok : OUTCOME.notAnObject

  let state = VALUE
  let level = 0
  /** The field of the next value, and the context of an object value. */
  let field = NO_FIELD
  let context: number = CONTEXT.record
  for (;;) {
    let c = bytes[p]!
    while (c === SPACE || c === TAB || c === CARRIAGE_RETURN) c = bytes[++p]!

    if (state === AFTER_VALUE) {
      if (c === COMMA && level > 0) {
        state = closers[level] === CLOSE_BRACE ? KEY : VALUE
        field = NO_FIELD
        context = CONTEXT.other
      } else if (c === closers[level]) {
        if (level === 0) return finish(bytes, p, table, at, outcome)
        if (fields[level]! < FIELD_COUNT) closeField(table, at, level, p + 1)
        level--
      } else return finish(bytes, p, table, at, OUTCOME.invalidJson)
      p++
      continue
    }

    if (state === KEY || state === FIRST_KEY) {
      if (c === CLOSE_BRACE && state === FIRST_KEY) {
        state = AFTER_VALUE
        continue
      }
      const found = c === QUOTE ? stringEnd(bytes, p + 1) : FAULT
      if (found === FAULT) return finish(bytes, p, table, at, OUTCOME.invalidJson)
      const within = contexts[level]!
      if (within !== CONTEXT.other) {
        field = (found & 1 ? fieldOfEscapedKey : fieldOfKey)(bytes, p + 1, found >> 1, within)
        if (field !== NO_FIELD && !counts(within, field)) field = NO_FIELD
        context = CONTEXT_OF_FIELD[field]!
        if (field !== NO_FIELD) forgetField(table, at, field)
      }
      p = (found >> 1) + 1
      while (bytes[p] === SPACE || bytes[p] === TAB || bytes[p] === CARRIAGE_RETURN) p++
      if (bytes[p] !== COLON) return finish(bytes, p, table, at, OUTCOME.invalidJson)
      p++
      state = VALUE
      continue
    }

    if (c === QUOTE) {
      const found = stringEnd(bytes, p + 1)
      if (found === FAULT) return finish(bytes, p, table, at, OUTCOME.invalidJson)
      const end = found >> 1
      if (field < FIELD_COUNT) putField(table, at, field, found & 1 ? KIND.escapedString : KIND.string, p + 1, end)
      mixed[level] = 1
      p = end + 1
      state = AFTER_VALUE
    } else if (c === OPEN_BRACE) {
      if (level === MAX_DEPTH) return finish(bytes, p, table, at, OUTCOME.tooDeep)
      if (field < FIELD_COUNT) putField(table, at, field, KIND.object, p, p)
      level++
      closers[level] = CLOSE_BRACE
      contexts[level] = context
      fields[level] = field
      field = NO_FIELD
      context = CONTEXT.other
      p++
      state = FIRST_KEY
    } else if (c === OPEN_BRACKET) {
      if (level === MAX_DEPTH) return finish(bytes, p, table, at, OUTCOME.tooDeep)
      if (field < FIELD_COUNT) putField(table, at, field, KIND.array, p, p)
      mixed[level] = 1
      // The first element replaces the array on the path to a field, unless the array is an element itself.
      if (closers[level] === CLOSE_BRACKET) context = CONTEXT.other
      level++
      closers[level] = CLOSE_BRACKET
      fields[level] = field
      mixed[level] = 0
      field = NO_FIELD
      p++
      state = FIRST_ELEMENT
    } else if (c === CLOSE_BRACKET && state === FIRST_ELEMENT) {
      state = AFTER_VALUE
    } else {
      const number = c === MINUS || (c >= ZERO && c <= NINE)
      const end = number ? numberEnd(bytes, p) : literalEnd(bytes, p)
      if (end === FAULT) return finish(bytes, p, table, at, OUTCOME.invalidJson)
      if (field < FIELD_COUNT && c !== LETTER_n) putField(table, at, field, number ? KIND.number : KIND.boolean, p, end)
      mixed[level] = 1
      p = end
      state = AFTER_VALUE
    }
  }
}

function putField(table: Int32Array, at: number, field: number, kind: number, start: number, end: number): void {
  const slot = at + slotOf(field)
  table[slot] = kind
  table[slot + 1] = start
  table[slot + 2] = end
}

function closeField(table: Int32Array, at: number, level: number, end: number): void {
  const slot = at + slotOf(fields[level]!)
  table[slot + 2] = end
  if (table[slot] === KIND.array && mixed[level] === 0) table[slot] = KIND.arrayOfObjects
}

/** Writes the line's outcome. Returns the position of the newline, at `p` or later. */
function finish(bytes: Uint8Array, p: number, table: Int32Array, at: number, outcome: number): number {
  table[at] = outcome
  return bytes.indexOf(NEWLINE, p)
}
