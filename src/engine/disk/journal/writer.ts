import { dirname } from 'node:path/posix'
import { createSerialQueue } from '../../../base/serial-queue.js'
import type { SourceName } from '../../../sources.js'
import type { IngestBatch } from '../../engine.js'
import type { Files, WritableFile } from '../files/files.js'
import { encodeFrame, frameBytes, PAYLOAD_LIMIT_BYTES } from './frame.js'
import { createHeader, encodeHeader, FRAMES_START, type JournalHeader } from './header.js'

/** The file that the batches of one head are written to before they become visible. */
export interface Journal {
  /** The 8 random bytes that name this file and no other. */
  readonly marker: Uint8Array
  /** Length of the file up to the end of the last batch that was appended; 0 while there is none. */
  readonly bytes: number
  /** The error of the first sync that failed. */
  readonly failure: Error | undefined
  /**
   * Writes a batch behind all batches given before it. Once it resolves, the batch outlives this process. Rejects with the
   * system's error (`ENOSPC`, `EIO`) where it could not be written; `bytes` is then unchanged and the next batch takes its
   * place. A batch whose append was rejected may be found again if the process dies before the next append, but only whole.
   * Rejects with a RangeError above `PAYLOAD_LIMIT_BYTES`. The bytes are the caller's again once it has settled.
   */
  append(batch: IngestBatch): Promise<void>
  /**
   * Resolves when every batch given before the call, and the file itself, survives a power cut; costs nothing where nothing
   * was written since the last time. Appends go on meanwhile.
   *
   * The first error is final: this and every later sync rejects with it, and `failure` says so. After a failed fsync
   * the kernel may have dropped the bytes and call the next fsync a success (PostgreSQL, 2018), so no second try proves
   * anything. Appends still work and still outlive the process; the caller brings the rows, which it has in memory, to safety
   * in another file and removes this one.
   */
  sync(): Promise<void>
  /** Lets go of the file after all calls under way, without a sync. Appends and syncs made later are rejected. */
  close(): Promise<void>
}

interface State {
  files: Files
  path: string
  header: JournalHeader
  /** Where the next frame goes; 0 before the header is written. */
  length: number
  /** Whether there may be bytes behind `length`. */
  torn: boolean
  /** Batches written, and how many of them a sync has covered. */
  written: number
  synced: number
  /** Whether the name of the file survives a power cut. */
  named: boolean
  closed: boolean
  failure?: Error
  file?: Promise<WritableFile>
}

/**
 * A new journal at `path`, whose directory is there. The file is made by the first append, and whatever was at `path` is
 * overwritten.
 */
export function createJournal(files: Files, path: string, source: SourceName): Journal {
  return openJournal({ ...FRESH, files, path, header: createHeader(source), length: 0, written: 0 })
}

/**
 * The journal that `recoverJournal` has read, to append behind its last valid frame. What is behind `length` is cut off by
 * the first append. What was recovered counts as not yet synced: the process that wrote it may have died before.
 *
 * One thing cannot be known from the file: whether a sync had failed in the process that died, so that bytes which are read
 * now are in the kernel's memory alone. Who must be sure of that too appends what was recovered to a new journal instead.
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
    // Gives the space back at once where the disk is full. If this fails too, the next append tries again and says so.
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

/** The file, opened by whoever needs it first; after an error the next one tries again. */
function open(state: State): Promise<WritableFile> {
  state.file ??= state.files.openToWrite(state.path).catch((error) => {
    state.file = undefined
    throw error
  })
  return state.file
}
