import { crc32 } from 'node:zlib'
import { MIB } from '../../../base/units.js'
import type { IngestBatch } from '../../engine.js'
import { MARKER_BYTES } from './header.js'

/**
 * The header of a frame, which contains a single batch. A frame starts at a multiple of 8 bytes. Numbers are
 * little-endian:
 *
 *    0  marker of the file
 *    8  bytes of the payload, u32
 *   12  number of rows, u32
 *   16  CRC-32 of the payload, u32
 *   20  CRC-32 of the 20 bytes before it, seeded with the frame's position in the file, u32
 *   24  payload: an Arrow IPC stream, then zeros up to a multiple of 8 bytes
 *
 * The marker lets a reader find the next frame after any damage. The header has its own CRC, so that the length is
 * verified before memory is allocated. The CRC depends on the position, so that a duplicated stretch of a file yields
 * its rows once.
 */
export interface FrameHeader {
  payloadBytes: number
  rows: number
  payloadCrc: number
}

/** Length of the header of a frame. */
export const FRAME_HEADER_BYTES = 24
/** Frames start at multiples of this number of bytes. Arrow reads columns in place if the payload is aligned. */
export const ALIGNMENT = 8
/** The largest payload. The limit bounds the memory of a reader. */
export const PAYLOAD_LIMIT_BYTES = 64 * MIB

const PAYLOAD_BYTES_AT = 8
const ROWS_AT = 12
const PAYLOAD_CRC_AT = 16
const HEADER_CRC_AT = 20
const ZEROS = new Uint8Array(ALIGNMENT)

/** Returns the length of a whole frame, padding included. */
export function frameBytes(payloadBytes: number): number {
  return FRAME_HEADER_BYTES + payloadBytes + paddingBytes(payloadBytes)
}

const paddingBytes = (payloadBytes: number) => -payloadBytes & (ALIGNMENT - 1)

/** Returns the pieces of the frame to be written at `position`. The payload is the batch's own memory, not a copy. */
export function encodeFrame(marker: Uint8Array, position: number, { rows, ipc }: IngestBatch): Uint8Array[] {
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  header.set(marker)
  header.writeUInt32LE(ipc.length, PAYLOAD_BYTES_AT)
  header.writeUInt32LE(rows, ROWS_AT)
  header.writeUInt32LE(crc32(ipc), PAYLOAD_CRC_AT)
  header.writeUInt32LE(headerCrc(header, position), HEADER_CRC_AT)
  return [header, ipc, ZEROS.subarray(0, paddingBytes(ipc.length))]
}

/**
 * Decodes the bytes at `position` as the header of a frame with a marker, if a marker is given. Returns undefined if
 * the bytes are not an undamaged header.
 */
export function decodeFrameHeader(
  bytes: Buffer,
  marker: Uint8Array | undefined,
  position: number,
): FrameHeader | undefined {
  if (bytes.length < FRAME_HEADER_BYTES) return undefined
  if (marker !== undefined && !bytes.subarray(0, MARKER_BYTES).equals(marker)) return undefined
  if (bytes.readUInt32LE(HEADER_CRC_AT) !== headerCrc(bytes, position)) return undefined
  return {
    payloadBytes: bytes.readUInt32LE(PAYLOAD_BYTES_AT),
    rows: bytes.readUInt32LE(ROWS_AT),
    payloadCrc: bytes.readUInt32LE(PAYLOAD_CRC_AT),
  }
}

/** A CRC with another seed differs for the same bytes, so positions are distinguished up to 32 GiB. */
const headerCrc = (header: Buffer, position: number) =>
  crc32(header.subarray(0, HEADER_CRC_AT), (position / ALIGNMENT) >>> 0)
