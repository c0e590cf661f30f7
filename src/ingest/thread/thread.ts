import type { Worker } from 'node:worker_threads'
import { LogweirError } from '../../base/errors.js'
import { free } from '../../base/memory/array-buffers.js'
import type { Metrics } from '../../base/metrics.js'
import { THREAD_HEAP } from '../../base/process/heap.js'
import { startThread } from '../../base/program-files.js'
import { createSerialQueue } from '../../base/scheduling/serial-queue.js'
import { DAY_US, MIB } from '../../base/units.js'
import type { SourceRefusal } from '../../common/source-refusals.js'
import type { Engine } from '../../engine/engine.js'
import type { WatchedMasking } from '../../masking/watched-masking.js'
import type { WatchedRetention } from '../../retention/watched-retention.js'
import { answerQuestion, type SourceQuestion, shareNames } from '../names/shared-names.js'
import type { Reason, RejectBatch, Rejects } from '../rejects.js'
import type { ParsedBatch } from '../wasm/batch-builder.js'
import type {
  BodyWork,
  ChangedLimits,
  ChangedMasking,
  RecycledMemory,
  StreamDefaults,
  StreamWork,
  WorkerMessage,
  WorkerOptions,
  WorkerQuestion,
  WorkResult,
} from './messages.js'
import type { UnreadableTimes } from './unreadable-times.js'

/** The numbers of accepted and rejected lines. Blank lines count as neither. */
export interface IngestTotals {
  taken: number
  rejected: number
  byReason: Partial<Record<Reason, number>>
  /** The rows that could not be stored before the service stopped. Absent if all rows were stored. */
  unstored?: UnstoredRows
}

/** Rows that were read, and that the engine has refused while the service stopped. */
export interface UnstoredRows {
  rows: number
  /** The reason for which the first row was refused. */
  reason: Error
  /** The lines before this line of the stream are stored or rejected. Lines are counted from 1. */
  fromLine: number
}

/** The receivers of batches and rejects, and the rules for lines. */
export interface ThreadOptions {
  engine: Pick<Engine, 'append'>
  metrics: Pick<Metrics, 'ingestedRows' | 'rejectedRows' | 'maskedValues'>
  rejects: Pick<Rejects, 'write' | 'maxEntryBytes'>
  /**
   * Counts records with an unreadable time, stored with the time of receipt. If undefined, such records are rejected.
   */
  unreadableTimes?: Pick<UnreadableTimes, 'note'> | undefined
  /** Called when a source is not made because of a limit, at first of a thread, with the sender's token. */
  noteRefusedSource?: (cause: SourceRefusal, question: SourceQuestion) => void
  /** For a stream: values for records that lack the field. */
  defaults?: StreamDefaults
  /** The greatest age of a record, in microseconds. */
  retentionUs?: number
  /** The limits of projects and sources, see `sharedLimits`. Undefined if there are none, or if they may change. */
  limits?: SharedArrayBuffer | undefined
  /** Limits that may change. */
  retention?: Pick<WatchedRetention, 'shared' | 'onChange'> | undefined
  /** Rules that mask records, and that may change. */
  masking?: Pick<WatchedMasking, 'current' | 'onChange'> | undefined
  maxLineBytes?: number
  flushIntervalMs?: number
}

/**
 * A parsing thread: its batches are appended to the engine, its rejects are counted and written, in order. The thread
 * fails when the engine refuses a batch or the thread dies: nothing is accepted from then on.
 */
export interface Thread {
  start(): void
  isRunning(): boolean
  /** Resolves when the rows of this and of all earlier work are in the engine. Rejects if the thread has failed. */
  send(work: StreamWork | BodyWork, moved: readonly ArrayBufferLike[]): Promise<WorkResult>
  totals(): IngestTotals
  /**
   * From now on a batch that the engine refuses is no failure: the rows are counted as `unstored`. Called when the
   * service stops.
   */
  countUnstored(): void
  /**
   * Counts the batches that are not in the engine yet as unstored, for this reason. Includes a batch that is being
   * appended.
   */
  giveUp(reason: Error): void
  /** Returns the first failure, or undefined. */
  failure(): Error | undefined
  /** Ends the thread at once: rows that are not in the engine yet are dropped. */
  fail(message: string): Promise<void>
}

