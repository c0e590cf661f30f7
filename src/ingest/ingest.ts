import { type Clock, systemClock } from '../base/clock.js'
import { createTurns } from '../base/turns.js'
import { MIB } from '../base/units.js'
import type { Work } from './messages.js'
import { createSlabPool } from './slabs.js'
import { createThread, type IngestTotals, type ThreadOptions } from './thread.js'

/**
 * Takes one stream of NDJSON into an engine. Every promise rejects with `ingest_failed` once the engine has refused a
 * batch or the parsing thread has died: nothing is taken from then on.
 */
export interface Ingest {
  /** Starts the parsing thread ahead of the first write, whose rows are then visible sooner. */
  start(): void
  /**
   * The next bytes of the stream, which must stay as they are until the promise resolves: when all have been copied into
   * slabs. A slab is free again when the batches made of it are in the engine, so that a slow engine holds the writer.
   */
  write(chunk: Uint8Array): Promise<void>
  /**
   * The same for bytes that are there to be read: `read` puts the next ones at the start of a slab, which saves a copy, and
   * says how many; resolves with that. Rejects as `read` does.
   */
  fill(read: (slab: Uint8Array) => Promise<number>): Promise<number>
  /** Resolves when the rows of every whole line written so far are visible. */
  flush(): Promise<void>
  /** The stream ends, its last line with it. Resolves when all its rows are visible and the thread is gone. */
  end(): Promise<IngestTotals>
  /** What became of the lines so far. */
  totals(): IngestTotals
  /** Stops at once; what is not in the engine yet is dropped. */
  close(): Promise<void>
}

export interface IngestOptions extends ThreadOptions {
  clock?: Clock
  /** Memory that the stream travels in, used over and over: this many pieces of so many bytes. */
  slabs?: number
  slabBytes?: number
}

const SLABS = 8
const SLAB_BYTES = MIB / 2
/** Slabs that the worker may have before it gets the next one only when that is full: small chunks go out together. */
const MAX_WORK = 2

/** The parsing thread starts at the first write or when it is told to: a service without a stream pays nothing for it. */
export function createIngest(options: IngestOptions): Ingest {
  const { clock = systemClock, slabs = SLABS, slabBytes = SLAB_BYTES } = options
  let lastId = 0
  /** Slabs that the worker has. */
  let working = 0
  const pool = createSlabPool(slabs, slabBytes)
  const thread = createThread(new URL('./worker.js', import.meta.url), options, pool.fail)
  /** The slab that is being filled. */
  let slab: Uint8Array | undefined
  let filledBytes = 0
  const calls = createTurns()

  /** Sends what the slab holds; resolves when what came of it is in the engine. */
  async function send(then?: Work['then']): Promise<void> {
    const work: Work = { id: ++lastId, slab, filledBytes, nowUs: clock.nowUs(), then }
    slab = undefined
    filledBytes = 0
    working++
    const done = await thread.send(work, work.slab === undefined ? [] : [work.slab.buffer])
    working--
    if (done.slab !== undefined) pool.giveBack(done.slab)
    if (filledBytes > 0) sendInBackground()
  }

  /** A failure shows in the thread, and thus in the next call. */
  function sendInBackground(): void {
    send().catch(() => {})
  }

  async function put(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      slab ??= await pool.take()
      const piece = chunk.subarray(start, start + slabBytes - filledBytes)
      slab.set(piece, filledBytes)
      filledBytes += piece.length
      start += piece.length
      if (filledBytes === slabBytes || working < MAX_WORK) sendInBackground()
    }
  }

  async function readInto(read: (slab: Uint8Array) => Promise<number>): Promise<number> {
    if (filledBytes > 0) sendInBackground()
    const empty = await pool.take()
    let bytes = 0
    try {
      bytes = await read(empty)
    } finally {
      if (bytes === 0) pool.giveBack(empty)
    }
    if (bytes === 0) return 0
    slab = empty
    filledBytes = bytes
    sendInBackground()
    return bytes
  }

  async function finish(): Promise<IngestTotals> {
    if (thread.isRunning()) await send('end')
    await thread.fail('The stream has ended: nothing can be written to it any more.')
    return thread.totals()
  }

  /** Calls run one after the other, none after a failure. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    return calls.take(async () => {
      const failure = thread.failure()
      if (failure !== undefined) throw failure
      return work()
    })
  }

  async function flushWorker(): Promise<void> {
    if (thread.isRunning()) await send('flush')
  }

  return {
    start: thread.start,
    write: (chunk) => inTurn(() => put(chunk)),
    fill: (read) => inTurn(() => readInto(read)),
    flush: () => inTurn(flushWorker),
    end: () => inTurn(finish),
    totals: thread.totals,
    close: () => thread.fail('Ingest was closed.'),
  }
}
