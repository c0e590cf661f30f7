import { Worker } from 'node:worker_threads'
import { type Clock, systemClock } from '../base/clock.js'
import { LogweirError } from '../base/errors.js'
import type { Metrics } from '../base/metrics.js'
import { createTurns } from '../base/turns.js'
import { DAY_US, MIB } from '../base/units.js'
import type { Engine, IngestBatch } from '../engine/engine.js'
import type { Parsed, Returned, Work, WorkerOptions } from './messages.js'
import type { Reason, Reject, Rejects } from './rejects.js'
import { createSlabPool } from './slabs.js'

/** What became of the lines of a stream; blank ones are neither. */
export interface IngestTotals {
  taken: number
  rejected: number
  byReason: Partial<Record<Reason, number>>
}

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
  /** Resolves when the rows of every whole line written so far are visible. */
  flush(): Promise<void>
  /** The stream ends, its last line with it. Resolves when all its rows are visible and the thread is gone. */
  end(): Promise<IngestTotals>
  /** What became of the lines so far. */
  totals(): IngestTotals
  /** Stops at once; what is not in the engine yet is dropped. */
  close(): Promise<void>
}

export interface IngestOptions {
  engine: Pick<Engine, 'append'>
  metrics: Pick<Metrics, 'ingestedRows' | 'rejectedRows'>
  rejects: Pick<Rejects, 'write'>
  clock?: Clock
  /** Name or alias of the source of records that name none. */
  defaultSource?: string
  /** How far back a record may lie. */
  retentionUs?: number
  maxLineBytes?: number
  flushIntervalMs?: number
  /** Memory that the stream travels in, used over and over: this many pieces of so many bytes. */
  slabs?: number
  slabBytes?: number
}

const RETENTION_US = 90 * DAY_US
const FLUSH_INTERVAL_MS = 200
const SLABS = 8
const SLAB_BYTES = MIB / 2
/** Batches that took less than this leave their memory to the collector. */
const RETURNED_BYTES = MIB
/** Slabs that the worker may have before it gets the next one only when that is full: small chunks go out together. */
const MAX_WORK = 2

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

/** The parsing thread starts at the first write or when it is told to: a service without a stream pays nothing for it. */
export function createIngest(options: IngestOptions): Ingest {
  const { engine, metrics, rejects, clock = systemClock, slabs = SLABS, slabBytes = SLAB_BYTES } = options
  const totals: IngestTotals = { taken: 0, rejected: 0, byReason: {} }
  let worker: Worker | undefined
  let failure: Error | undefined
  let lastId = 0
  /** Work that the worker has, by id. */
  const working = new Map<number, Waiting>()
  const pool = createSlabPool(slabs, slabBytes)
  /** The slab that is being filled. */
  let slab: Uint8Array | undefined
  let filledBytes = 0
  const calls = createTurns()
  const messages = createTurns()

  function startWorker(): Worker {
    const { defaultSource, retentionUs = RETENTION_US, maxLineBytes, flushIntervalMs = FLUSH_INTERVAL_MS } = options
    const workerData: WorkerOptions = { defaultSource, retentionUs, maxLineBytes, flushIntervalMs }
    const started = new Worker(new URL('./worker.js', import.meta.url), { workerData, resourceLimits: LIMITS })
    started.on('message', receive)
    started.on('error', (error) => fail(`The parsing thread failed: ${error.message}`))
    started.on('exit', (code) => {
      if (worker === started) fail(`The parsing thread stopped by itself, with code ${code}.`)
    })
    return started
  }

  /** Sends what the slab holds; resolves when what came of it is in the engine. */
  async function send(then?: Work['then']): Promise<void> {
    const work: Work = { id: ++lastId, slab, filledBytes, nowUs: clock.nowUs(), then }
    slab = undefined
    filledBytes = 0
    worker ??= startWorker()
    const done = new Promise<void>((resolve, reject) => working.set(work.id, { resolve, reject }))
    worker.postMessage(work, work.slab === undefined ? [] : [work.slab.buffer as ArrayBuffer])
    await done
    if (filledBytes > 0) sendInBackground()
  }

  /** A failure shows in `failure`, and thus in the next call. */
  function sendInBackground(): void {
    send().catch(() => {})
  }

  function receive(message: Parsed): void {
    void messages.take(() => apply(message).catch((error: Error) => fail(`The engine failed: ${error.message}`)))
  }

  async function apply({ rejects: refused, batch, done }: Parsed): Promise<void> {
    if (failure !== undefined) return
    if (refused.length > 0) await countRejects(refused)
    if (batch !== undefined) await append(batch)
    if (done === undefined) return
    if (done.slab !== undefined) pool.giveBack(done.slab)
    working.get(done.id)?.resolve()
    working.delete(done.id)
  }

  async function append(batch: IngestBatch): Promise<void> {
    await engine.append(batch)
    totals.taken += batch.rows
    metrics.ingestedRows.inc({ source: batch.source }, batch.rows)
    if (batch.ipc.buffer.byteLength >= RETURNED_BYTES) giveBack(batch.ipc.buffer as ArrayBuffer)
  }

  function giveBack(buffer: ArrayBuffer): void {
    worker?.postMessage({ memory: new Uint8Array(buffer) } satisfies Returned, [buffer])
  }

  async function countRejects(refused: readonly Reject[]): Promise<void> {
    for (const { reason } of refused) {
      totals.rejected++
      totals.byReason[reason] = (totals.byReason[reason] ?? 0) + 1
      metrics.rejectedRows.inc({ reason })
    }
    await rejects.write(refused)
  }

  /** The first failure is the one that all are told of. */
  function fail(message: string): void {
    failure ??= new LogweirError('ingest_failed', message)
    for (const { reject } of working.values()) reject(failure)
    pool.fail(failure)
    working.clear()
    void stopWorker()
  }

  async function put(chunk: Uint8Array): Promise<void> {
    for (let start = 0; start < chunk.length; ) {
      slab ??= await pool.take()
      const piece = chunk.subarray(start, start + slabBytes - filledBytes)
      slab.set(piece, filledBytes)
      filledBytes += piece.length
      start += piece.length
      if (filledBytes === slabBytes || working.size < MAX_WORK) sendInBackground()
    }
  }

  async function finish(): Promise<IngestTotals> {
    if (worker !== undefined) await send('end')
    failure = new LogweirError('ingest_failed', 'The stream has ended: nothing can be written to it any more.')
    await stopWorker()
    return totals
  }

  /** Calls run one after the other, none after a failure. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    return calls.take(async () => {
      if (failure !== undefined) throw failure
      return work()
    })
  }

  async function flushWorker(): Promise<void> {
    if (worker !== undefined) await send('flush')
  }

  async function stopWorker(): Promise<void> {
    const stopping = worker
    worker = undefined
    await stopping?.terminate()
  }

  async function close(): Promise<void> {
    const stopped = stopWorker()
    fail('Ingest was closed.')
    await stopped
  }

  return {
    start() {
      if (failure === undefined) worker ??= startWorker()
    },
    write: (chunk) => inTurn(() => put(chunk)),
    flush: () => inTurn(flushWorker),
    end: () => inTurn(finish),
    totals: () => totals,
    close,
  }
}

/** Memory of the parsing thread's own heap; batches and chunks lie outside of it. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }
