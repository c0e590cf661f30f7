import { MIB } from '../../../base/units.js'
import type { SourceName } from '../../../common/sources.js'
import type { IngestBatch } from '../../engine.js'
import { type FileAroundErrors, openAroundErrors } from '../files/around-errors.js'
import { isOfOneFile } from '../files/file-errors.js'
import type { Files } from '../files/files.js'
import { findMarker, type JournalWindow, markerOfFrames, readFrame } from './find-frames.js'
import { ALIGNMENT, FRAME_HEADER_BYTES, frameBytes } from './frame.js'
import { decodeHeader, FRAMES_START, HEADER_BYTES, HEADER_COPIES, type JournalHeader } from './header.js'
import { isTornFrame, isTornStart } from './torn.js'
import { createWindow } from './window.js'

/** Receives the content of a journal in the order of the file. Each call is awaited. An error ends the recovery. */
export interface JournalVisitor {
  /** Called with each undamaged batch. The bytes of the batch are valid until the promise resolves. */
  batch(batch: IngestBatch): Promise<void> | void
  /** Called with each damaged stretch. */
  damage(stretch: Damage): Promise<void> | void
  /** Called with an incomplete frame at the end: the write in which the process was killed. No batch was visible. */
  torn?(stretch: Damage): Promise<void> | void
}

/** A stretch of a file with bytes that were changed after the write, or never completely written. */
export interface Damage {
  path: string
  offset: number
  bytes: number
  /** The message of the system's error, if the system could not read bytes of the stretch. */
  unreadable?: string
}

/** Returns the log message for a damaged stretch. */
export function describeDamage(directory: string, { path, offset, bytes, unreadable }: Damage): string {
  const skipped = `${bytes} bytes at offset ${offset} are skipped`
  return unreadable === undefined
    ? `${directory}/${path} is damaged: ${skipped}, and the rows in them are lost`
    : `${directory}/${path} cannot be read (${unreadable}): ${skipped}, and the rows in them are not shown`
}

/** The result of reading a journal. */
export interface RecoveredJournal {
  /** Undefined if the file has no undamaged frame and both copies of the header are damaged, or were not written. */
  header: JournalHeader | undefined
  /** Position of the next append: the end of the last valid frame, 0 without a header. */
  length: number
  batches: number
  rows: number
  /**
   * The place of the damage. An incomplete last frame is no damage. `end`: the damage is behind the last frame, as
   * after a power cut. The next append may overwrite the damage. `inside`: all other damage.
   */
  damaged: 'nowhere' | 'end' | 'inside'
}

/** Bytes that are read at once. */
const WINDOW_BYTES = MIB

/**
 * Reads the journal at `path`. Passes each undamaged frame to `visitor.batch`, and each stretch between frames to
 * `visitor.damage`. Each damaged copy of the header is a stretch. If both copies are damaged, the frames tell the
 * marker, and `source` the source. If no frame is undamaged either, the whole file is a single stretch, and so is a
 * file that cannot be opened. An empty file has neither batches nor damage. Takes `windowBytes` of memory, or the
 * largest frame.
 *
 * Rejects with the system's error if the error concerns more than this file, and with `newer_format`, before any
 * visit, if a later version of logweir wrote the file.
 */
export async function recoverJournal(
  files: Files,
  path: string,
  source: SourceName,
  visitor: JournalVisitor,
  windowBytes: number = WINDOW_BYTES,
): Promise<RecoveredJournal> {
  const file = await openAroundErrors(files, path).catch(async (error) => {
    if (!(await isOfOneFile(files, path, error))) throw error
    await visitor.damage({ path, offset: 0, bytes: await files.bytesBelow(path), unreadable: error.message })
  })
  if (file === undefined) return { ...NO_ROWS, damaged: 'inside' }
  const reading: Reading = {
    window: createWindow(file, windowBytes),
    fileBytes: file.bytes,
    file,
    path,
    visitor,
    damaged: 'nowhere',
  }
  return readJournal(reading, source)
    .then((recovered) => ({ ...recovered, damaged: reading.damaged }))
    .finally(() => file.close())
}

/**
 * Returns the header of the journal at `path` as {@link recoverJournal} does, without the frames if the header is
 * undamaged. Undefined if there is no header, or if this file cannot be read.
 */
