import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { LogweirError } from '../../../base/errors.js'
import { KIB } from '../../../base/units.js'
import { isSourceName } from '../../../common/own-source-names.js'
import type { SourceName } from '../../../common/sources.js'
import { packName, unpackName } from './packed-name.js'

/**
 * The header of a journal file, numbers little-endian:
 *
 *    0  magic `LWJRNL`
 *    6  format version, u16
 *    8  marker, 8 random bytes made for this file
 *   16  name of the source in ASCII, then zeros; in version 2 packed, see `packName`
 *   60  CRC-32 of the 60 bytes before it, u32
 *
 * The header is stored twice, in different pages, so that neither a flipped bit nor a lost page makes the file
 * unreadable. The bytes between the copies are ignored. Magic, version and CRC keep their places in every version.
 */
export interface JournalHeader {
  source: SourceName
  /** Starts each frame of this file and of no other. Texts of logs contain the marker only by chance, 1 in 2^64. */
  marker: Uint8Array
}

/** The format version of most journals. Files of a version after {@link PACKED_VERSION} are rejected. */
const ASCII_VERSION = 1
/** The format version of journals of sources with names that are too long for the header in ASCII. */
const PACKED_VERSION = 2
/** Length of the marker. */
export const MARKER_BYTES = 8
/** Length of a copy of the header. */
export const HEADER_BYTES = 64
/** Positions of the two copies. */
export const HEADER_COPIES = [0, 4 * KIB] as const
/** Position of the first frame. */
export const FRAMES_START = HEADER_COPIES[1] + HEADER_BYTES

const MAGIC = Buffer.from('LWJRNL', 'latin1')
const VERSION_AT = 6
const MARKER_AT = 8
const SOURCE_AT = 16
const CRC_AT = 60
const MAX_ASCII_NAME = CRC_AT - SOURCE_AT

/** Returns a header with a new random marker. */
export function createHeader(source: SourceName): JournalHeader {
  return { source, marker: Uint8Array.from(randomBytes(MARKER_BYTES)) }
}

/** Returns the first `FRAMES_START` bytes of a file. */
export function encodeHeader({ source, marker }: JournalHeader): Uint8Array {
  const bytes = Buffer.alloc(FRAMES_START)
  bytes.set(MAGIC)
  const isPacked = source.length > MAX_ASCII_NAME
  bytes.writeUInt16LE(isPacked ? PACKED_VERSION : ASCII_VERSION, VERSION_AT)
  bytes.set(marker, MARKER_AT)
  if (isPacked) bytes.set(packName(source), SOURCE_AT)
  else bytes.write(source, SOURCE_AT, 'latin1')
  bytes.writeUInt32LE(crc32(bytes.subarray(0, CRC_AT)), CRC_AT)
  bytes.copy(bytes, HEADER_COPIES[1], 0, HEADER_BYTES)
  return bytes
}

/** Whether bytes are a result of {@link encodeHeader}, or a prefix of a result. True for no bytes. */
export function isStartOfHeader(bytes: Buffer): boolean {
  if (bytes.length > FRAMES_START) return false
  const magic = Math.min(bytes.length, MAGIC.length)
  if (bytes.length < HEADER_BYTES) return bytes.subarray(0, magic).equals(MAGIC.subarray(0, magic))
  const header = decodeCopy(bytes.subarray(0, HEADER_BYTES), '')
  return header !== undefined && bytes.equals(encodeHeader(header).subarray(0, bytes.length))
}

/**
 * Decodes the first `FRAMES_START` bytes of the file at `path`. Returns the header, if a copy is undamaged, and the
 * offsets of the damaged copies. Throws `newer_format` if a later version of logweir wrote the file.
 */
export function decodeHeader(bytes: Buffer, path: string): { header?: JournalHeader; damaged: number[] } {
  const copies = HEADER_COPIES.map((at) => decodeCopy(bytes.subarray(at, at + HEADER_BYTES), path))
  const header = copies.find((copy) => copy !== undefined)
  return { header, damaged: HEADER_COPIES.filter((_, i) => copies[i] === undefined) }
}

function decodeCopy(copy: Buffer, path: string): JournalHeader | undefined {
  if (copy.length < HEADER_BYTES || !copy.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  if (copy.readUInt32LE(CRC_AT) !== crc32(copy.subarray(0, CRC_AT))) return undefined
  const version = copy.readUInt16LE(VERSION_AT)
  if (version > PACKED_VERSION) throw newerFormat(path, `has format version ${version}`, `up to ${PACKED_VERSION}`)
  const nameBytes = copy.subarray(SOURCE_AT, CRC_AT)
  const source = version === PACKED_VERSION ? unpackName(nameBytes) : nameBytes.toString('latin1').replace(/\0+$/, '')
  if (!isSourceName(source)) throw newerFormat(path, `holds rows of ${JSON.stringify(source)}`, 'other sources')
  // Copied, since the caller reuses the buffer.
  return { source, marker: Uint8Array.from(copy.subarray(MARKER_AT, MARKER_AT + MARKER_BYTES)) }
}

function newerFormat(path: string, what: string, supported: string): LogweirError {
  return new LogweirError(
    'newer_format',
    `The journal ${path} ${what}, and this version of logweir reads ${supported}. ` +
      'Start the version that wrote it, or remove the file and with it the rows in it.',
  )
}
