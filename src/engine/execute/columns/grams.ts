import { KIB } from '../../../base/units.js'

/**
 * Finds the blocks of a dictionary that cannot contain a text: for each block of about 64 KiB of entries, a bitmap of
 * its 4-byte sequences (grams). A block that lacks a gram of a literal does not contain the literal, so a project's ref
 * is searched for in the blocks of that project, and in few others.
 */
export interface GramFilter {
  /** Block b has the entries [firstEntries[b], firstEntries[b + 1]). */
  firstEntries: Uint32Array
  bits: Uint8Array
}

const BLOCK_BYTES = 64 * KIB
/** Bytes of a block's bitmap: half of the bits stay clear for random hexadecimal digits. */
export const BITMAP_BYTES = 4 * KIB
const HASH_SHIFT = 32 - Math.log2(BITMAP_BYTES * 8)
/** Bytes of a gram. Literals that are shorter are not filtered. */
export const GRAM_BYTES = 4

/** Whether a dictionary with the given bytes needs a filter: a search of less than two blocks is cheap. */
export const needsGramFilter = (bytes: Uint8Array): boolean => bytes.length >= 2 * BLOCK_BYTES

/** Creates the filter of a dictionary. Each entry shares the first `shared[entry]` bytes with the previous entry. */
export function createGramFilter(offsets: Uint32Array, bytes: Uint8Array, shared: Uint8Array): GramFilter {
  const firstEntries = cutBlocks(offsets)
  const blocks = firstEntries.length - 1
  const bits = new Uint8Array(blocks * BITMAP_BYTES)
  for (let block = 0; block < blocks; block++) {
    const bitmap = bits.subarray(block * BITMAP_BYTES, (block + 1) * BITMAP_BYTES)
    const [first, end] = [firstEntries[block], firstEntries[block + 1]]
    setGrams(bitmap, bytes, offsets[first], offsets[first + 1])
    // The grams of shared bytes are set.
    for (let entry = first + 1; entry < end; entry++) {
      setGrams(bitmap, bytes, offsets[entry] + Math.max(0, shared[entry] - GRAM_BYTES + 1), offsets[entry + 1])
    }
  }
  return { firstEntries, bits }
}

/** Returns the blocks that may contain a literal, given its {@link gramHashes}: all blocks if there are no hashes. */
export function candidateBlocks({ firstEntries, bits }: GramFilter, hashes: readonly number[]): number[] {
  const blocks: number[] = []
  for (let block = 0; block < firstEntries.length - 1; block++) {
    if (hasAll(bits, block * BITMAP_BYTES, hashes)) blocks.push(block)
  }
  return blocks
}

function hasAll(bits: Uint8Array, base: number, hashes: readonly number[]): boolean {
  for (const hash of hashes) if ((bits[base + (hash >>> 3)] & (1 << (hash & 7))) === 0) return false
  return true
}

function cutBlocks(offsets: Uint32Array): Uint32Array {
  const firsts = [0]
  for (let entry = 1; entry < offsets.length; entry++) {
    const isLast = entry === offsets.length - 1
    if (isLast || offsets[entry] - offsets[firsts.at(-1)!] >= BLOCK_BYTES) firsts.push(entry)
  }
  return Uint32Array.from(firsts)
}

/** Sets the grams within the bytes [start, end). */
function setGrams(bitmap: Uint8Array, bytes: Uint8Array, start: number, end: number): void {
  let gram = (bytes[start] << 16) | (bytes[start + 1] << 8) | bytes[start + 2]
  for (let i = start + GRAM_BYTES - 1; i < end; i++) {
    gram = (gram << 8) | bytes[i]
    const hash = hashOf(gram)
    bitmap[hash >>> 3] |= 1 << (hash & 7)
  }
}

/** Returns the hashes of all grams of a literal, none if the literal is shorter than a gram. */
export function gramHashes(literal: Uint8Array): number[] {
  const grams = Array.from({ length: Math.max(0, literal.length - GRAM_BYTES + 1) }, (_, i) =>
    literal.subarray(i, i + GRAM_BYTES).reduce((gram, byte) => (gram << 8) | byte, 0),
  )
  return grams.map(hashOf)
}

/** Multiplicative hashing: the high bits of the product with 2^32 / golden ratio. */
function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> HASH_SHIFT
}
