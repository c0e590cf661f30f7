import { type Clock, systemClock } from '../../base/clock.js'
import { createSerialQueue } from '../../base/serial-queue.js'
import { MIB } from '../../base/units.js'
import type { StreamWork, WorkResult } from '../thread/messages.js'
import { createThread, type IngestTotals, type ThreadOptions } from '../thread/thread.js'
import { createBufferPool } from './buffer-pool.js'

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
   * Has the parsing thread read the next bytes of a file itself, to where it scans them. Resolves with how many when what came
   * of them is in the engine, with 0 at the end. It may be called again before: who does so as often as a slow engine is to
   * hold keeps the thread busy. Rejects with what the system says where they cannot be read.
   */
  read(fd: number): Promise<number>
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
  buffers?: number
  bufferBytes?: number
}

const BUFFERS = 8
const BUFFER_BYTES = MIB / 2
/** Slabs that the worker may have before it gets the next one only when that is full: small chunks go out together. */
const MAX_PENDING = 2
/** Of a file, so many bytes are enough for one work. */
const READ_BYTES = MIB

/** The parsing thread starts at the first write or when it is told to: a service without a stream pays nothing for it. */
export function createIngest(options: IngestOptions): Ingest {
  const { clock = systemClock, buffers = BUFFERS, bufferBytes = BUFFER_BYTES } = options
  let lastId = 0
  /** Slabs that the worker has. */
  let pending = 0
  const pool = createBufferPool(buffers, bufferBytes)
  const thread = createThread(new URL('./worker.js', import.meta.url), options, pool.fail)
  /** The slab that is being filled. */
  let buffer: Uint8Array | undefined
  let filledBytes = 0
  const queue = createSerialQueue()

  const nextWork = () => ({ id: ++lastId, nowUs: clock.nowUs() })

  /** Sends what the slab holds; resolves when what came of it is in the engine. */
  async function send(then?: StreamWork['then']): Promise<void> {
    const work: StreamWork = { ...nextWork(), buffer, filledBytes, then }
    buffer = undefined
    filledBytes = 0
    pending++
    const done = await thread.send(work, work.buffer === undefined ? [] : [work.buffer.buffer])
    pending--
    if (done.buffer !== undefined) pool.release(done.buffer)
    if (filledBytes > 0) sendInBackground()
  }

  /** A failure shows in the thread, and thus in the next call. */
  function sendInBackground(): void {
    send().catch(() => {})
  }

  async function put(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      buffer ??= await pool.acquire()
      const part = chunk.subarray(start, start + bufferBytes - filledBytes)
      buffer.set(part, filledBytes)
      filledBytes += part.length
      start += part.length
      if (filledBytes === bufferBytes || pending < MAX_PENDING) sendInBackground()
    }
  }

  /** Behind what was written before. */
  function sendFile(fd: number): Promise<WorkResult> {
    if (filledBytes > 0) sendInBackground()
    return thread.send({ ...nextWork(), filledBytes: 0, file: { fd, enoughBytes: READ_BYTES } }, [])
  }

  async function read(fd: number): Promise<number> {
    const { sent } = await inOrder(async () => ({ sent: sendFile(fd) }))
    const outcome = (await sent).read!
    if ('fault' in outcome) throw Object.assign(new Error(outcome.fault.message), { code: outcome.fault.code })
    return outcome.bytes
  }

  async function finish(): Promise<IngestTotals> {
    if (thread.isRunning()) await send('end')
    await thread.fail('The stream has ended: nothing can be written to it any more.')
    return thread.totals()
  }

  /** Calls run one after the other, none after a failure. */
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    return queue.run(async () => {
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
    write: (chunk) => inOrder(() => put(chunk)),
    read,
    flush: () => inOrder(flushWorker),
    end: () => inOrder(finish),
    totals: thread.totals,
    close: () => thread.fail('Ingest was closed.'),
  }
}
