import { LogweirError } from '../base/errors.js'
import { type Files, writeFile } from '../engine/disk/files/files.js'
import type { KeptRetention } from './history.js'
import { keptOfJson } from './kept-json.js'
import { limitsOf, type RetentionLimits } from './row-limits.js'

/** The file of a data directory with the times that hold, and former ones. */
export const RETENTION_FILE = 'retention.json'
/** The file while it is written. */
export const NEW_RETENTION_FILE = `${RETENTION_FILE}.new`
/** The name that a damaged file gets. */
const DAMAGED = `${RETENTION_FILE}.damaged`

/**
 * Reads the times that the last service of a data directory has stored. Undefined if there are none. Throws
 * `newer_format`, `damaged_retention`, and the system's error.
 */
export async function readStored(files: Files): Promise<KeptRetention | undefined> {
  if (!(await files.list('')).includes(RETENTION_FILE)) return undefined
  const file = await files.openToRead(RETENTION_FILE)
  try {
    const bytes = Buffer.alloc(file.bytes)
    return keptOfJson(bytes.subarray(0, await file.readAt(0, bytes)).toString())
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    throw new LogweirError(
      'damaged_retention',
      `${RETENTION_FILE} in the data directory is damaged. The service sets it aside at its next start.`,
    )
  } finally {
    await file.close()
  }
}

/** Writes the times, which exist whole or not at all, and survive a power cut. Rejects with the system's error. */
export async function writeStored(files: Files, json: Uint8Array): Promise<void> {
  await files.remove(NEW_RETENTION_FILE)
  await writeFile(files, NEW_RETENTION_FILE, [json])
  await files.rename(NEW_RETENTION_FILE, RETENTION_FILE)
  await files.syncDirectory('')
}

/** Gives a damaged file another name. Rejects with the system's error. */
export async function setAside(files: Files): Promise<string> {
  await files.rename(RETENTION_FILE, DAMAGED)
  await files.syncDirectory('')
  return DAMAGED
}

/**
 * Returns the limits that the last service of a data directory had, for commands without a service. Undefined if there
 * are none. Throws the errors of {@link readStored}.
 */
export async function storedLimits(
  files: Files,
): Promise<(RetentionLimits & { readonly revision: number }) | undefined> {
  const kept = await readStored(files)
  return kept && { ...limitsOf(kept), revision: 0 }
}
