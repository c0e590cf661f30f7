import { crc32 } from 'node:zlib'
import { KIB } from '../../../base/units.js'
import type { IngestBatch } from '../../engine.js'
import {
  ALIGNMENT,
  decodeFrameHeader,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  frameBytes,
  PAYLOAD_LIMIT_BYTES,
} from './frame.js'
import { FRAMES_START, MARKER_BYTES } from './header.js'
import type { Window } from './window.js'

/** A journal that is being read. */
export interface JournalWindow {
  window: Window
  fileBytes: number
}

/** Bytes that are searched at once for the next frame: few, so that most of the bytes are in the window already. */
const SCAN_BYTES = 4 * KIB

/** Returns the undamaged frame at `position`, or undefined. If no marker is given, the frame may have any marker. */
export async function readFrame(
  { window, fileBytes }: JournalWindow,
  marker: Uint8Array | undefined,
  position: number,
): Promise<Pick<IngestBatch, 'rows' | 'ipc'> | undefined> {
  const header = decodeFrameHeader(await window.view(position, FRAME_HEADER_BYTES), marker, position)
  if (header === undefined || !fits(header, fileBytes - position)) return undefined
  const bytes = await window.view(position, frameBytes(header.payloadBytes))
  const ipc = new Uint8Array(bytes.buffer, bytes.byteOffset + FRAME_HEADER_BYTES, header.payloadBytes)
  return crc32(ipc) === header.payloadCrc ? { rows: header.rows, ipc } : undefined
}

const fits = ({ payloadBytes }: FrameHeader, roomBytes: number) =>
  payloadBytes <= PAYLOAD_LIMIT_BYTES && frameBytes(payloadBytes) <= roomBytes

/** Returns the next position of the marker, from `position` on. Returns the end of the file if there is none. */
export async function findMarker(
  { window, fileBytes }: JournalWindow,
  marker: Uint8Array,
  position: number,
): Promise<number> {
  for (let at = position; at < fileBytes; at += SCAN_BYTES) {
    const bytes = await window.view(at, SCAN_BYTES)
    // Frames and scans start at multiples of 8 bytes, so no marker spans two scans.
    for (let found = bytes.indexOf(marker); found !== -1; found = bytes.indexOf(marker, found + 1)) {
      if ((at + found) % ALIGNMENT === 0) return at + found
    }
  }
  return fileBytes
}

/**
 * Returns the marker of a journal if both copies of the header are damaged: the marker with the most bytes of
 * undamaged frames, since single frames of another file may be in the journal after a power cut. Undefined if there is
 * no frame.
 */
export async function markerOfFrames(journal: JournalWindow): Promise<Uint8Array | undefined> {
  const bytesByMarker = new Map<string, number>()
  for (let position = FRAMES_START; position < journal.fileBytes; ) {
    const frame = await readFrame(journal, undefined, position)
    if (frame === undefined) {
      position = await findFrameHeader(journal, position + ALIGNMENT)
      continue
    }
    const marker = (await journal.window.view(position, MARKER_BYTES)).toString('hex')
    const bytes = frameBytes(frame.ipc.length)
    bytesByMarker.set(marker, (bytesByMarker.get(marker) ?? 0) + bytes)
    position += bytes
  }
  const [most] = [...bytesByMarker].sort(([, a], [, b]) => b - a)
  return most && Uint8Array.from(Buffer.from(most[0], 'hex'))
}

/** Returns the next position of an undamaged frame header with any marker, from `position` on. Else returns the end. */
async function findFrameHeader({ window, fileBytes }: JournalWindow, position: number): Promise<number> {
  for (let at = position; at < fileBytes; at += SCAN_BYTES) {
    const bytes = await window.view(at, SCAN_BYTES + FRAME_HEADER_BYTES - ALIGNMENT)
    for (let offset = 0; offset < SCAN_BYTES && offset + FRAME_HEADER_BYTES <= bytes.length; offset += ALIGNMENT) {
      const header = decodeFrameHeader(bytes.subarray(offset), undefined, at + offset)
      if (header !== undefined && fits(header, fileBytes - at - offset)) return at + offset
    }
  }
  return fileBytes
}
