import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { decompressFrame } from '../support/zstd-frames.js'

/** The first bytes of a zstd frame. */
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
/** The bytes of the content size in a frame's header, by the two bits that say it (RFC 8878, 3.1.1.1.1). */
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]
const DICTIONARY_ID_BYTES = [0, 1, 2, 4]
const RLE = 1

/**
 * Returns those of some texts that a directory has: in the bytes of a file, or in the content of a zstd frame of it.
 */
export function textsInDirectory(directory: string, texts: readonly string[]): string[] {
  const found = new Set<string>()
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name)
    if (!statSync(path).isFile()) continue
    const whole = readFileSync(path)
    const bytes = Buffer.concat([whole, ...framesIn(whole)])
    for (const text of texts) if (bytes.includes(text) || name.includes(text)) found.add(text)
  }
  return [...found]
}

/** Returns the contents of the frames in some bytes, in order. Bytes that only look like a frame hold nothing. */
function framesIn(bytes: Buffer): Buffer[] {
  const contents: Buffer[] = []
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    const end = endOfFrame(bytes, at)
    try {
      contents.push(Buffer.from(decompressFrame(bytes.subarray(at, end))))
    } catch {}
  }
  return contents
}

/** Returns where a frame ends (RFC 8878, 3.1.1). */
function endOfFrame(bytes: Buffer, start: number): number {
  const descriptor = bytes[start + MAGIC.length] ?? 0
  const isSingleSegment = (descriptor & 0x20) !== 0
  const contentSize = descriptor >> 6 === 0 && isSingleSegment ? 1 : CONTENT_SIZE_BYTES[descriptor >> 6]!
  const window = isSingleSegment ? 0 : 1
  let at = start + MAGIC.length + 1 + window + DICTIONARY_ID_BYTES[descriptor & 3]! + contentSize
  for (let isLast = false; !isLast && at + 3 <= bytes.length; ) {
    const header = bytes.readUIntLE(at, 3)
    isLast = (header & 1) === 1
    at += 3 + (((header >> 1) & 3) === RLE ? 1 : header >> 3)
  }
  return Math.min(bytes.length, at + ((descriptor & 4) === 0 ? 0 : 4))
}
