import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stateError, usageError } from '../base/failures.js'
import { explainFileError } from '../base/files/file-errors.js'
import { makeDirectories } from '../base/files/make-directories.js'
import { formatTokenEntries, isTokenEntriesText, parseTokenEntries, type TokenEntry } from './entry.js'
import { readTokensText } from './tokens-file.js'

const PRIVATE_FILE = 0o600
/** How long an update waits for another update to finish, and the polling interval. */
const WAIT_MS = 10_000
const POLL_MS = 20
/** An update takes milliseconds: if an unfinished update is older, the process of the update has died. */
const DEAD_MS = 5_000

/**
 * Returns the entries of a file of hashed tokens, or an empty list if there is no file. Throws `usage`, or `failed` if
 * the file cannot be read.
 */
export function readTokenEntries(path: string): TokenEntry[] {
  const text = readTokensText(path)
  if (text === undefined) return []
  if (isTokenEntriesText(text)) return parseTokenEntries(text, path)
  throw usageError(`${path} holds plain tokens, one a line: edit it by hand, or give another --tokens-file.`)
}

/**
 * Updates a file of hashed tokens atomically. Updates of several processes run in sequence. If the path is a link, the
 * target of the link is updated. If there is no file, creates a file that only the owner can read. Throws `usage`,
 * `failed` if the file cannot be written now, and the errors of `change`.
 */
export async function updateTokenEntries(
  named: string,
  change: (entries: readonly TokenEntry[]) => readonly TokenEntry[],
) {
  const path = targetOf(named)
  // The new file is also the lock: the process that created the new file may rename the new file over the old file.
  const next = `${path}.new`
  const file = await createExclusively(next)
  try {
    writeFileSync(file, formatTokenEntries(change(readTokenEntries(path))))
    fsyncSync(file)
    if (!isAt(file, next)) throw stateError(`${next} was removed by another process: nothing was changed. Try again.`)
    renameSync(next, path)
  } catch (error) {
    if (isAt(file, next)) rmSync(next)
    throw error
  } finally {
    closeSync(file)
  }
}

/** Returns the path with links resolved, or the path itself if nothing is there yet. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Whether an open file is still at the path: another process may have removed the file as dead. */
function isAt(file: number, path: string): boolean {
  return fstatSync(file).ino === statSync(path, { throwIfNoEntry: false })?.ino
}

/** Creates a file, after waiting until no file is there. Throws `failed` after {@link WAIT_MS}. */
async function createExclusively(path: string): Promise<number> {
  await makeDirectory(path)
  for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += POLL_MS) {
    try {
      return openSync(path, 'wx', PRIVATE_FILE)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(path, error as Error)
    }
    removeDead(path)
    await pause(POLL_MS)
  }
  throw stateError(
    `another process has been changing the tokens for ${WAIT_MS / 1000} s. If there is none, remove ${path}.`,
  )
}

async function makeDirectory(path: string): Promise<void> {
  await makeDirectories(dirname(path)).catch((error) => {
    throw cannotWrite(path, error)
  })
}

/** Deletes the unfinished file of an update that was killed. The process of an old file is dead. */
export const removeDeadUpdate = (path: string): void => removeDead(`${targetOf(path)}.new`)

function removeDead(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && Date.now() - found.mtimeMs > DEAD_MS) rmSync(path, { force: true })
}

const cannotWrite = (path: string, error: Error) => explainFileError('failed', `cannot write ${path}`, path, error)
