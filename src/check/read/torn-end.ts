import { KIB } from '../../base/units.js'
import type { ReadableFile } from '../../engine/disk/files/files.js'
import { decodeFrameHeader, FRAME_HEADER_BYTES, frameBytes } from '../../engine/disk/journal/frame.js'
import { FRAMES_START, HEADER_BYTES } from '../../engine/disk/journal/header.js'
import type { Damage } from '../../engine/disk/journal/recover.js'

/** Bytes that are compared with zeros at once. */
const SCAN_BYTES = 64 * KIB
/** The first bytes of a journal. */
const MAGIC = Buffer.from('LWJRNL', 'latin1')

/**
 * Whether the damaged stretch at the end of a journal is what a killed process or a power cut leaves: a frame of which
 * the file has only the first bytes, or zeros that the file system has put in their place. None of its rows were
 * visible, or they are of the last second.
 */
export async function isTornEnd(file: ReadableFile, marker: Uint8Array, { offset, bytes }: Damage): Promise<boolean> {
  if (bytes < FRAME_HEADER_BYTES) return true
  const header = decodeFrameHeader(await readAt(file, offset, FRAME_HEADER_BYTES), marker, offset)
  return header === undefined ? isZero(file, offset, offset + bytes) : frameBytes(header.payloadBytes) > bytes
}

/** Whether a file without a readable header is a journal whose process died while it wrote the header. */
export async function isTornStart(file: ReadableFile): Promise<boolean> {
  if (file.bytes >= FRAMES_START) return isZero(file, 0, file.bytes)
  const magic = await readAt(file, 0, Math.min(file.bytes, MAGIC.length))
  const isStart = magic.equals(MAGIC.subarray(0, magic.length))
  return isStart
    ? isZero(file, HEADER_BYTES, Math.min(file.bytes, FRAMES_START - HEADER_BYTES))
    : isZero(file, 0, file.bytes)
}

async function isZero(file: ReadableFile, from: number, to: number): Promise<boolean> {
  for (let at = from; at < to; at += SCAN_BYTES) {
    const bytes = await readAt(file, at, Math.min(SCAN_BYTES, to - at))
    if (bytes.some((byte) => byte !== 0)) return false
  }
  return true
}

/** Reads up to that many bytes at a position; fewer at the end of the file. */
export async function readAt(file: ReadableFile, position: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(Math.max(0, bytes))
  return target.subarray(0, await file.readAt(position, target))
}
