import type { IngestBatch } from '../../engine/engine.js'
import type { FieldNames } from '../../field-names.js'
import type { Reason, Reject } from '../rejects.js'

/** What the main thread and a parsing thread say to each other. */

/**
 * `json`: one record, an array of them, an object with such an array under `batch`, whose other members are not looked at, or
 * records that follow one another. `ndjson`: a record a line, or several that follow one another.
 */
export type BodyForm = 'json' | 'ndjson'

/** What the records of a stream get that lack it. */
export interface StreamDefaults {
  /** Name or alias. */
  source?: string
  /** A record has a project if any of the places that are read holds one. */
  project?: string
  /** Which fields hold time and message, if not those of DEFAULT_FIELD_NAMES. */
  fieldNames?: FieldNames
}

export interface Defaults extends StreamDefaults {
  /** Not a default: the projects whose records are taken; absent: all. */
  projects?: ReadonlySet<string>
}

export interface Body {
  bytes: Uint8Array
  form: BodyForm
  defaults: Defaults
}

/** What became of the records of one body. */
export interface BodyResult {
  taken: number
  rejected: number
  byReason: Partial<Record<Reason, number>>
  /** The first that were rejected, by their number in the body, from 1: of NDJSON its line. */
  rejects: { record: number; reason: Reason }[]
}

export interface WorkerOptions {
  retentionUs: number
  defaults?: StreamDefaults
  maxLineBytes?: number
  /** Rows wait no longer than this for a batch to fill. */
  flushIntervalMs: number
}

/** To a worker: memory of a batch that is in the engine, to be used again. */
export interface RecycledMemory {
  memory: Uint8Array<ArrayBuffer>
}

/** To the worker of a stream: its next bytes, or where to read them, and what to do behind them. */
export interface StreamWork {
  id: number
  /** Memory that comes back with the answer, and how much of it is filled. */
  buffer?: Uint8Array | undefined
  filledBytes: number
  /** The descriptor of a file, of which the next bytes are to be read, until it has given so many or ends. */
  file?: { fd: number; enoughBytes: number }
  /** The time of receipt. */
  nowUs: number
  then?: 'flush' | 'end'
}

/** To the worker of bodies: the next one. */
export interface BodyWork extends Body {
  id: number
  nowUs: number
}

/** From a worker, in the order of what it was given. */
export interface WorkerMessage {
  batch?: IngestBatch
  rejects: Reject[]
  /** The work that all this and all before it came of is finished. */
  done?: WorkResult
}

export interface WorkResult {
  id: number
  buffer?: Uint8Array | undefined
  /** Of a file: how many bytes were read, or why none could be. */
  read?: FileRead
  /** Of a body: what became of it, or why nothing was taken of it. */
  taken?: BodyResult
  refused?: { code: string; message: string }
}

export type FileRead = { bytes: number } | { fault: { code: string | undefined; message: string } }