const RETENTION_US = 90 * DAY_US
const FLUSH_INTERVAL_MS = 200
/** Memory of batches of at least this size is reused. */
const RETURNED_BYTES = MIB

/** Creates a thread that starts with the first work or by `start`. Calls `onFail` with its first failure. */
export function createThread(script: URL, options: ThreadOptions, onFail: (failure: Error) => void = () => {}): Thread {
  const output = createOutputHandler(options, recycle)
  let worker: Worker | undefined
  let failure: Error | undefined
  const pending = createPendingWork()
  const messages = createSerialQueue()

  function startWorker(): Worker {
    const receive = (message: WorkerMessage) => void messages.run(() => apply(message).catch(failOfEngine))
    const started = startAnswered(script, options, receive)
    started.on('error', (error) => void fail(`The parsing thread failed: ${error.message}`))
    started.on('exit', (code) => {
      if (worker === started) void fail(`The parsing thread stopped by itself, with code ${code}.`)
    })
    return started
  }

  function send(work: StreamWork | BodyWork, moved: readonly ArrayBufferLike[]): Promise<WorkResult> {
    if (failure !== undefined) return Promise.reject(failure)
    worker ??= startWorker()
    const done = pending.add(work.id)
    worker.postMessage(work, moved as ArrayBuffer[])
    return done
  }

  async function apply(message: WorkerMessage): Promise<void> {
    if (failure !== undefined) return
    await output.handle(message)
    if (message.done !== undefined) pending.resolve(message.done)
  }

  const failOfEngine = (error: Error) => fail(`The engine failed: ${error.message}`)

  function recycle(memory: ArrayBuffer): void {
    if (worker === undefined) free([memory])
    else worker.postMessage({ memory: new Uint8Array(memory) } satisfies RecycledMemory, [memory])
  }

  async function fail(message: string): Promise<void> {
    failure ??= new LogweirError('ingest_failed', message)
    pending.rejectAll(failure)
    onFail(failure)
    const stopping = worker
    worker = undefined
    await stopping?.terminate()
  }

  return {
    start() {
      if (failure === undefined) worker ??= startWorker()
    },
    isRunning: () => worker !== undefined,
    send,
    totals: () => output.totals,
    countUnstored: output.countUnstored,
    giveUp: output.giveUp,
    failure: () => failure,
    fail,
  }
}

/**
 * Starts a thread. Answers its questions at once, since the thread waits, and passes on other messages. Sends changed
 * limits to the thread.
 */
function startAnswered(script: URL, options: ThreadOptions, receive: (message: WorkerMessage) => void): Worker {
  const workerData = workerOptions(options)
  const started = startThread(script, { workerData, resourceLimits: THREAD_HEAP })
  started.on('message', (message: WorkerMessage | WorkerQuestion) => {
    if (!('question' in message)) return receive(message)
    const refusal = answerQuestion(message.question, workerData.names)
    if (refusal !== undefined) options.noteRefusedSource?.(refusal, message.question)
  })
  const { retention, masking } = options
  const stopsListening = [
    retention?.onChange(() => started.postMessage({ limits: retention.shared() } satisfies ChangedLimits)),
    masking?.onChange((changed) => started.postMessage({ masking: changed } satisfies ChangedMasking)),
  ]
  started.on('exit', () => {
    for (const stop of stopsListening) stop?.()
  })
  return started
}

