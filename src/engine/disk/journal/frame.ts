import { crc32 } from '../../../base/crc32.js'
import { MIB } from '../../../base/units.js'
import type { IngestBatch } from '../../engine.js'
import { MARKER_BYTES } from './header.js'

/**
 * A frame holds one batch. It begins at a multiple of 8 bytes, numbers little-endian:
 *
 *    0  marker of the file
 *    8  bytes of the payload, u32
 *   12  number of rows, u32
 *   16  CRC-32 of the payload, u32
 *   20  CRC-32 of the 20 bytes before it, begun with the frame's place in the file, u32
 *   24  payload: an Arrow IPC stream, then zeros up to a multiple of 8 bytes that say nothing
 *
 * The marker lets a reader find the next frame behind damage of any kind. The header has a CRC of its own so that a length
 * is known to be right before memory is made for it, and bound to its place so that a stretch of a file that turns up
 * twice gives its rows once.
 */
export interface FrameHeader {
  payloadBytes: number
  rows: number
  payloadCrc: number
}

export const FRAME_HEADER_BYTES = 24
/** Frames begin at its multiples; Arrow reads columns in place where the payload does. */
export const ALIGNMENT = 8
/** The largest payload, a bound for what a reader must hold. */
export const PAYLOAD_LIMIT_BYTES = 64 * MIB

const PAYLOAD_BYTES_AT = 8
const ROWS_AT = 12
const PAYLOAD_CRC_AT = 16
const HEADER_CRC_AT = 20
const ZEROS = new Uint8Array(ALIGNMENT)

/** Bytes of the whole frame. */
export function frameBytes(payloadBytes: number): number {
  return FRAME_HEADER_BYTES + payloadBytes + paddingBytes(payloadBytes)
}

const paddingBytes = (payloadBytes: number) => -payloadBytes & (ALIGNMENT - 1)

/** The pieces of the frame that goes to `position`; the payload is the batch's own memory. */
export function encodeFrame(marker: Uint8Array, position: number, { rows, ipc }: IngestBatch): Uint8Array[] {
  const header = Buffer.alloc(FRAME_HEADER_BYTES)
  header.set(marker)
  header.writeUInt32LE(ipc.length, PAYLOAD_BYTES_AT)
  header.writeUInt32LE(rows, ROWS_AT)
  header.writeUInt32LE(crc32(ipc), PAYLOAD_CRC_AT)
  header.writeUInt32LE(headerCrc(header, position), HEADER_CRC_AT)
  return [header, ipc, ZEROS.subarray(0, paddingBytes(ipc.length))]
}

/** What the bytes at `position` say as the header of a frame, or undefined where they are none that is whole. */
export function decodeFrameHeader(bytes: Buffer, marker: Uint8Array, position: number): FrameHeader | undefined {
  if (bytes.length < FRAME_HEADER_BYTES || !bytes.subarray(0, MARKER_BYTES).equals(marker)) return undefined
  if (bytes.readUInt32LE(HEADER_CRC_AT) !== headerCrc(bytes, position)) return undefined
  return {
    payloadBytes: bytes.readUInt32LE(PAYLOAD_BYTES_AT),
    rows: bytes.readUInt32LE(ROWS_AT),
    payloadCrc: bytes.readUInt32LE(PAYLOAD_CRC_AT),
  }
}

/** A CRC that begins with another value differs for the same bytes: places are told apart up to 32 GiB. */
const headerCrc = (header: Buffer, position: number) =>
  crc32(header.subarray(0, HEADER_CRC_AT), (position / ALIGNMENT) >>> 0)
