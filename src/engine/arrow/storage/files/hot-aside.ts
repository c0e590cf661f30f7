import { BITMAP_BYTES, type GramFilter } from '../../columns/grams.js'
import { bytesOf } from './hot-buffers.js'

/**
 * What a hot file has that Arrow has no place for: the CRC-32 of all in front of its end, and where in that the gram filter
 * of each own column is. The filters stand behind the record batch, where other tools look at nothing: to make them anew
 * takes longer than to read all the rest.
 */
export interface HotAside {
  crc: number
  /** For each own column of the source; no blocks where it has no filter. */
  grams: readonly GramPlace[]
}

export interface GramPlace {
  offset: number
  blocks: number
}

export function encodeAside({ crc, grams }: HotAside): Buffer {
  return Buffer.from(Uint32Array.of(crc, ...grams.flatMap(({ offset, blocks }) => [offset, blocks])).buffer)
}

export function decodeAside(aside: Buffer): HotAside {
  const [crc, ...places] = new Uint32Array(new Uint8Array(aside).buffer)
  const grams = Array.from({ length: places.length / 2 }, (_, i) => ({
    offset: places[2 * i]!,
    blocks: places[2 * i + 1]!,
  }))
  return { crc: crc!, grams }
}

/** First entries of the blocks and one behind the last, then bits. */
export function encodeGrams({ firstEntries, bits }: GramFilter): Uint8Array[] {
  return [bytesOf(firstEntries), bits]
}

/** The filter at a place of the file. */
export function decodeGrams(file: Buffer, { offset, blocks }: GramPlace): GramFilter | undefined {
  if (blocks === 0) return undefined
  const firstEntries = new Uint32Array(blocks + 1)
  const bits = new Uint8Array(blocks * BITMAP_BYTES)
  file.copy(bytesOf(firstEntries), 0, offset)
  file.copy(bits, 0, offset + firstEntries.byteLength)
  return { firstEntries, bits }
}
