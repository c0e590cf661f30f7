import { isUtf8 } from 'node:buffer'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { NEWLINE } from '../base/ascii.js'
import { type Clock, systemClock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import { createSerialQueue } from '../base/serial-queue.js'
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
  /** The project is not one that the sender's access token is bound to. */
  | 'forbidden_project'
  | 'line_too_long'
  | 'too_deep'

/** A rejected line: its number, counted from 1, and its bytes, or their head if it is too long. */
export interface Reject {
  line: number
  reason: Reason
  bytes: Uint8Array
}

/** Stores rejected lines. */
export interface Rejects {
  /** Stores the rejects in order; resolves when they are written. Never rejects: a failing disk is logged once. */
  write(rejects: readonly Reject[]): Promise<void>
  close(): Promise<void>
}

/** The size in bytes at which the rejects file is rotated. One older file of that size remains. */
export const REJECTS_FILE_BYTES = 16 * MIB

/** Where rejects are stored, and the size at which the file is rotated, in bytes. */
export interface RejectsOptions {
  /** The directory of `rejects.ndjson`; without it rejects are only logged, with number and reason. */
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

/** The most log lines per second, in addition to one with the number of omitted ones. */
const LOGGED_PER_SECOND = 3
const REJECTED = { level: 'warn', code: 'rejected' } as const

/** Logs number and reason, never the line itself, which may contain secrets. */
function logRejects(log: Log, clock: Clock): Rejects {
  let secondStartMs = Number.NEGATIVE_INFINITY
  let inSecond = 0

  function write(rejects: readonly Reject[]): void {
    for (const { line, reason } of rejects) {
      if (clock.monotonicMs() - secondStartMs >= 1000) startSecond()
      if (inSecond++ < LOGGED_PER_SECOND) log(`line ${line} rejected: ${reason}`, { ...REJECTED, line, reason })
    }
  }

  function startSecond(): void {
    if (inSecond > LOGGED_PER_SECOND) log(`${inSecond - LOGGED_PER_SECOND} more lines rejected`, REJECTED)
    secondStartMs = clock.monotonicMs()
    inSecond = 0
  }

  return {
    write: async (rejects) => write(rejects),
    close: async () => startSecond(),
  }
}

/** Appends to `rejects.ndjson`; a full one is renamed to `rejects.1.ndjson` and replaces the previous one. */
function fileRejects(dataDir: string, log: Log, maxBytes: number): Rejects {
  const path = join(dataDir, 'rejects.ndjson')
  let file: FileHandle | undefined
  let fileBytes = 0
  let failing = false
  const queue = createSerialQueue()

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
    await rename(path, join(dataDir, 'rejects.1.ndjson'))
    return openFile()
  }

  async function append(entries: Buffer): Promise<void> {
    let handle = file ?? (await openFile())
    if (fileBytes > 0 && fileBytes + entries.length > maxBytes) handle = await rotate()
    await handle.appendFile(entries)
    fileBytes += entries.length
  }

  /** A failing disk must not stop the stream: it is logged once, until it works again. */
  async function logFailure(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      failing = false
    } catch (error) {
      if (!failing) {
        const message = `cannot write ${path}: ${(error as Error).message}; until it can be, rejects are only counted`
        log(message, { level: 'error', code: 'rejects_not_written', path })
      }
      failing = true
      await closeFile().catch(() => {})
    }
  }

  function write(rejects: readonly Reject[]): Promise<void> {
    return queue.run(async () => {
      for (const entries of chunks(rejects, maxBytes)) await logFailure(() => append(entries))
    })
  }

  return { write, close: () => queue.run(() => logFailure(closeFile)) }
}

/** Ends an incomplete entry of a failed write or a crash, so that the next entry is readable. */
async function endTornEntry(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
  if (size > 0 && buffer[0] !== NEWLINE) await file.appendFile('\n')
}

/** Yields the entries as few chunks, each within the size of a file and of a reasonable write. */
function* chunks(rejects: readonly Reject[], maxBytes: number): Generator<Buffer> {
  const limit = Math.min(maxBytes, MIB)
  let entries: Buffer[] = []
  let bytes = 0
  for (const reject of rejects) {
    const entry = entryOf(reject, maxBytes)
    if (bytes + entry.length > limit && bytes > 0) {
      yield Buffer.concat(entries)
      entries = []
      bytes = 0
    }
    entries.push(entry)
    bytes += entry.length
  }
  yield Buffer.concat(entries)
}

/** Returns the entry; with a shorter head if it exceeds a file. JSON writes at most six bytes for one. */
function entryOf(reject: Reject, maxBytes: number): Buffer {
  const entry = Buffer.from(toJson(reject))
  if (entry.length <= maxBytes) return entry
  return Buffer.from(toJson({ ...reject, bytes: reject.bytes.subarray(0, Math.floor(maxBytes / 8)) }))
}

function toJson({ line, reason, bytes }: Reject): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const content = isUtf8(buffer) ? { text: buffer.toString() } : { base64: buffer.toString('base64') }
  return `${JSON.stringify({ line, reason, ...content })}\n`
}
