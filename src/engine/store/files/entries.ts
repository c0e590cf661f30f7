import { type Dictionary, emptyEntries } from '../../execute/columns/dictionary.js'
import { contentBytes, fromBuffer, readBuffer } from '../segment/zstd.js'
import type { Scratch } from './scratch.js'

const NEWLINE = 0x0a
const OFFSET_BYTES = 4

/**
 * Returns the dictionary of Arrow's entries: the entry for absent values first, and a newline after each entry. The
 * texts are decompressed to the end of the dictionary's memory, and then moved to their places in order.
 */
export function fromEntries(offsetsBuffer: Buffer, textsBuffer: Buffer, scratch: Scratch): Dictionary {
  const ends = readOffsets(offsetsBuffer, scratch)
  const entries = ends.length - 1
  const { offsets, bytes } = emptyEntries(entries + 1, ends[entries] + entries)
  const texts = bytes.subarray(bytes.length - contentBytes(textsBuffer))
  readBuffer(texts, textsBuffer)
  const hasNewlines = texts.includes(NEWLINE)
  const shift = texts.byteOffset - bytes.byteOffset
  let end = offsets[1]
  for (let entry = 1; entry <= entries; entry++) {
    const start = ends[entry - 1]
    bytes.copyWithin(end, shift + start, shift + ends[entry])
    end += ends[entry] - start
    bytes[end++] = NEWLINE
    offsets[entry + 1] = end
  }
  return { count: entries + 1, offsets, bytes, hasNewlines }
}

function readOffsets(buffer: Buffer, scratch: Scratch): Int32Array {
  const bytes = fromBuffer(buffer, scratch.take)
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / OFFSET_BYTES)
}
