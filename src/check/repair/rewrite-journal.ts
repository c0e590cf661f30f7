import { crc32 } from 'node:zlib'
import { MIB } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'
import type { Files, ReadableFile } from '../../engine/disk/files/files.js'
import { createHeader, type JournalHeader } from '../../engine/disk/journal/header.js'
import { type Damage, recoverJournal } from '../../engine/disk/journal/recover.js'
import { continueJournal } from '../../engine/disk/journal/writer.js'
import type { IngestBatch } from '../../engine/engine.js'
import { UNFINISHED_SUFFIX } from '../../engine/store/files/file-names.js'
import { readAt } from '../files/read-at.js'
import type { Repair } from '../findings/repair.js'
import { makeParents, parentOf, type RepairState, setAside } from './repair-state.js'

/** Bytes of a damaged stretch that are copied at once. */
const COPY_BYTES = MIB

/**
 * Writes a journal again with the intact frames, and keeps the bytes between the frames in `damaged`, one file for each
 * stretch, named by the offset. The new file replaces the old file atomically, and keeps the marker.
 */
export async function rewriteJournal(state: RepairState, path: string, source: SourceName): Promise<void> {
  const { files, onRepaired } = state
  const { header, stretches } = await readStretches(files, path, source)
  if (header === undefined) return void (await setAside(state, path))
  const kept = await keepStretches(state, path, stretches)
  const rows = await writeFrames(files, path, header, () => true)
  const what = `written again with its ${rows} intact rows; the damaged bytes are in ${kept}`
  await onRepaired({ level: 'repaired', path, what })
}

async function readStretches(files: Files, path: string, source: SourceName) {
  const stretches: Damage[] = []
  const damage = (stretch: Damage) => void stretches.push(stretch)
  const { header, batches } = await recoverJournal(files, path, source, { batch: () => {}, damage })
  return { header: batches === 0 ? undefined : header, stretches }
}

/** Copies the damaged stretches of a file to a directory below `damaged`. Returns the path of the directory. */
async function keepStretches({ files, aside }: RepairState, path: string, stretches: readonly Damage[]) {
  const directory = `${aside}/${path}`
  await makeParents(files, `${directory}/0`)
  const file = await files.openToRead(path)
  try {
    for (const stretch of stretches) await copyStretch(files, file, stretch, `${directory}/${stretch.offset}.bytes`)
  } finally {
    await file.close()
  }
  await files.syncDirectory(directory)
  return directory
}

async function copyStretch(files: Files, from: ReadableFile, { offset, bytes }: Damage, to: string): Promise<void> {
  const target = await files.openToWrite(to)
  try {
    for (let at = 0; at < bytes; at += COPY_BYTES) {
      await target.writeAt(at, [await readAt(from, offset + at, Math.min(COPY_BYTES, bytes - at))])
    }
    await target.sync()
  } finally {
    await target.close()
  }
}

/** Replaces a journal by a journal with the header and with the frames that `isWanted`. Returns the number of rows. */
async function writeFrames(
  files: Files,
  path: string,
  header: JournalHeader,
  isWanted: (batch: IngestBatch) => boolean,
): Promise<number> {
  const unfinished = `${path}${UNFINISHED_SUFFIX}`
  await files.remove(unfinished)
  const journal = continueJournal(files, unfinished, header, 0)
  let rows = 0
  const batch = async (read: IngestBatch) => {
    if (!isWanted(read)) return
    await journal.append(read)
    rows += read.rows
  }
  try {
    await recoverJournal(files, path, header.source, { batch, damage: () => {} })
    await journal.sync()
  } finally {
    await journal.close()
  }
  await files.rename(unfinished, path)
  await files.syncDirectory(parentOf(path))
  return rows
}

type Copy = Extract<Repair, { kind: 'reduce_copy' }>

/**
 * Sets a copy of a journal aside. If the copy has frames that the original does not have, as after both files were
 * continued, the copy is written again with only these frames, and with a new marker.
 */
export async function reduceCopy(state: RepairState, { path, original, source }: Copy): Promise<void> {
  const { files, onRepaired } = state
  const known = new Set<string>()
  await eachFrame(files, original, source, (batch) => void known.add(frameKey(batch)))
  let isMore = false
  await eachFrame(files, path, source, (batch) => {
    isMore ||= !known.has(frameKey(batch))
  })
  const { header } = await readStretches(files, path, source)
  if (!isMore || header === undefined) return void (await setAside(state, path))
  const isNew = (batch: IngestBatch) => !known.has(frameKey(batch))
  const rows = await writeFrames(files, path, createHeader(header.source), isNew)
  await onRepaired({ level: 'repaired', path, what: `written again with the ${rows} rows that ${original} has not` })
}

const eachFrame = (files: Files, path: string, source: SourceName, batch: (read: IngestBatch) => void) =>
  recoverJournal(files, path, source, { batch, damage: () => {} })

const frameKey = ({ rows, ipc }: IngestBatch) => `${rows} ${ipc.length} ${crc32(ipc)}`
