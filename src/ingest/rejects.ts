import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../base/log.js'
import { createSerialQueue } from '../base/scheduling/serial-queue.js'
import { createYielder } from '../base/scheduling/time-slices.js'
import { NEWLINE } from '../base/text/ascii.js'
import { mentions } from '../base/text/mentions.js'
import { type Clock, systemClock } from '../base/time/clock.js'
import { MIB } from '../base/units.js'

/** The reason why a line is rejected. */
export type Reason =
  | 'invalid_json'
  | 'invalid_utf8'
  | 'not_an_object'
  | 'missing_source'
  | 'unknown_source'
  | 'invalid_field'
  | 'invalid_timestamp'
  | 'too_old'
  | 'too_far_ahead'
  /** The sender's access token is not bound to the project of the record. */
  | 'forbidden_project'
  | 'line_too_long'
  | 'too_deep'

/** Rejected lines, in their order. */
export interface RejectBatch {
  count: number
  byReason: Partial<Record<Reason, number>>
  /** The first rejected lines, at most {@link LOGGED_PER_SECOND}. A line's number counts from 1. */
  first: { line: number; reason: Reason }[]
  /** Whole entries for the rejects file, at most `maxEntryBytes` of {@link Rejects}. Empty if `maxEntryBytes` is 0. */
  entries: Uint8Array
}

/** Stores rejected lines. */
export interface Rejects {
  /** The size of the longest entry that is stored, in bytes. 0 if entries are not stored. */
  readonly maxEntryBytes: number
  /**
   * Stores the rejects in order. Resolves when the rejects are written. Never rejects: a failing disk is logged once.
   * Entries that wait for the disk are dropped, the oldest first, when later entries fill both files and would replace
   * the older entries anyway.
   */
  write(rejects: RejectBatch): Promise<void>
  /**
   * Removes the entries that have the name of a project from the files, and entries that a crash has cut off: those of
   * all calls of `write` before. Once the promise resolves, with the number of removed entries, no file has them, also
   * after a power cut. Rejects with the system's error. Takes the memory of a file.
   */
  erase(project: string): Promise<number>
  close(): Promise<void>
}

/** The size in bytes at which the rejects file is rotated. A single older file of that size remains. */
export const REJECTS_FILE_BYTES = 16 * MIB

/** Where rejects are stored, and the size at which the file is rotated, in bytes. */
export interface RejectsOptions {
  /** The directory of `rejects.ndjson`. If undefined, rejects are only logged, with number and reason. */
  dataDir?: string
  log: Log
  maxBytes?: number
  clock?: Clock
}

/** Opens the store of rejects: a file in a data directory, otherwise only the log. */
export function openRejects({
  dataDir,
  log,
  maxBytes = REJECTS_FILE_BYTES,
  clock = systemClock,
}: RejectsOptions): Rejects {
  return dataDir === undefined ? logRejects(log, clock) : fileRejects(dataDir, log, maxBytes)
}

/** The most log lines per second, in addition to a line with the number of omitted lines. */
export const LOGGED_PER_SECOND = 3
const REJECTED = { level: 'warn', code: 'rejected' } as const

/** Logs number and reason, never the line itself, which may contain secrets. */
function logRejects(log: Log, clock: Clock): Rejects {
  let secondStartMs = Number.NEGATIVE_INFINITY
  let inSecond = 0

  function write({ count, first }: RejectBatch): void {
    if (clock.monotonicMs() - secondStartMs >= 1000) startSecond()
    for (const { line, reason } of first.slice(0, Math.max(0, LOGGED_PER_SECOND - inSecond)))
      log(`line ${line} rejected: ${reason}`, { ...REJECTED, line, reason })
    inSecond += count
  }

  function startSecond(): void {
    if (inSecond > LOGGED_PER_SECOND) log(`${inSecond - LOGGED_PER_SECOND} more lines rejected`, REJECTED)
    secondStartMs = clock.monotonicMs()
    inSecond = 0
  }

  return {
    maxEntryBytes: 0,
    write: async (rejects) => write(rejects),
    erase: async () => 0,
    close: async () => startSecond(),
  }
}

