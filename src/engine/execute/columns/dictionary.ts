import { Interner } from '../../../base/memory/interner.js'
import { searchForBytes } from '../../../base/text/text-search.js'
import { createGramFilter, type GramFilter, needsGramFilter } from './grams.js'

/**
 * The distinct texts of a column, as a single run of bytes. Code 0 means absent in every dictionary. Entry c is
 * `bytes[offsets[c] .. offsets[c + 1] - 1)`, followed by a newline.
 */
export interface Dictionary {
  /** Number of entries, including the entry for absent. */
  count: number
  offsets: Uint32Array
  bytes: Buffer
  /** Whether an entry contains a newline. */
  hasNewlines: boolean
  /** Finds the blocks that cannot contain a literal. Absent if the dictionary is so small that a search is cheap. */
  grams?: GramFilter | undefined
  /**
   * The number of leading bytes, at most 255, that each entry shares with the previous entry. Present if `grams` is.
   */
  shared?: Uint8Array | undefined
}

/** Codes of a column's rows, as narrow as the dictionary allows. */
export type Codes = Uint8Array | Uint16Array | Uint32Array

/** The code of an absent text. */
export const ABSENT = 0
/** The entry of code 0: no UTF-8 text is equal to this entry, not even the empty text. */
const ABSENT_ENTRY = Uint8Array.of(0xff)
const NEWLINE = 0x0a

/** Returns the bytes of a dictionary's buffers. */
export function bytesOfDictionary({ offsets, bytes, grams, shared }: Dictionary): number {
  const filterBytes = grams === undefined ? 0 : grams.firstEntries.byteLength + grams.bits.byteLength
  return offsets.byteLength + bytes.byteLength + filterBytes + (shared?.byteLength ?? 0)
}

/** Creates a dictionary that grows, for the codes of an open head. The dictionary contains the entry for absent. */
export function createInterner(): Interner {
  return clearInterner(new Interner())
}

/** Removes all entries except the entry for absent, and keeps the memory. Returns the same object. */
export function clearInterner(interner: Interner): Interner {
  interner.clear()
  interner.intern(ABSENT_ENTRY, 0, 1)
  return interner
}

/**
 * Copies a growing dictionary to a dictionary of the exact size, with a gram filter if the filter is worth its memory.
 */
export function closeDictionary(open: Dictionary): Dictionary {
  const { count, hasNewlines } = open
  const offsets = open.offsets.slice(0, count + 1)
  const bytes = Buffer.allocUnsafeSlow(offsets[count])
  open.bytes.copy(bytes, 0, 0, bytes.length)
  const dictionary = { count, offsets, bytes, hasNewlines }
  if (!needsGramFilter(bytes)) return dictionary
  const shared = sharedBytes(dictionary)
  return { ...dictionary, grams: createGramFilter(offsets, bytes, shared), shared }
}

/**
 * Returns the dictionary with its gram filter and the numbers of shared bytes, or with neither if `grams` is undefined.
 */
export function withGrams(dictionary: Dictionary, grams: GramFilter | undefined): Dictionary {
  return { ...dictionary, grams, shared: grams && sharedBytes(dictionary) }
}

function sharedBytes({ count, offsets, bytes }: Dictionary): Uint8Array {
  const shared = new Uint8Array(count)
  // Comparing single bytes took a seventh of the load time of columns. Four bytes at a time take a third of that time.
  const words = new DataView(bytes.buffer, bytes.byteOffset)
  for (let entry = 1; entry < count; entry++) {
    const before = offsets[entry - 1]
    const start = offsets[entry]
    const most = Math.min(255, start - 1 - before, offsets[entry + 1] - 1 - start)
    let length = 0
    while (length + 4 <= most && words.getInt32(before + length, true) === words.getInt32(start + length, true))
      length += 4
    while (length < most && bytes[before + length] === bytes[start + length]) length++
    shared[entry] = length
  }
  return shared
}

/** Returns the bytes of an entry, as a view. */
export function entryOf(dictionary: Dictionary, code: number): Buffer {
  return dictionary.bytes.subarray(dictionary.offsets[code], dictionary.offsets[code + 1] - 1)
}

/** Compares an entry with bytes, as Buffer.compare does: a loop, since a call of that takes longer for a few bytes. */
export function compareEntry({ offsets, bytes }: Dictionary, code: number, other: Uint8Array): number {
  const start = offsets[code]
  const length = offsets[code + 1] - 1 - start
  const shorter = Math.min(length, other.length)
  for (let i = 0; i < shorter; i++) {
    const difference = bytes[start + i] - other[i]
    if (difference !== 0) return difference
  }
  return length - other.length
}

/** Returns the entry with the byte at `position`: the last entry that starts at or before `position`. */
export function entryAt(dictionary: Dictionary, position: number): number {
  let low = 0
  let high = dictionary.count - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (dictionary.offsets[middle] <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the code of a text, or -1 if the text is not in the dictionary. */
export function findEntry(dictionary: Dictionary, text: string): number {
  for (const entry of findEntries(dictionary, text)) return entry
  return -1
}

/** Yields the codes of a text, ascending: an open head may have several codes for a text in a column of many texts. */
export function* findEntries(dictionary: Dictionary, text: string): Generator<number, void> {
  const searched = dictionary.bytes.subarray(0, dictionary.offsets[dictionary.count])
  const line = Buffer.from(`\n${text}\n`)
  const search = searchForBytes(line)
  for (let at = search(searched, 0); at >= 0; ) {
    const entry = entryAt(dictionary, at + 1)
    const end = dictionary.offsets[entry + 1]
    if (dictionary.offsets[entry] === at + 1 && end === at + line.length) yield entry
    // The newline before the next entry.
    at = search(searched, end - 1)
  }
}

/**
 * Allocates the buffers of `count` entries and writes the first, which means absent. `lineBytes` is the size of the
 * others, including their newlines.
 */
export function emptyEntries(count: number, lineBytes: number): Pick<Dictionary, 'offsets' | 'bytes'> {
  const offsets = new Uint32Array(count + 1)
  const bytes = Buffer.allocUnsafeSlow(ABSENT_ENTRY.length + 1 + lineBytes)
  bytes.set([...ABSENT_ENTRY, NEWLINE])
  offsets[1] = ABSENT_ENTRY.length + 1
  return { offsets, bytes }
}

/** Returns a dictionary of the entries `codes` of another, in that order, after the entry for absent. */
export function pickEntries(from: Dictionary, codes: Uint32Array): Dictionary {
  let lineBytes = 0
  for (const code of codes) lineBytes += from.offsets[code + 1] - from.offsets[code]
  const { offsets, bytes } = emptyEntries(codes.length + 1, lineBytes)
  for (let i = 0; i < codes.length; i++) {
    const copied = from.bytes.copy(bytes, offsets[i + 1], from.offsets[codes[i]], from.offsets[codes[i] + 1])
    offsets[i + 2] = offsets[i + 1] + copied
  }
  return { count: codes.length + 1, offsets, bytes, hasNewlines: from.hasNewlines }
}
