import { decodeFrameHeader, FRAME_HEADER_BYTES, frameBytes, PAYLOAD_LIMIT_BYTES } from './frame.js'
import { isStartOfHeader, MARKER_BYTES } from './header.js'

// A killed process leaves the first bytes of the last write: the kernel writes in order. The functions of this file
// tell such an end from damage. Zeros or other bytes at the end are damage: a kill does not leave such bytes.

/** Whether a file of `bytes` is the start of a journal without a completed first write. True for an empty file. */
export const isTornStart = (bytes: Buffer): boolean => isStartOfHeader(bytes)

/**
 * Whether the last bytes of a file are the start of a longer frame. `start` are the first {@link FRAME_HEADER_BYTES} of
 * the last bytes, or all of the last bytes if there are fewer.
 */
export function isTornFrame(start: Buffer, marker: Uint8Array, position: number, bytes: number): boolean {
  if (bytes < FRAME_HEADER_BYTES) {
    const known = Math.min(bytes, MARKER_BYTES)
    return start.subarray(0, known).equals(marker.subarray(0, known))
  }
  const header = decodeFrameHeader(start, marker, position)
  return header !== undefined && header.payloadBytes <= PAYLOAD_LIMIT_BYTES && frameBytes(header.payloadBytes) > bytes
}
