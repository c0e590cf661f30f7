import { crc32 } from 'node:zlib'
import { KIB } from '../../../base/units.js'
import type { ReadableFile } from '../../disk/files/files.js'
import type { Piece } from './column-aside.js'
import { damaged } from './damage.js'
import { readInto } from './ends.js'
import type { Scratch } from './scratch.js'

/** A piece with its description, which is the subject of an error message. */
export interface NamedPiece extends Piece {
  what: string
}

/**
 * Returns bytes of a file that were read, an empty buffer for 0 bytes. The bytes are valid as long as the temporary
 * memory.
 */
export type BytesAt = (offset: number, bytes: number) => Buffer

/** Consecutive bytes of a file in memory. */
interface Run {
  from: number
  memory: Buffer
}

/** Pieces this near to each other are read at once: reading the bytes between takes less than another call. */
const MAX_GAP_BYTES = 32 * KIB
const NO_BYTES = Buffer.alloc(0)

/**
 * Reads pieces with few calls, in succession, and checks each piece. `last` is the end of the file, of which nothing is
 * read again. Rejects with `damaged_segment`.
 */
export async function readPieces(
  file: ReadableFile,
  path: string,
  pieces: readonly NamedPiece[],
  last: Buffer,
  scratch: Scratch,
): Promise<BytesAt> {
  const known: Run = { from: file.bytes - last.length, memory: last }
  const runs = [known]
  for (const { from, to } of spansOf(pieces.filter(({ offset }) => offset < known.from))) {
    runs.push({ from, memory: await readInto(file, path, from, scratch.take(to - from)) })
  }
  const bytesAt: BytesAt = (offset, bytes) => {
    if (bytes === 0) return NO_BYTES
    const { from, memory } = runs.find(({ from, memory }) => from <= offset && offset + bytes <= from + memory.length)!
    return memory.subarray(offset - from, offset - from + bytes)
  }
  for (const { offset, bytes, crc, what } of pieces) {
    if (crc32(bytesAt(offset, bytes)) !== crc) throw damaged(path, `${what} does not match its checksum`)
  }
  return bytesAt
}

/** The spans of a file that hold all pieces, ascending. */
function spansOf(pieces: readonly Piece[]): { from: number; to: number }[] {
  const spans: { from: number; to: number }[] = []
  for (const { offset, bytes } of pieces.filter(({ bytes }) => bytes > 0).sort((a, b) => a.offset - b.offset)) {
    const before = spans.at(-1)
    if (before !== undefined && offset - before.to <= MAX_GAP_BYTES) before.to = Math.max(before.to, offset + bytes)
    else spans.push({ from: offset, to: offset + bytes })
  }
  return spans
}
