/** Encodes rejected lines as entries of the rejects file: a JSON object per line. */
import { isUtf8 } from 'node:buffer'
import { BACKSLASH, NEWLINE } from '../../base/text/ascii.js'
import { KIB } from '../../base/units.js'
import type { Reason } from '../rejects.js'

/** Entries are emitted in chunks of about this size. */
const CHUNK_BYTES = 256 * KIB
/** JSON writes at most this many bytes for a byte of a text. */
const BYTES_OF_ESCAPE = 6
/** The most bytes of an entry without its text. */
const FRAME_BYTES = 160

/** Encodes entries into chunks. No object is created per entry. */
export interface RejectEntries {
  /** Adds the line bytes[start, end). Emits the earlier entries if the new entry does not fit in the chunk. */
  add(line: number, reason: Reason, bytes: Uint8Array, start: number, end: number): void
  /** Returns the entries that are not emitted yet, in memory of their own. */
  take(): Uint8Array<ArrayBuffer>
}

/**
 * Creates an encoder. An entry of more than `maxEntryBytes` gets a shorter head of its line. With `omitsTexts` an entry
 * has the length of the line in bytes instead of its text; null for a line that is too long. `emit` receives whole
 * entries, at most `maxEntryBytes`.
 */
export function createRejectEntries(
  maxEntryBytes: number,
  omitsTexts: boolean,
  emit: (entries: Uint8Array<ArrayBuffer>) => void,
): RejectEntries {
  const chunkBytes = Math.min(CHUNK_BYTES, maxEntryBytes)
  let memory = new Uint8Array(0)
  let used = 0

  function add(line: number, reason: Reason, bytes: Uint8Array, start: number, end: number): void {
    reserve(FRAME_BYTES + (omitsTexts ? 0 : BYTES_OF_ESCAPE * (end - start)))
    let after = omitsTexts
      ? putLength(memory, used, line, reason, end - start)
      : putEntry(memory, used, line, reason, bytes, start, end)
    if (after - used > maxEntryBytes)
      after = putEntry(memory, used, line, reason, bytes, start, start + Math.floor(maxEntryBytes / 8))
    if (used > 0 && after > chunkBytes) {
      const before = used
      emit(take())
      memory.copyWithin(0, before, after)
      used = after - before
    } else used = after
  }

  /** Makes room for another entry. After a long line, the memory shrinks to the size for chunks again. */
  function reserve(entryBytes: number): void {
    const size = used + entryBytes <= 2 * CHUNK_BYTES ? 2 * CHUNK_BYTES : used + entryBytes
    if (size === memory.length || (size < memory.length && used > 0)) return
    const larger = new Uint8Array(size)
    larger.set(memory.subarray(0, used))
    memory = larger
  }

  function take(): Uint8Array<ArrayBuffer> {
    const entries = memory.slice(0, used)
    used = 0
    return entries
  }

  return { add, take }
}

/** Writes an entry to `to` at `at`, where there must be enough room. Returns the position after the entry. */
function putEntry(
  to: Uint8Array,
  at: number,
  line: number,
  reason: Reason,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  let p = putAscii(to, at, START)
  p = putNumber(to, p, line)
  const frame = frameOf(reason)
  if (isText(bytes, start, end)) {
    p = putAscii(to, p, frame.text)
    p = putText(to, p, bytes, start, end)
  } else {
    p = putAscii(to, p, frame.base64)
    p = putBase64(to, p, bytes, start, end)
  }
  return putAscii(to, p, END)
}

/** Writes an entry with the length of its line. Returns the position after the entry. */
function putLength(to: Uint8Array, at: number, line: number, reason: Reason, length: number): number {
  // Only the head of such a line is known.
  const bytes = reason === 'line_too_long' ? null : length
  return putAscii(to, at, bytesOf(`${JSON.stringify({ line, reason, length: bytes })}\n`))
}

/** Not a Buffer: the loops of this file are fastest on arrays of a single class. */
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))

const START = bytesOf('{"line":')
const END = bytesOf('"}\n')

interface Frame {
  text: Uint8Array
  base64: Uint8Array
}
const frames = new Map<Reason, Frame>()

/** Returns the bytes between the number and the text of an entry. */
function frameOf(reason: Reason): Frame {
  let frame = frames.get(reason)
  if (frame === undefined) {
    const [text, base64] = ['text', 'base64'].map((key) => bytesOf(`,"reason":"${reason}","${key}":"`))
    frame = { text: text!, base64: base64! }
    frames.set(reason, frame)
  }
  return frame
}

/** Returns whether the bytes are UTF-8. Most lines are ASCII and short, for which a call of `isUtf8` is slow. */
function isText(bytes: Uint8Array, start: number, end: number): boolean {
  let p = start
  while (p < end && bytes[p] < 0x80) p++
  return p === end || isUtf8(bytes.subarray(p, end))
}

function putAscii(to: Uint8Array, at: number, text: Uint8Array): number {
  for (let i = 0; i < text.length; i++) to[at + i] = text[i]
  return at + text.length
}

function putNumber(to: Uint8Array, at: number, number: number): number {
  let digits = 1
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) digits++
  let rest = number
  for (let p = at + digits - 1; p >= at; p--) {
    to[p] = 0x30 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
  return at + digits
}

const [QUOTE, LOWER_U] = [0x22, 0x75]
/** The letter of the short escape of a control character, 0 for all other control characters. */
const SHORT_ESCAPES = new Uint8Array(0x20)
for (const [byte, letter] of [
  [8, 'b'],
  [9, 't'],
  [NEWLINE, 'n'],
  [12, 'f'],
  [13, 'r'],
] as const)
  SHORT_ESCAPES[byte] = letter.charCodeAt(0)
const HEX = bytesOf('0123456789abcdef')

/** Writes valid UTF-8 as the content of a JSON string, as JSON.stringify does. Returns the position after the text. */
function putText(to: Uint8Array, at: number, bytes: Uint8Array, start: number, end: number): number {
  let p = at
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte < 0x20) p = putControl(to, p, byte)
    else {
      if (byte === QUOTE || byte === BACKSLASH) to[p++] = BACKSLASH
      to[p++] = byte
    }
  }
  return p
}

function putControl(to: Uint8Array, at: number, byte: number): number {
  to[at] = BACKSLASH
  const letter = SHORT_ESCAPES[byte]
  if (letter !== 0) {
    to[at + 1] = letter
    return at + 2
  }
  to[at + 1] = LOWER_U
  to[at + 2] = to[at + 3] = 0x30
  to[at + 4] = HEX[byte >> 4]
  to[at + 5] = HEX[byte & 15]
  return at + 6
}

const BASE64 = bytesOf('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const EQUALS = 0x3d

function putBase64(to: Uint8Array, at: number, bytes: Uint8Array, start: number, end: number): number {
  let p = at
  for (let i = start; i < end; i += 3) {
    const three = (bytes[i] << 16) | ((i + 1 < end ? bytes[i + 1] : 0) << 8) | (i + 2 < end ? bytes[i + 2] : 0)
    to[p++] = BASE64[three >> 18]
    to[p++] = BASE64[(three >> 12) & 63]
    to[p++] = i + 1 < end ? BASE64[(three >> 6) & 63] : EQUALS
    to[p++] = i + 2 < end ? BASE64[three & 63] : EQUALS
  }
  return p
}
