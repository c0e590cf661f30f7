import type { ReadableFile } from '../../engine/disk/files/files.js'
import { decodeFrameHeader, FRAME_HEADER_BYTES, frameBytes } from '../../engine/disk/journal/frame.js'
import { FRAMES_START, HEADER_BYTES } from '../../engine/disk/journal/header.js'
import type { Damage } from '../../engine/disk/journal/recover.js'

/** The first bytes of a journal. */
const MAGIC = Buffer.from('LWJRNL', 'latin1')
/** The second copy of the header, behind zeros. */
const SECOND_COPY = FRAMES_START - HEADER_BYTES

/**
 * Whether the damaged stretch at the end of a journal is what a killed process leaves: the first bytes of a frame, none
 * of whose rows were visible. Zeros or other bytes are damage.
 */
export async function isTornEnd(file: ReadableFile, marker: Uint8Array, { offset, bytes }: Damage): Promise<boolean> {
  const start = await readAt(file, offset, Math.min(bytes, FRAME_HEADER_BYTES))
  if (bytes < FRAME_HEADER_BYTES) return start.subarray(0, marker.length).equals(marker.subarray(0, start.length))
  const header = decodeFrameHeader(start, marker, offset)
  return header !== undefined && frameBytes(header.payloadBytes) > bytes
}

/** Whether a file without a readable header is a journal whose process was killed while it wrote the header. */
export async function isTornStart(file: ReadableFile): Promise<boolean> {
  if (file.bytes >= FRAMES_START) return false
  const bytes = await readAt(file, 0, file.bytes)
  const isMagic = bytes.subarray(0, MAGIC.length).equals(MAGIC.subarray(0, bytes.length))
  return isMagic && bytes.subarray(HEADER_BYTES, SECOND_COPY).every((byte) => byte === 0)
}

/** Reads up to that many bytes at a position; fewer at the end of the file. */
export async function readAt(file: ReadableFile, position: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(Math.max(0, bytes))
  return target.subarray(0, await file.readAt(position, target))
}
