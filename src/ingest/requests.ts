import { setImmediate as breathe } from 'node:timers/promises'
import { LogweirError } from '../base/errors.js'
import { type BodyForm, type BodyRecord, type Defaults, linesOf, recordsOf, type Written } from './body.js'
import { cut } from './cuts.js'
import { createIngest, type Ingest, type IngestOptions } from './ingest.js'
import type { Reason, Reject } from './rejects.js'

/** What became of the records of one request. */
export interface Taken {
  taken: number
  rejected: number
  byReason: Partial<Record<Reason, number>>
  /** The first that were rejected, by their number in the request, from 1: of NDJSON its line. */
  rejects: { record: number; reason: Reason }[]
}

/** Takes the records of requests into an engine, those of one request together, in the order in which they came. */
export interface Requests {
  /**
   * Resolves when the rows of all records that can be taken are in the engine. Throws `invalid_body` where the body cannot
   * be cut into records, `body_too_large` where it holds too many, and takes none then; `ingest_failed` when any may have been taken. One whose turn has not come
   * when the signal is aborted is not taken at all. The bytes are rewritten.
   */
  take(bytes: Uint8Array, form: BodyForm, defaults: Defaults, signal?: AbortSignal): Promise<Taken>
  /** Stops at once. */
  close(): Promise<void>
}

export type RequestsOptions = Omit<IngestOptions, 'defaultSource'>

/** Of each request so many rejects are told of; all of them are counted, and written to the rejects file. */
export const TOLD_REJECTS = 100

interface Request {
  bytes: Uint8Array
  form: BodyForm
  defaults: Defaults
  signal: AbortSignal | undefined
  /** The lines of the stream that come before its own. */
  before: number
  written: Written
  outcome: Taken
  resolve(taken: Taken): void
  reject(error: unknown): void
}

/**
 * All requests share one stream, whose parsing thread starts with the first of them. Those that have come while others
 * were under way are written one behind the other and flushed together. A stream that has failed is replaced.
 */
export function createRequests({ rejects, ...options }: RequestsOptions): Requests {
  const queue: Request[] = []
  let ingest: Ingest | undefined
  /** Lines written to this stream. */
  let lines = 0
  /** The requests whose lines are under way, in order. */
  let group: Request[] = []
  let isRunning = false
  let isClosed = false

  function open(): Ingest {
    lines = 0
    return createIngest({ ...options, rejects: { write: (refused) => rejects.write(refused.map(claim)) } })
  }

  /** Adds a reject to its request, and gives it the number that it has there. */
  function claim(reject: Reject): Reject {
    const owner = group.findLast(({ before }) => before < reject.line)!
    const record = reject.line - owner.before
    const { outcome } = owner
    outcome.rejected++
    outcome.byReason[reject.reason] = (outcome.byReason[reject.reason] ?? 0) + 1
    if (outcome.rejects.length < TOLD_REJECTS) outcome.rejects.push({ record, reason: reject.reason })
    return { ...reject, line: record }
  }

  async function write(stream: Ingest, request: Request, records: Iterable<BodyRecord>): Promise<void> {
    request.before = lines
    const { bytes, defaults, written } = request
    group.push(request)
    for (const piece of linesOf(bytes, records, defaults, written)) {
      lines = request.before + written.lines
      await stream.write(piece)
      await breathe()
    }
  }

  async function writeAll(stream: Ingest, requests: readonly Request[]): Promise<void> {
    for (const request of requests) {
      const records = await recordsIn(request)
      if (records !== undefined) await write(stream, request, records)
    }
    await stream.flush()
  }

  async function takeGroup(): Promise<void> {
    const requests = queue.splice(0)
    group = []
    ingest ??= open()
    try {
      await writeAll(ingest, requests)
      for (const { written, outcome, resolve } of group) {
        resolve({ ...outcome, taken: written.lines - written.blank - outcome.rejected })
      }
    } catch (error) {
      // What was settled before stays as it is.
      for (const request of requests) request.reject(error)
      await ingest?.close()
      ingest = undefined
    }
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (queue.length > 0) await takeGroup()
    isRunning = false
  }

  function enqueue(request: Omit<Request, 'resolve' | 'reject'>): Promise<Taken> {
    return new Promise((resolve, reject) => {
      queue.push({ ...request, resolve, reject })
      void run()
    })
  }

  return {
    async take(bytes, form, defaults, signal) {
      if (isClosed) throw closed()
      const outcome: Taken = { taken: 0, rejected: 0, byReason: {}, rejects: [] }
      return enqueue({ bytes, form, defaults, signal, before: 0, written: { lines: 0, blank: 0 }, outcome })
    },
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(closed())
      await ingest?.close()
    },
  }
}

const closed = () => new LogweirError('ingest_failed', 'The service stops: nothing is taken any more.')

/** The records of a request; undefined where it has been refused: they cannot be told apart, or its time is up. */
async function recordsIn({ bytes, form, signal, reject }: Request): Promise<Iterable<BodyRecord> | undefined> {
  if (signal?.aborted) return void reject(signal.reason)
  if (form === 'ndjson') return recordsOf(bytes, form)
  try {
    return await cut(bytes)
  } catch (error) {
    reject(error)
    return undefined
  }
}
