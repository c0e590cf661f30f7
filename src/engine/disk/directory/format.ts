import { LogweirError } from '../../../base/errors.js'
import { stateError } from '../../../base/failures.js'
import { createSerialQueue, type SerialQueue } from '../../../base/scheduling/serial-queue.js'
import { type Files, writeFile } from '../files/files.js'

/** The format versions of data directories. A version that does not know a format does not open the directory. */
const FIRST_FORMAT = 1
/** Segments may have path columns, and rows may be of own sources. */
export const ROWS_FORMAT = 2
/** There may be files of views, without which rows of views would be lost. */
export const VIEWS_FORMAT = 3
/** Rows may have been removed from segments, or be hidden by deletions. */
export const LIFE_FORMAT = 4
const NEWEST_FORMAT = LIFE_FORMAT
/** The file in a data directory that has the format version. */
export const FORMAT_FILE = 'format.json'
const NEW_NAME = `${FORMAT_FILE}.new`
/** The most that is read of that file. */
const MAX_BYTES = 4096

/**
 * Checks that this version may write to the directory, and writes the format file if there is none. Throws
 * `newer_format` if a newer version has written it, `damaged_format` if the format file cannot be parsed. An
 * error leaves the directory unchanged.
 */
export async function checkFormat(files: Files, directory: string): Promise<void> {
  const names = await files.list('')
  if (!names.includes(FORMAT_FILE)) return writeFormat(files, FIRST_FORMAT)
  const version = versionIn(await readText(files))
  if (version === undefined) throw damaged(directory)
  if (version > NEWEST_FORMAT) throw newer(directory, version)
}

/**
 * Returns the function to call before files are written that need a format version, such as path columns. The first
 * call raises the format of the directory, so that an earlier version refuses it then. The first call is repeated if it
 * was rejected.
 */
export const createFormatRaiser = (files: Files, version: number): (() => Promise<void>) =>
  onceDone(() => queueOf(files).run(() => raiseFormat(files, version)))

/** Raises of a directory run in turn, so that the highest version stays. */
const queues = new WeakMap<Files, SerialQueue>()

function queueOf(files: Files): SerialQueue {
  const queue = queues.get(files) ?? createSerialQueue()
  queues.set(files, queue)
  return queue
}

/** Calls `work` until a call has resolved, one call at a time. */
function onceDone(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
}

async function raiseFormat(files: Files, wanted: number): Promise<void> {
  const isMarked = (await files.list('')).includes(FORMAT_FILE)
  const version = isMarked ? versionIn(await readText(files)) : undefined
  if (version === undefined || version < wanted) await writeFormat(files, wanted)
}

async function writeFormat(files: Files, version: number): Promise<void> {
  await writeFile(files, NEW_NAME, [Buffer.from(`${JSON.stringify({ format: 'logweir', version })}\n`)])
  await files.rename(NEW_NAME, FORMAT_FILE)
  await files.syncDirectory('')
}

async function readText(files: Files): Promise<string> {
  const file = await files.openToRead(FORMAT_FILE)
  try {
    const bytes = Buffer.alloc(MAX_BYTES)
    return bytes.toString('utf8', 0, await file.readAt(0, bytes))
  } finally {
    await file.close()
  }
}

function versionIn(text: string): number | undefined {
  try {
    const { format, version } = JSON.parse(text)
    return format === 'logweir' && Number.isInteger(version) && version > 0 ? version : undefined
  } catch {
    return undefined
  }
}

/** Returns the error about a directory that no logweir has written. `directory` begins the sentence. */
export const noDataDirectory = (directory: string): LogweirError =>
  stateError(`${directory} is no data directory of logweir: there is no ${FORMAT_FILE} in it.`)

function newer(directory: string, version: number): LogweirError {
  return new LogweirError(
    'newer_format',
    `The data directory ${directory} has format ${version}, written by a newer logweir; ` +
      `this one reads up to ${NEWEST_FORMAT}. Use that version, or give another --data-dir.`,
  )
}

function damaged(directory: string): LogweirError {
  return new LogweirError(
    'damaged_format',
    `${directory}/${FORMAT_FILE} is damaged. If the directory was written by this version, ` +
      `put {"format":"logweir","version":${NEWEST_FORMAT}} into it.`,
  )
}