/** Appends to `rejects.ndjson`. A full file is renamed to `rejects.1.ndjson`, which replaces the previous file. */
function fileRejects(dataDir: string, log: Log, maxBytes: number): Rejects {
  const path = join(dataDir, FILE)
  let file: FileHandle | undefined
  let fileBytes = 0
  let failing = false
  const queue = createSerialQueue()
  const waiting = createWaitingEntries(2 * maxBytes)

  async function openFile(): Promise<FileHandle> {
    file = await open(path, 'a+', 0o600)
    await file.chmod(0o600)
    await endTornEntry(file)
    fileBytes = (await file.stat()).size
    return file
  }

  async function closeFile(): Promise<void> {
    const closing = file
    file = undefined
    await closing?.close()
  }

  async function rotate(): Promise<FileHandle> {
    await closeFile()
    await rename(path, join(dataDir, OLDER_FILE))
    return openFile()
  }

  async function append(entries: Uint8Array): Promise<void> {
    let handle = file ?? (await openFile())
    if (fileBytes > 0 && fileBytes + entries.length > maxBytes) handle = await rotate()
    await handle.appendFile(entries)
    fileBytes += entries.length
  }

  /** A failing disk must not stop the stream. Only the first failure is logged until the disk works again. */
  async function logFailure(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      failing = false
    } catch (error) {
      if (!failing) reportFailure(log, path, error as Error)
      failing = true
      await closeFile().catch(() => {})
    }
  }

  function write({ entries }: RejectBatch): Promise<void> {
    waiting.add(entries)
    return queue.run(async () => {
      const oldest = waiting.next()
      if (oldest !== undefined) await logFailure(() => append(oldest))
    })
  }

  const erase = (project: string) => queue.run(() => closeFile().then(() => eraseEntries(dataDir, project)))
  return { maxEntryBytes: maxBytes, write, erase, close: () => queue.run(() => logFailure(closeFile)) }
}

const reportFailure = (log: Log, path: string, { message }: Error) =>
  log(`cannot write ${path}: ${message}; until it can be, rejects are only counted`, {
    level: 'error',
    code: 'rejects_not_written',
    path,
  })

const FILE = 'rejects.ndjson'
const OLDER_FILE = 'rejects.1.ndjson'

/** Removes the entries of a project from both files. Returns the number of removed entries. */
async function eraseEntries(dataDir: string, project: string): Promise<number> {
  let erased = 0
  for (const name of [OLDER_FILE, FILE]) erased += await eraseIn(dataDir, name, project)
  return erased
}

/** Writes a file again without the entries of a project. Returns the number of removed entries. */
async function eraseIn(dataDir: string, name: string, project: string): Promise<number> {
  const path = join(dataDir, name)
  const unfinished = `${path}.new`
  await rm(unfinished, { force: true })
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return Buffer.alloc(0)
  })
  const { kept, removed } = await withoutProject(content, project)
  if (removed === 0) return 0
  const file = await open(unfinished, 'w', 0o600)
  await file
    .writeFile(Buffer.concat(kept))
    .then(() => file.sync())
    .finally(() => file.close())
  await rename(unfinished, path)
  const directory = await open(dataDir)
  await directory.sync().finally(() => directory.close())
  return removed
}

/** Returns the entries without those that have a project's name, and without those that are no whole entry. */
async function withoutProject(content: Buffer, project: string): Promise<{ kept: Buffer[]; removed: number }> {
  const yieldIfDue = createYielder()
  const kept: Buffer[] = []
  let removed = 0
  for (let start = 0, end = 0; start < content.length; start = end) {
    const newline = content.indexOf(NEWLINE, start)
    end = newline < 0 ? content.length : newline + 1
    const entry = content.subarray(start, end)
    if (newline >= 0 && isWithout(entry, project)) kept.push(entry)
    else removed += 1
    await yieldIfDue()
  }
  return { kept, removed }
}

function isWithout(entry: Buffer, project: string): boolean {
  try {
    const { text, base64, length } = JSON.parse(entry.toString())
    // Of a masking service: the entry has nothing of the line.
    if (length !== undefined) return true
    return !mentions(text ?? Buffer.from(base64, 'base64').toString(), project)
  } catch {
    return false
  }
}

/** Keeps the newest chunks of entries until written: at least `bytes` bytes, or all chunks. */
function createWaitingEntries(bytes: number) {
  const chunks: Uint8Array[] = []
  let waitingBytes = 0

  /** Removes the oldest chunk. */
  function next(): Uint8Array | undefined {
    const oldest = chunks.shift()
    waitingBytes -= oldest?.length ?? 0
    return oldest
  }

  function add(chunk: Uint8Array): void {
    chunks.push(chunk)
    waitingBytes += chunk.length
    while (waitingBytes - chunks[0].length >= bytes) next()
  }

  return { add, next }
}

/** Ends an incomplete entry of a failed write or a crash, so that the next entry is readable. */
async function endTornEntry(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
  if (size > 0 && buffer[0] !== NEWLINE) await file.appendFile('\n')
}
