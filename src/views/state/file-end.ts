import { crc32 } from 'node:zlib'
import { ByteReader } from '../../base/memory/byte-reader.js'
import { ByteWriter } from '../../base/memory/byte-writer.js'
import { KIB } from '../../base/units.js'
import type { ReadableFile } from '../../engine/disk/files/files.js'
import { damaged, newerFormat } from './damage.js'

/**
 * A file of states: the groups of one view and one UTC day, of the rows of some segments. The file exists whole or not
 * at all, and never changes. Numbers are little-endian, counts have seven bits a byte:
 *
 *   blocks   groups in order, about 64 KiB of groups each, each block a zstd frame without a checksum
 *   facts    {@link StateFacts} as JSON, behind the length
 *   index    the number of blocks, then for each block: bytes of the frame and of its content, CRC-32 of the frame,
 *            project and bucket of the first group
 *   trailer  bytes of facts, index and trailer, u32; format version, u16; magic `LWVIEW`; CRC-32 of everything from the
 *            facts up to here, u32
 *
 * The index has the checksum of each frame, and the trailer that of the index: no byte is used unchecked. The trailer
 * keeps its form in every version.
 */
export interface StateFacts {
  /** The identity of the view: a hash of its plan. */
  view: string
  /** The UTC day of all buckets, in days since the epoch. */
  day: number
  /** The segments of the rows that the groups contain. */
  segments: readonly ContainedSegment[]
  /** The kinds of the aggregates' states, see `StatesCodec`. */
  states: readonly string[]
  groups: number
  /** Bytes of all groups before compression, about, see `bytesOfGroup`. */
  groupBytes: number
  /** The starts of the first and the last bucket. Undefined without groups. */
  bucketsUs?: readonly [first: number, last: number] | undefined
  /** The projects with groups that take {@link LARGE_PROJECT_BYTES} or more. */
  largeProjects: readonly LargeProject[]
  /** Whether some bucket of a project has groups that were too many to keep their keys. */
  isPartial: boolean
  /** The deletions on request, by id, with rows that no group has. Absent without deletions. */
  without?: readonly string[]
}

/** A project of a file, as the key's bytes in base64, and the bytes of its groups. */
export interface LargeProject {
  project: string
  bytes: number
}

/** Projects with fewer bytes in a file are too many to be listed. */
export const LARGE_PROJECT_BYTES = 4 * KIB

/** A segment by its name, and bytes that no other segment has under this name. */
export interface ContainedSegment {
  name: string
  check: string
}

/** A block, found by the place of its first group. */
export interface BlockPlace {
  offset: number
  /** Bytes of the frame. */
  bytes: number
  contentBytes: number
  crc: number
  project: Buffer
  bucketUs: number
}

/** Facts and index of a file. */
export interface FileEnd {
  facts: StateFacts
  blocks: readonly BlockPlace[]
}

const VERSION = 1
const MAGIC = Buffer.from('LWVIEW', 'latin1')
const TRAILER_BYTES = 16
const [VERSION_AT, MAGIC_AT, CRC_AT] = [4, 6, 12]
/** The first read takes this much, which is all of most ends. */
const LAST_BYTES = 16 * KIB

/** Returns everything behind the blocks. */
export function encodeEnd({ facts, blocks }: FileEnd): Buffer {
  const out = new ByteWriter()
  out.addSized(Buffer.from(JSON.stringify(facts)))
  out.addCount(blocks.length)
  for (const { bytes, contentBytes, crc, project, bucketUs } of blocks) {
    out.addCount(bytes)
    out.addCount(contentBytes)
    out.addUint32(crc)
    out.addSized(project)
    out.addDouble(bucketUs)
  }
  const trailer = Buffer.alloc(CRC_AT)
  trailer.writeUInt32LE(out.length + TRAILER_BYTES)
  trailer.writeUInt16LE(VERSION, VERSION_AT)
  trailer.set(MAGIC, MAGIC_AT)
  out.addBytes(trailer)
  out.addUint32(crc32(out.view))
  return out.copy()
}

/** Reads the end of a file. Rejects with `damaged_view_state` or `newer_format`, or the system's error. */
export async function readEnd(file: ReadableFile, path: string): Promise<FileEnd> {
  const last = await readBytes(file, path, Math.min(file.bytes, LAST_BYTES))
  const bytes = lengthIn(last, file, path)
  const end = bytes <= last.length ? last.subarray(-bytes) : await readBytes(file, path, bytes)
  const crcAt = end.length - TRAILER_BYTES + CRC_AT
  if (crc32(end.subarray(0, crcAt)) !== end.readUInt32LE(crcAt))
    throw damaged(path, 'its end does not match the checksum in it')
  const version = end.readUInt16LE(end.length - TRAILER_BYTES + VERSION_AT)
  if (version > VERSION) throw newerFormat(path, version, VERSION)
  const decoded = decodeEnd(end.subarray(0, -TRAILER_BYTES))
  const blockBytes = decoded.blocks.reduce((sum, block) => sum + block.bytes, 0)
  if (blockBytes + bytes === file.bytes) return decoded
  throw damaged(path, `it has ${file.bytes} bytes instead of ${blockBytes + bytes}`)
}

async function readBytes(file: ReadableFile, path: string, bytes: number): Promise<Buffer> {
  const target = Buffer.allocUnsafeSlow(bytes)
  const filled = await file.readAt(file.bytes - bytes, target)
  if (filled < bytes) throw damaged(path, `it ends after ${file.bytes - bytes + filled} bytes, too early`)
  return target
}

/** Returns the length of the end, of which `last` is the last part. */
function lengthIn(last: Buffer, file: ReadableFile, path: string): number {
  const at = last.length - TRAILER_BYTES
  const isTrailer = at >= 0 && last.subarray(at + MAGIC_AT, at + CRC_AT).equals(MAGIC)
  const bytes = isTrailer ? last.readUInt32LE(at) : 0
  if (bytes >= TRAILER_BYTES && bytes <= file.bytes) return bytes
  throw damaged(path, 'it does not end like a file of a view')
}

function decodeEnd(bytes: Buffer): FileEnd {
  const reader = new ByteReader(bytes)
  const facts = JSON.parse(reader.readSized().toString()) as StateFacts
  const blocks: BlockPlace[] = []
  for (let rest = reader.readCount(), offset = 0; rest > 0; rest--) {
    const sizes = { offset, bytes: reader.readCount(), contentBytes: reader.readCount() }
    const crc = reader.readUint32()
    const project = reader.readSized()
    blocks.push({ ...sizes, crc, project, bucketUs: reader.readDouble() })
    offset += sizes.bytes
  }
  return { facts, blocks }
}
