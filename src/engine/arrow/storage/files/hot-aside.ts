import { BITMAP_BYTES, type GramFilter } from '../../columns/grams.js'
import { bytesOf } from './hot-buffers.js'

/**
 * Data of a hot file that Arrow's format has no place for: the CRC-32 of everything before the end, and the place of
 * the gram filter of each own column. The filters are stored after the record batch, which other tools ignore:
 * computing them again would take longer than reading the rest of the file.
 */
export interface HotAside {
  crc: number
  /** One for each own column of the source; 0 blocks if it has no filter. */
  grams: readonly GramPlace[]
}

/** The byte offset of a gram filter in the file, and its number of blocks. */
export interface GramPlace {
  offset: number
  blocks: number
}

/** Encodes the data as 32-bit integers. */
export function encodeAside({ crc, grams }: HotAside): Buffer {
  return Buffer.from(Uint32Array.of(crc, ...grams.flatMap(({ offset, blocks }) => [offset, blocks])).buffer)
}

/** Decodes the bytes that {@link encodeAside} returned. */
export function decodeAside(aside: Buffer): HotAside {
  const [crc, ...places] = new Uint32Array(new Uint8Array(aside).buffer)
  const grams = Array.from({ length: places.length / 2 }, (_, i) => ({
    offset: places[2 * i]!,
    blocks: places[2 * i + 1]!,
  }))
  return { crc: crc!, grams }
}

/** Encodes a filter: the first entry of each block and the number of all entries, then the bits. */
export function encodeGrams({ firstEntries, bits }: GramFilter): Uint8Array[] {
  return [bytesOf(firstEntries), bits]
}

/** Returns the filter at a place of the file, copied; undefined if there is none. */
export function decodeGrams(file: Buffer, { offset, blocks }: GramPlace): GramFilter | undefined {
  if (blocks === 0) return undefined
  const firstEntries = new Uint32Array(blocks + 1)
  const bits = new Uint8Array(blocks * BITMAP_BYTES)
  file.copy(bytesOf(firstEntries), 0, offset)
  file.copy(bits, 0, offset + firstEntries.byteLength)
  return { firstEntries, bits }
}
