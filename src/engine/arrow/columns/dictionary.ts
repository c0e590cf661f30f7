import { Interner } from '../../../base/interner.js'
import { createGramFilter, type GramFilter } from './grams.js'

/**
 * The distinct texts of a column, as one run of bytes. Code 0 stands for absent, in every dictionary.
 * Entry c is `bytes[offsets[c] .. offsets[c + 1] - 1)`, and a newline stands behind each.
 */
export interface Dictionary {
  /** Entries, the one for absent included. */
  count: number
  offsets: Uint32Array
  bytes: Buffer
  /** Whether an entry holds a newline of its own. */
  hasNewlines: boolean
  /** Tells where a literal cannot be; absent where a search is cheap without. */
  grams?: GramFilter | undefined
  /** So many leading bytes, at most 255, an entry has in common with the one before it; there where grams are. */
  shared?: Uint8Array | undefined
}

/** Codes of a column's rows, as narrow as the dictionary allows. */
export type Codes = Uint8Array | Uint16Array | Uint32Array

export const ABSENT = 0
/** The entry of code 0: no text in UTF-8 is equal to it, the empty one least of all. */
const ABSENT_ENTRY = Uint8Array.of(0xff)
const NEWLINE = 0x0a

/** Bytes of the buffers that a dictionary holds. */
export function bytesOfDictionary({ offsets, bytes, grams, shared }: Dictionary): number {
  const filterBytes = grams === undefined ? 0 : grams.firstEntries.byteLength + grams.bits.byteLength
  return offsets.byteLength + bytes.byteLength + filterBytes + (shared?.byteLength ?? 0)
}

/** A dictionary that grows: the codes of an open head. */
export function createInterner(): Interner {
  return clearInterner(new Interner())
}

/** The same with nothing but absent in it; it keeps its memory. */
export function clearInterner(interner: Interner): Interner {
  interner.clear()
  interner.intern(ABSENT_ENTRY, 0, 1)
  return interner
}

/** A dictionary that may have grown further as one of the exact size, with a filter where it is worth its room. */
export function closeDictionary(open: Dictionary): Dictionary {
  const { count, hasNewlines } = open
  const offsets = open.offsets.slice(0, count + 1)
  const bytes = Buffer.allocUnsafeSlow(offsets[count]!)
  open.bytes.copy(bytes, 0, 0, bytes.length)
  return withGrams({ count, offsets, bytes, hasNewlines }, createGramFilter(offsets, bytes))
}

/** A dictionary with its filter, and with what is worth its room where that is. */
export function withGrams(dictionary: Dictionary, grams: GramFilter | undefined): Dictionary {
  return { ...dictionary, grams, shared: grams && sharedBytes(dictionary) }
}

function sharedBytes({ count, offsets, bytes }: Dictionary): Uint8Array {
  const shared = new Uint8Array(count)
  // Byte by byte this took a seventh of a load of columns; four bytes at a time take a third of that.
  const words = new DataView(bytes.buffer, bytes.byteOffset)
  for (let entry = 1; entry < count; entry++) {
    const before = offsets[entry - 1]!
    const start = offsets[entry]!
    const most = Math.min(255, start - 1 - before, offsets[entry + 1]! - 1 - start)
    let length = 0
    while (length + 4 <= most && words.getInt32(before + length, true) === words.getInt32(start + length, true))
      length += 4
    while (length < most && bytes[before + length] === bytes[start + length]) length++
    shared[entry] = length
  }
  return shared
}

/** The bytes of one entry, as a view. */
export function entryOf(dictionary: Dictionary, code: number): Buffer {
  return dictionary.bytes.subarray(dictionary.offsets[code]!, dictionary.offsets[code + 1]! - 1)
}

/** The entry that holds the byte at `position`: the last one that starts at or before it. */
export function entryAt(dictionary: Dictionary, position: number): number {
  let low = 0
  let high = dictionary.count - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (dictionary.offsets[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** The code of a text, or -1. */
export function findEntry(dictionary: Dictionary, text: string): number {
  const searched = dictionary.bytes.subarray(0, dictionary.offsets[dictionary.count])
  const line = Buffer.from(`\n${text}\n`)
  for (let at = searched.indexOf(line); at >= 0; at = searched.indexOf(line, at + 1)) {
    const entry = entryAt(dictionary, at + 1)
    if (dictionary.offsets[entry] === at + 1 && dictionary.offsets[entry + 1] === at + line.length) return entry
  }
  return -1
}

/** Room for `count` entries, those behind the one for absent of so many bytes with their newlines; that one is written. */
export function emptyEntries(count: number, lineBytes: number): Pick<Dictionary, 'offsets' | 'bytes'> {
  const offsets = new Uint32Array(count + 1)
  const bytes = Buffer.allocUnsafeSlow(ABSENT_ENTRY.length + 1 + lineBytes)
  bytes.set([...ABSENT_ENTRY, NEWLINE])
  offsets[1] = ABSENT_ENTRY.length + 1
  return { offsets, bytes }
}

/** A dictionary of the entries `codes` of another, in that order, behind the entry for absent. */
export function pick(from: Dictionary, codes: Uint32Array): Dictionary {
  let lineBytes = 0
  for (const code of codes) lineBytes += from.offsets[code + 1]! - from.offsets[code]!
  const { offsets, bytes } = emptyEntries(codes.length + 1, lineBytes)
  for (let i = 0; i < codes.length; i++) {
    const copied = from.bytes.copy(bytes, offsets[i + 1]!, from.offsets[codes[i]!]!, from.offsets[codes[i]! + 1]!)
    offsets[i + 2] = offsets[i + 1]! + copied
  }
  return { count: codes.length + 1, offsets, bytes, hasNewlines: from.hasNewlines }
}
