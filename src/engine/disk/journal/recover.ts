import { crc32 } from '../../../base/crc32.js'
import { KIB, MIB } from '../../../base/units.js'
import type { IngestBatch } from '../../engine.js'
import type { Files } from '../files/files.js'
import {
  ALIGNMENT,
  decodeFrameHeader,
  FRAME_HEADER_BYTES,
  type FrameHeader,
  frameBytes,
  PAYLOAD_LIMIT_BYTES,
} from './frame.js'
import { decodeHeader, FRAMES_START, HEADER_BYTES, type JournalHeader } from './header.js'
import { createWindow, type Window } from './window.js'

/** Receives the content of a journal in the order of the file. Each call is awaited; an error ends the recovery. */
export interface JournalVisitor {
  /** Called with each undamaged batch. Its bytes are valid until the promise resolves. */
  batch(batch: IngestBatch): Promise<void> | void
  /** Called with each damaged stretch. */
  damage(stretch: Damage): Promise<void> | void
}

/** A stretch of a file with bytes that were changed after they were written, or never completely written. */
export interface Damage {
  path: string
  offset: number
  bytes: number
}

/** Returns the log message for a damaged stretch. */
export function describeDamage(directory: string, { path, offset, bytes }: Damage): string {
  const stretch = `${bytes} bytes at offset ${offset}`
  return `${directory}/${path} is damaged: ${stretch} are skipped, and the rows in them are lost`
}

/** The result of reading a journal. */
export interface RecoveredJournal {
  /** Undefined if both copies of the header are damaged; the file has no readable frames then. */
  header: JournalHeader | undefined
  /** Position of the next append: the end of the last valid frame; 0 without a header. */
  length: number
  batches: number
  rows: number
}

/** Bytes that are read at once. */
const WINDOW_BYTES = MIB
/** Bytes that are searched at once for the next frame: few, so that most of them are in the window already. */
const SCAN_BYTES = 4 * KIB

/**
 * Reads the journal at `path`. Passes each undamaged frame to `visitor.batch`, and each stretch between them to
 * `visitor.damage`, a torn end included. Each damaged copy of the header is a stretch; if both are damaged, the whole
 * file is one. An empty file has neither batches nor damage. Takes `windowBytes` of memory, or the largest frame.
 *
 * Rejects with the system's error if the file cannot be read, and with `newer_format`, before any visit, if a later
 * version of logweir wrote the file.
 */
export async function recoverJournal(
  files: Files,
  path: string,
  visitor: JournalVisitor,
  windowBytes: number = WINDOW_BYTES,
): Promise<RecoveredJournal> {
  const file = await files.openToRead(path)
  const window = createWindow(file, windowBytes)
  const damage = (offset: number, end: number) => visitor.damage({ path, offset, bytes: end - offset })
  const reading: Reading = {
    window,
    fileBytes: file.bytes,
    damage,
    batch: (batch) => visitor.batch(batch),
  }
  return readJournal(reading, path).finally(() => file.close())
}

interface Reading {
  window: Window
  fileBytes: number
  damage(offset: number, end: number): Promise<void> | void
  batch: JournalVisitor['batch']
}

async function readJournal(reading: Reading, path: string): Promise<RecoveredJournal> {
  const { window, fileBytes, damage } = reading
  const { header, damaged } = decodeHeader(await window.view(0, FRAMES_START), path)
  if (header === undefined || fileBytes < FRAMES_START) {
    if (fileBytes > 0) await damage(0, fileBytes)
    return { header: undefined, length: 0, batches: 0, rows: 0 }
  }
  for (const offset of damaged) await damage(offset, offset + HEADER_BYTES)
  return { header, ...(await readFrames(reading, header)) }
}

async function readFrames(
  reading: Reading,
  { source, marker }: JournalHeader,
): Promise<Omit<RecoveredJournal, 'header'>> {
  const { fileBytes, damage } = reading
  const recovered = { length: FRAMES_START, batches: 0, rows: 0 }
  for (let position = FRAMES_START; position < fileBytes; ) {
    const frame = await readFrame(reading, marker, position)
    if (frame === undefined) {
      position = await findMarker(reading, marker, position + ALIGNMENT)
      continue
    }
    if (position > recovered.length) await damage(recovered.length, position)
    await reading.batch({ source, ...frame })
    position += frameBytes(frame.ipc.length)
    recovered.length = position
    recovered.batches += 1
    recovered.rows += frame.rows
  }
  if (recovered.length < fileBytes) await damage(recovered.length, fileBytes)
  return recovered
}

/** Returns the frame at `position`; undefined if there is no undamaged one. */
async function readFrame(
  { window, fileBytes }: Reading,
  marker: Uint8Array,
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

/** Returns the next position of the marker, from `position` on; the end of the file if there is none. */
async function findMarker({ window, fileBytes }: Reading, marker: Uint8Array, position: number): Promise<number> {
  for (let at = position; at < fileBytes; at += SCAN_BYTES) {
    const bytes = await window.view(at, SCAN_BYTES)
    // Frames and scans start at multiples of 8 bytes, so no marker spans two scans.
    for (let found = bytes.indexOf(marker); found !== -1; found = bytes.indexOf(marker, found + 1)) {
      if ((at + found) % ALIGNMENT === 0) return at + found
    }
  }
  return fileBytes
}
