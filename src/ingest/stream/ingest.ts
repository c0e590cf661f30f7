import { createSerialQueue } from '../../base/scheduling/serial-queue.js'
import { type Clock, systemClock } from '../../base/time/clock.js'
import { MIB } from '../../base/units.js'
import type { StreamWork, WorkResult } from '../thread/messages.js'
import { createThread, type IngestTotals, type Thread, type ThreadOptions } from '../thread/thread.js'
import { type BufferPool, createBufferPool } from './buffer-pool.js'

/**
 * Ingests a stream of NDJSON into an engine. Every promise rejects with `ingest_failed` after the engine has refused a
 * batch or the parsing thread has died: nothing is accepted from then on.
 */
export interface Ingest {
  /** Starts the parsing thread before the first write, so that the first rows are visible sooner. */
  start(): void
  /**
   * Writes the next bytes of the stream. Resolves when all bytes are copied into buffers. Until then the caller must
   * not change the bytes. A buffer is released when its batches are in the engine, so that a slow engine applies
   * backpressure.
   */
  write(chunk: Uint8Array): Promise<void>
  /**
   * Lets the parsing thread read the next bytes of a file into the scanned memory. Resolves with the number of bytes
   * when the rows are in the engine, with 0 at the end of the file. Several calls may be pending, which keeps the
   * thread busy. The number of pending calls bounds the memory. Rejects with the system's error if the file cannot be
   * read.
   */
  read(fd: number): Promise<number>
  /** Resolves when the rows of every whole line written so far are visible. */
  flush(): Promise<void>
  /** Ends the stream and its last line. Resolves when all rows are visible and the thread has ended. */
  end(): Promise<IngestTotals>
  /** Returns the counts of lines so far. */
  totals(): IngestTotals
  /**
   * From now on rows that the engine refuses are counted, as `unstored`, and are no failure. Called when the service
   * stops, before `end`.
   */
  countUnstored(): void
  /**
   * Counts the rows that are not in the engine yet as unstored, for this reason: no call waits for the engine any more.
   */
  giveUp(reason: Error): void
  /** Stops at once. Rows that are not in the engine yet are dropped. */
  close(): Promise<void>
}

/** Options of a stream. Tests pass smaller buffers. */
export interface IngestOptions extends ThreadOptions {
  clock?: Clock
  /** The number and the size of the reused buffers of the stream. */
  buffers?: number
  bufferBytes?: number
}

const BUFFERS = 8
const BUFFER_BYTES = MIB / 2
/** With this many buffers in the worker, only full buffers are sent: small chunks are sent together. */
const MAX_PENDING = 2
/** Bytes that are read from a file per step. */
const READ_BYTES = MIB

/** The parsing thread starts with the first write or by `start`: a service without a stream needs no thread. */
export function createIngest(options: IngestOptions): Ingest {
  const { clock = systemClock, buffers = BUFFERS, bufferBytes = BUFFER_BYTES } = options
  let lastId = 0
  const pool = createBufferPool(buffers, bufferBytes)
  const thread = createThread(new URL('./worker.js', import.meta.url), options, pool.fail)
  const nextWork = () => ({ id: ++lastId, nowUs: clock.nowUs() })
  const writer = createBufferWriter(thread, pool, bufferBytes, nextWork)
  const queue = createSerialQueue()

  /** Reads a file, after everything that was written before. */
  function sendFile(fd: number): Promise<WorkResult> {
    writer.sendRest()
    return thread.send({ ...nextWork(), filledBytes: 0, file: { fd, enoughBytes: READ_BYTES } }, [])
  }

  async function read(fd: number): Promise<number> {
    const { sent } = await inOrder(async () => ({ sent: sendFile(fd) }))
    const outcome = (await sent).read!
    if ('fault' in outcome) throw Object.assign(new Error(outcome.fault.message), { code: outcome.fault.code })
    return outcome.bytes
  }

  async function finish(): Promise<IngestTotals> {
    if (thread.isRunning()) await writer.send('end')
    await thread.fail('The stream has ended: nothing can be written to it any more.')
    return thread.totals()
  }

  /** Runs calls in order, and no call after a failure. */
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    return queue.run(async () => {
      const failure = thread.failure()
      if (failure !== undefined) throw failure
      return work()
    })
  }

  async function flushWorker(): Promise<void> {
    if (thread.isRunning()) await writer.send('flush')
  }

  return {
    start: thread.start,
    write: (chunk) => inOrder(() => writer.write(chunk)),
    read,
    flush: () => inOrder(flushWorker),
    end: () => inOrder(finish),
    totals: thread.totals,
    countUnstored: thread.countUnstored,
    giveUp: thread.giveUp,
    close: () => thread.fail('Ingest was closed.'),
  }
}

/** Copies the chunks of a stream into buffers of the pool, and sends the buffers to the thread. */
function createBufferWriter(
  thread: Thread,
  pool: BufferPool,
  bufferBytes: number,
  nextWork: () => { id: number; nowUs: number },
) {
  /** The number of buffers in the worker. */
  let pending = 0
  /** The buffer that is being filled. */
  let buffer: Uint8Array | undefined
  let filledBytes = 0

  /** Sends the buffer. Resolves when its rows are in the engine. */
  async function send(then?: StreamWork['then']): Promise<void> {
    const work: StreamWork = { ...nextWork(), buffer, filledBytes, then }
    buffer = undefined
    filledBytes = 0
    pending++
    const done = await thread.send(work, work.buffer === undefined ? [] : [work.buffer.buffer])
    pending--
    if (done.buffer !== undefined) pool.release(done.buffer)
    sendRest()
  }

  /** Sends the buffer unless empty. A failure is stored in the thread, and rejects the next call. */
  function sendRest(): void {
    if (filledBytes > 0) send().catch(() => {})
  }

  async function write(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      buffer ??= await pool.acquire()
      const part = chunk.subarray(start, start + bufferBytes - filledBytes)
      buffer.set(part, filledBytes)
      filledBytes += part.length
      start += part.length
      if (filledBytes === bufferBytes || pending < MAX_PENDING) sendRest()
    }
  }

  return { send, sendRest, write }
}
