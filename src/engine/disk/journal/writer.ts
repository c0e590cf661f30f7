import { dirname } from 'node:path/posix'
import { createSerialQueue } from '../../../base/scheduling/serial-queue.js'
import type { SourceName } from '../../../common/sources.js'
import type { IngestBatch } from '../../engine.js'
import type { Files, WritableFile } from '../files/files.js'
import { encodeFrame, frameBytes, PAYLOAD_LIMIT_BYTES } from './frame.js'
import { createHeader, encodeHeader, FRAMES_START, type JournalHeader } from './header.js'

/** The file to which the batches of a head are written. A batch becomes visible after its write. */
export interface Journal {
  /** The 8 random bytes that identify this file. */
  readonly marker: Uint8Array
  /** Length of the file up to the end of the last batch. 0 without a batch. */
  readonly bytes: number
  /** The error of the first sync that failed. Undefined if no sync failed. */
  readonly failure: Error | undefined
  /**
   * Writes a batch after all batches appended before. Once the promise resolves, the batch survives the death of this
   * process. Rejects with the system's error (`ENOSPC`, `EIO`) if the batch could not be written. `bytes` is then
   * unchanged and the next batch is written in the same place. A rejected batch may still be recovered, as a whole, if
   * the process dies before the next append. Rejects with a RangeError above `PAYLOAD_LIMIT_BYTES`. The caller must
   * not change the bytes before the promise has settled.
   */
  append(batch: IngestBatch): Promise<void>
  /**
   * Resolves when every batch appended before the call, and the file itself, survives a power cut. Costs nothing if
   * nothing was written since the last sync. Appends continue at the same time.
   *
   * The first error is final: this and every later sync rejects with that error, and `failure` is set. After a failed
   * fsync the kernel may have dropped the bytes and report success for the next fsync (PostgreSQL, 2018), so a second
   * attempt proves nothing. Appends still work and survive the death of the process. The caller writes the rows, which
   * are still in memory, to another file and deletes this file.
   */
  sync(): Promise<void>
  /** Closes the file after all running calls, without a sync. Later appends and syncs are rejected. */
  close(): Promise<void>
}

interface State {
  files: Files
  path: string
  header: JournalHeader
  /** Position of the next frame. 0 before the header is written. */
  length: number
  /** Whether there may be bytes after `length`. */
  torn: boolean
  /** Number of batches written, and number of batches synced. */
  written: number
  synced: number
  /** Whether the name of the file survives a power cut. */
  named: boolean
  closed: boolean
  failure?: Error
  file?: Promise<WritableFile>
}

/**
 * Returns a new journal at `path`, in a directory that must exist. The first append creates the file, or overwrites an
 * existing file.
 */
export function createJournal(files: Files, path: string, source: SourceName): Journal {
  return openJournal({ ...FRESH, files, path, header: createHeader(source), length: 0, written: 0 })
}

/**
 * Returns the journal that `recoverJournal` has read, to append after the last valid frame. The first append truncates
 * the file to `length`. Recovered batches count as not yet synced: the process that wrote them may have died before a
 * sync.
 *
 * The file does not show whether a sync had failed in that process, in which case the recovered bytes may be in the
 * kernel's memory only. A caller that must exclude this appends the recovered batches to a new journal instead.
 */
export function continueJournal(files: Files, path: string, header: JournalHeader, length: number): Journal {
  return openJournal({ ...FRESH, files, path, header, length, written: 1 })
}

const FRESH = { torn: true, synced: 0, named: false, closed: false }

function openJournal(state: State): Journal {
  const appends = createSerialQueue()
  const syncs = createSerialQueue()
  return {
    marker: state.header.marker,
    get bytes() {
      return state.length
    },
    get failure() {
      return state.failure
    },
    async append(batch) {
      refuseClosed(state)
      return appends.run(() => append(state, batch))
    },
    async sync() {
      refuseClosed(state)
      const appended = appends.settled()
      return syncs.run(() => appended.then(() => sync(state)))
    },
    async close() {
      state.closed = true
      await Promise.all([appends.settled(), syncs.settled()])
      const file = state.file
      state.file = undefined
      await (await file)?.close()
    },
  }
}

function refuseClosed({ path, closed }: State): void {
  if (closed) throw new TypeError(`The journal ${path} is closed.`)
}

async function append(state: State, batch: IngestBatch): Promise<void> {
  check(state, batch)
  const file = await open(state)
  if (state.torn) await cutTail(state, file)
  const isFirst = state.length === 0
  const position = isFirst ? FRAMES_START : state.length
  const frame = encodeFrame(state.header.marker, position, batch)
  try {
    await file.writeAt(state.length, isFirst ? [encodeHeader(state.header), ...frame] : frame)
  } catch (error) {
    state.torn = true
    // Frees the space at once if the disk is full. If this fails too, the next append retries the truncation, and
    // rejects if the truncation fails again.
    await cutTail(state, file).catch(() => {})
    throw error
  }
  state.length = position + frameBytes(batch.ipc.length)
  state.written += 1
}

function check({ path, header }: State, { source, ipc }: IngestBatch): void {
  if (source !== header.source) throw new TypeError(`The journal ${path} is for ${header.source}, not for ${source}.`)
  if (ipc.length > PAYLOAD_LIMIT_BYTES) {
    throw new RangeError(`A batch of ${ipc.length} bytes is over the ${PAYLOAD_LIMIT_BYTES} of a frame in ${path}.`)
  }
}

async function cutTail(state: State, file: WritableFile): Promise<void> {
  await file.truncate(state.length)
  state.torn = false
}

async function sync(state: State): Promise<void> {
  if (state.failure !== undefined) throw state.failure
  const { written } = state
  if (written === state.synced) return
  try {
    const file = await open(state)
    await file.sync()
    if (!state.named) await state.files.syncDirectory(dirname(state.path))
  } catch (error) {
    state.failure = error as Error
    throw error
  }
  state.named = true
  state.synced = written
}

/** Returns the file. The first call opens the file, and so does the next call after an error. */
function open(state: State): Promise<WritableFile> {
  state.file ??= state.files.openToWrite(state.path).catch((error) => {
    state.file = undefined
    throw error
  })
  return state.file
}
