import { isUtf8 } from 'node:buffer'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { NEWLINE } from '../base/ascii.js'
import { type Clock, systemClock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import { createSerialQueue } from '../base/serial-queue.js'
import { MIB } from '../base/units.js'

/** Why a line is not taken. */
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
  /** Of a project that the sender's access token is not bound to. */
  | 'forbidden_project'
  | 'line_too_long'
  | 'too_deep'

/** A line that is not taken: its number, from 1, and its bytes, or the head of them. */
export interface Reject {
  line: number
  reason: Reason
  bytes: Uint8Array
}

export interface Rejects {
  /** Keeps the rejects, in order; resolves when that is done. Never fails: a disk that does is logged once. */
  write(rejects: readonly Reject[]): Promise<void>
  close(): Promise<void>
}

/** The size at which the rejects file is rotated; one older file of that size is kept. */
export const REJECTS_FILE_BYTES = 16 * MIB

export interface RejectsOptions {
  /** Where `rejects.ndjson` is written; without it rejects are only logged, by number and reason. */
  dataDir?: string
  log: Log
  maxBytes?: number
  clock?: Clock
}

export function openRejects({
  dataDir,
  log,
  maxBytes = REJECTS_FILE_BYTES,
  clock = systemClock,
}: RejectsOptions): Rejects {
  return dataDir === undefined ? logRejects(log, clock) : fileRejects(dataDir, log, maxBytes)
}

/** Lines of log a second at most, besides the one that tells of those left out. */
const LOGGED_PER_SECOND = 3
const REJECTED = { level: 'warn', code: 'rejected' } as const

/** Logs number and reason, never the line itself: it may hold what is nobody's business. */
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

/** Appends to `rejects.ndjson`; a full one becomes `rejects.1.ndjson`, in place of the one before. */
function fileRejects(dataDir: string, log: Log, maxBytes: number): Rejects {
  const path = join(dataDir, 'rejects.ndjson')
  let file: FileHandle | undefined
  let fileBytes = 0
  let failing = false
  const turns = createSerialQueue()

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

  /** A failing disk must not stop the stream: it is told of once, until it works again. */
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
    return turns.run(async () => {
      for (const entries of chunks(rejects, maxBytes)) await logFailure(() => append(entries))
    })
  }

  function close(): Promise<void> {
    return turns.run(() => logFailure(closeFile))
  }

  return { write, close }
}

/** What a failed write or a sudden end has left must not spoil the next entry. */
async function endTornEntry(file: FileHandle): Promise<void> {
  const { size } = await file.stat()
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
  if (size > 0 && buffer[0] !== NEWLINE) await file.appendFile('\n')
}

/** The entries, in as few pieces to write as keep within the size of a file and of a sensible write. */
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

/** JSON makes at most six bytes of one: the head that surely fits in a file where the whole does not. */
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