/** The unfinished work of a worker, by id. */
function createPendingWork() {
  const pending = new Map<number, { resolve(done: WorkResult): void; reject(error: Error): void }>()
  return {
    add: (id: number) => new Promise<WorkResult>((resolve, reject) => pending.set(id, { resolve, reject })),
    resolve(done: WorkResult): void {
      pending.get(done.id)?.resolve(done)
      pending.delete(done.id)
    },
    rejectAll(error: Error): void {
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
  }
}

function workerOptions({
  defaults,
  rejects,
  unreadableTimes,
  retentionUs = RETENTION_US,
  retention,
  limits = retention?.shared(),
  masking,
  maxLineBytes,
  flushIntervalMs = FLUSH_INTERVAL_MS,
}: ThreadOptions): WorkerOptions {
  const acceptsUnreadableTimes = unreadableTimes !== undefined
  const maxRejectBytes = rejects.maxEntryBytes
  return {
    ...{ defaults, retentionUs, limits, acceptsUnreadableTimes, maxLineBytes, maxRejectBytes, flushIntervalMs },
    masking: masking?.current(),
    names: shareNames(),
  }
}

/** Passes on and counts the output of a thread. `recycle` is called with memory that the worker can reuse. */
function createOutputHandler(
  { engine, metrics, rejects, unreadableTimes }: ThreadOptions,
  recycle: (memory: ArrayBuffer) => void,
) {
  const totals: IngestTotals = { taken: 0, rejected: 0, byReason: {} }
  const untilGivenUp = createGivingUp()
  let countsUnstored = false
  /** Resolves when all rejects so far are written. */
  let written = Promise.resolve()

  async function append(batch: ParsedBatch, linesBefore: number): Promise<void> {
    const memory = batch.ipc.buffer as ArrayBuffer
    const release = () => (memory.byteLength < RETURNED_BYTES ? free([memory]) : recycle(memory))
    try {
      await untilGivenUp.run(() => engine.append({ ...batch, release }))
    } catch (error) {
      if (!countsUnstored) throw error
      totals.unstored ??= { rows: 0, reason: error as Error, fromLine: linesBefore + 1 }
      totals.unstored.rows += batch.rows
      return
    }
    totals.taken += batch.rows
    metrics.ingestedRows.inc({ source: batch.source }, batch.rows)
    if (batch.unreadableTimes > 0) unreadableTimes?.note(batch.source, batch.unreadableTimes)
  }

  /** Counts the rejects, and starts the write: rejects may wait for the disk while rows are appended. */
  function recordRejects(refused: RejectBatch): void {
    totals.rejected += refused.count
    for (const [reason, count] of Object.entries(refused.byReason) as [Reason, number][]) {
      totals.byReason[reason] = (totals.byReason[reason] ?? 0) + count
      metrics.rejectedRows.inc({ reason }, count)
    }
    written = rejects.write(refused)
  }

  /** Resolves when the batch is in the engine and, at the end of a unit of work, all rejects are written. */
  async function handle({ rejects: refused, batch, linesBefore = 0, masked, done }: WorkerMessage): Promise<void> {
    for (const [rule, values] of masked ?? []) metrics.maskedValues.inc({ rule }, values)
    if (refused !== undefined) recordRejects(refused)
    if (batch !== undefined) await append(batch, linesBefore)
    if (done !== undefined) await untilGivenUp.run(() => written).catch(() => {})
  }

  function countUnstored(): void {
    countsUnstored = true
  }

  function giveUp(reason: Error): void {
    countsUnstored = true
    untilGivenUp.giveUp(reason)
  }

  return { totals, handle, countUnstored, giveUp }
}

/**
 * Runs work, without overlap. Work may never end: after `giveUp` the work rejects with the reason, and no work begins.
 */
function createGivingUp() {
  let reason: Error | undefined
  let reject = (_: Error) => {}
  return {
    async run(work: () => Promise<void>): Promise<void> {
      if (reason !== undefined) throw reason
      await new Promise<void>((resolve, rejectNow) => {
        reject = rejectNow
        work().then(resolve, rejectNow)
      })
    },
    giveUp(given: Error): void {
      reason = given
      reject(given)
    },
  }
}