export async function readJournalHeader(
  files: Files,
  path: string,
  source: SourceName,
): Promise<JournalHeader | undefined> {
  const file = await openAroundErrors(files, path).catch(async (error) => {
    if (!(await isOfOneFile(files, path, error))) throw error
  })
  if (file === undefined) return undefined
  const window = createWindow(file, FRAMES_START)
  const journal: JournalWindow = { window, fileBytes: file.bytes }
  try {
    return (await findHeader(journal, path, source)).header
  } finally {
    await file.close()
  }
}

const NO_ROWS = { header: undefined, length: 0, batches: 0, rows: 0 }

interface Reading extends JournalWindow {
  file: FileAroundErrors
  path: string
  visitor: JournalVisitor
  damaged: RecoveredJournal['damaged']
}

type Recovered = Omit<RecoveredJournal, 'damaged'>

async function readJournal(reading: Reading, source: SourceName): Promise<Recovered> {
  const { window, fileBytes, path, visitor } = reading
  const { header, damaged } = await findHeader(reading, path, source)
  if (fileBytes < FRAMES_START && isTornStart(await window.view(0, FRAMES_START))) {
    if (fileBytes > 0) await visitor.torn?.({ path, offset: 0, bytes: fileBytes })
    return NO_ROWS
  }
  if (header === undefined || fileBytes < FRAMES_START) {
    await damage(reading, 0, fileBytes)
    return NO_ROWS
  }
  for (const offset of damaged) await damage(reading, offset, offset + HEADER_BYTES)
  return { header, ...(await readFrames(reading, header)) }
}

/**
 * Returns the header, and the offsets of the damaged copies. If both copies are damaged, or no frame has the marker of
 * the copies, the frames tell the marker.
 */
async function findHeader(
  journal: JournalWindow,
  path: string,
  source: SourceName,
): Promise<{ header?: JournalHeader; damaged: readonly number[] }> {
  const { window, fileBytes } = journal
  const stored = decodeHeader(await window.view(0, FRAMES_START), path)
  const { header } = stored
  if (fileBytes <= FRAMES_START) return stored
  if (header !== undefined && (await findMarker(journal, header.marker, FRAMES_START)) < fileBytes) return stored
  const marker = await markerOfFrames(journal)
  return marker === undefined ? stored : { header: { source, marker }, damaged: HEADER_COPIES }
}

async function readFrames(reading: Reading, { source, marker }: JournalHeader): Promise<Omit<Recovered, 'header'>> {
  const { fileBytes, visitor } = reading
  const recovered = { length: FRAMES_START, batches: 0, rows: 0 }
  for (let position = FRAMES_START; position < fileBytes; ) {
    const frame = await readFrame(reading, marker, position)
    if (frame === undefined) {
      position = await findMarker(reading, marker, position + ALIGNMENT)
      continue
    }
    if (position > recovered.length) await damage(reading, recovered.length, position)
    await visitor.batch({ source, ...frame })
    position += frameBytes(frame.ipc.length)
    recovered.length = position
    recovered.batches += 1
    recovered.rows += frame.rows
  }
  if (recovered.length < fileBytes) await visitEnd(reading, marker, recovered.length)
  return recovered
}

/** Visits the bytes behind the last frame. */
async function visitEnd(reading: Reading, marker: Uint8Array, offset: number): Promise<void> {
  const { window, fileBytes, path, visitor } = reading
  const start = await window.view(offset, FRAME_HEADER_BYTES)
  const bytes = fileBytes - offset
  if (isTornFrame(start, marker, offset, bytes)) await visitor.torn?.({ path, offset, bytes })
  else await damage(reading, offset, fileBytes)
}

async function damage(reading: Reading, offset: number, end: number): Promise<void> {
  const { file, path, visitor } = reading
  const unread = file.unreadable.find(({ from, to }) => from < end && to > offset)
  const isEnd = end === reading.fileBytes && offset >= FRAMES_START && unread === undefined
  reading.damaged = isEnd && reading.damaged === 'nowhere' ? 'end' : 'inside'
  const stretch: Damage = { path, offset, bytes: end - offset }
  await visitor.damage(unread === undefined ? stretch : { ...stretch, unreadable: unread.error.message })
}
