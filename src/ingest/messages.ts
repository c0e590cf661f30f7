import type { IngestBatch } from '../engine/engine.js'
import type { Reject } from './rejects.js'

/** What the main thread and the parsing worker say to each other. */

export interface WorkerOptions {
  retentionUs: number
  /** Name or alias of the source of records that name none. */
  defaultSource?: string
  maxLineBytes?: number
  /** Rows wait no longer than this for a batch to fill. */
  flushIntervalMs: number
}

/** To the worker: memory of a batch that is in the engine, to be used again. */
export interface Returned {
  memory: Uint8Array<ArrayBuffer>
}

/** To the worker: the next bytes of the stream, and what to do behind them. */
export interface Work {
  id: number
  /** Memory that comes back with the answer, and how much of it is filled. */
  slab: Uint8Array | undefined
  filledBytes: number
  /** The time of receipt. */
  nowUs: number
  then?: 'flush' | 'end'
}

/** From the worker, in the order of the stream. */
export interface Parsed {
  batch?: IngestBatch
  rejects: Reject[]
  /** The work that all this and all before it came of is finished. */
  done?: { id: number; slab: Uint8Array | undefined }
}
