import { crc32 } from 'node:zlib'
import { LogweirError } from '../base/errors.js'
import type { RowLimits } from '../engine/deletion.js'
import { type Files, writeFile } from '../engine/disk/files/files.js'
import { DAMAGED_RETENTION_FILE, NEW_RETENTION_FILE, RETENTION_FILE } from './file-names.js'
import { type KeptRetention, replaceCurrent, withoutHistory } from './history.js'
import { inSharedMemory, keptOfJson, keptToJson } from './kept-json.js'
import { limitsOf, type RetentionLimits } from './row-limits.js'
import type { Retention } from './rules.js'

/**
 * Reads the times that the last service of a data directory has stored. Undefined if there are none. Throws
 * `newer_format`, `damaged_retention`, and the system's error.
 */
export async function readStored(files: Files): Promise<KeptRetention | undefined> {
  if (!(await files.list('')).includes(RETENTION_FILE)) return undefined
  const file = await files.openToRead(RETENTION_FILE)
  try {
    const bytes = Buffer.alloc(file.bytes)
    return parseStored(bytes.subarray(0, await file.readAt(0, bytes)))
  } finally {
    await file.close()
  }
}

/** Returns the times in the bytes of the file. Throws `newer_format` and `damaged_retention`. */
export function parseStored(bytes: Buffer): KeptRetention {
  const json = bytes.subarray(headOf(Buffer.of()).length, -TAIL.length)
  const isIntact = bytes.equals(Buffer.concat([headOf(json), json, TAIL]))
  try {
    if (isIntact) return keptOfJson(json.toString())
  } catch (error) {
    if (error instanceof LogweirError) throw error
  }
  throw new LogweirError(
    'damaged_retention',
    `${RETENTION_FILE} in the data directory is damaged. The next start of the service sets it aside.`,
  )
}

/** The file is JSON: a checksum, then the times. */
const headOf = (json: Uint8Array): Buffer =>
  Buffer.from(`{"checksum":"${crc32(json).toString(16).padStart(8, '0')}","times":`)
const TAIL = Buffer.from('}\n')

/** Writes the times, which exist whole or not at all, and survive a power cut. Rejects with the system's error. */
export async function writeStored(files: Files, json: Uint8Array): Promise<void> {
  await files.remove(NEW_RETENTION_FILE)
  await writeFile(files, NEW_RETENTION_FILE, [headOf(json), json, TAIL])
  await files.rename(NEW_RETENTION_FILE, RETENTION_FILE)
  await files.syncDirectory('')
}

/** Gives a damaged file another name. Rejects with the system's error. */
export async function setAside(files: Files): Promise<string> {
  await files.rename(RETENTION_FILE, DAMAGED_RETENTION_FILE)
  await files.syncDirectory('')
  return DAMAGED_RETENTION_FILE
}

/**
 * Returns the limits that the last service of a data directory had, for commands that only read: no row is removed.
 * Undefined if there are none. Throws the errors of {@link readStored}.
 */
export async function storedLimits(files: Files): Promise<(RetentionLimits & RowLimits) | undefined> {
  const kept = await readStored(files)
  return kept && { ...limitsOf(kept), removableThroughUs: () => Number.NEGATIVE_INFINITY, revision: 0 }
}

/**
 * Returns the limits of rows that a command adds to a data directory, as JSON for threads: those of a retention file,
 * or else those that the last service had. Undefined if there are neither. Throws the errors of {@link readStored}.
 */
export async function limitsOfAdded(files: Files, given: Retention | undefined, nowUs: number) {
  const stored = await readStored(files)
  if (given === undefined) return stored && inSharedMemory(keptToJson(stored))
  return inSharedMemory(keptToJson(stored === undefined ? withoutHistory(given) : replaceCurrent(stored, given, nowUs)))
}
