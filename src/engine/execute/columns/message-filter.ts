import { isAscii } from 'node:buffer'
import { foldCase } from '../../../base/text/fold-case.js'
import { KIB } from '../../../base/units.js'
import type { ColdTexts, MessageFilter } from './batch.js'
import { narrow, rowAt, type Selection, sizeOf } from './selection.js'

/** Rows of a block. About as many rows are compressed together. */
const BLOCK_ROWS = 512
/**
 * Bytes of a block's bitmap. Two thirds of the bits are set by messages of 230 bytes of which 30 are random digits: a
 * text of 16 random digits is then looked for in one of 200 blocks.
 */
const BITMAP_BYTES = 2 * KIB
const HASH_SHIFT = 32 - Math.log2(BITMAP_BYTES * 8)
const GRAM_BYTES = 4
/** A filter with more of the bits set would seldom keep a block from being read. */
const MAX_FILL = 7 / 8

/** Collects the messages of a segment, in any order. */
export interface MessageFilterBuilder {
  add(texts: ColdTexts): void
  /** Returns the filter. Undefined if the filter would be of no use. */
  build(): MessageFilter | undefined
}

/** Returns a builder for that many rows. */
export function createMessageFilter(rows: number): MessageFilterBuilder {
  const bits = new Uint8Array(Math.ceil(rows / BLOCK_ROWS) * BITMAP_BYTES)
  return {
    add({ from, to, offsets, bytes }) {
      const areAscii = isAscii(bytes)
      for (let row = from; row < to; row++) {
        const [start, end] = [offsets[row - from], offsets[row - from + 1]]
        const base = Math.floor(row / BLOCK_ROWS) * BITMAP_BYTES
        setGrams(bits, base, bytes, start, end)
        // Searches that ignore case compare the forms of letters beyond ASCII.
        if (areAscii || isAscii(bytes.subarray(start, end))) continue
        const folded = Buffer.from(foldCase(bytes.toString('utf8', start, end)))
        setGrams(bits, base, folded, 0, folded.length)
      }
    },
    build: () => (fillOf(bits) > MAX_FILL ? undefined : bits),
  }
}

/** Lower case of each byte: of ASCII letters. */
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte))

function setGrams(bits: Uint8Array, base: number, bytes: Uint8Array, start: number, end: number): void {
  let gram = 0
  for (let i = start; i < end; i++) {
    gram = (gram << 8) | LOWER[bytes[i]]
    if (i < start + GRAM_BYTES - 1) continue
    const hash = hashOf(gram)
    bits[base + (hash >>> 3)] |= 1 << (hash & 7)
  }
}

/** Multiplicative hashing: the high bits of the product with 2^32 / golden ratio. */
const hashOf = (gram: number) => Math.imul(gram, 0x9e3779b1) >>> HASH_SHIFT

function fillOf(bits: Uint8Array): number {
  let set = 0
  for (let byte of bits) for (; byte !== 0; byte &= byte - 1) set++
  return set / (8 * bits.length)
}

/** Returns the hashes of the grams of a text, none if the text is shorter than a gram. */
export function messageGrams(text: Uint8Array): number[] {
  const hashes = new Set<number>()
  let gram = 0
  for (const [i, byte] of text.entries()) {
    gram = (gram << 8) | LOWER[byte]
    if (i >= GRAM_BYTES - 1) hashes.add(hashOf(gram))
  }
  return [...hashes]
}

/** Returns the rows of a selection that are in blocks with messages that may have the text with these grams. */
export function rowsWithGrams(filter: MessageFilter, selection: Selection, hashes: readonly number[]): Selection {
  const isCandidate = Array.from({ length: filter.length / BITMAP_BYTES }, (_, block) =>
    hashes.every((hash) => (filter[block * BITMAP_BYTES + (hash >>> 3)] & (1 << (hash & 7))) !== 0),
  )
  return narrow(selection, (out) => {
    const size = sizeOf(selection)
    let count = 0
    for (let position = 0; position < size; position++) {
      const row = rowAt(selection, position)
      if (isCandidate[Math.floor(row / BLOCK_ROWS)]) out[count++] = row
    }
    return count
  })
}
