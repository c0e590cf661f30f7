import type { FieldNames } from '../../common/field-names.js'
import type { SourceRefusal } from '../../common/source-refusals.js'
import type { MaskCounts, Masking } from '../../masking/rule.js'
import type { SharedNames, SourceQuestion } from '../names/shared-names.js'
import type { BoundToken } from '../names/source-names.js'
import type { Reason, RejectBatch } from '../rejects.js'
import type { ParsedBatch } from '../wasm/batch-builder.js'

/** The messages between the main thread and a parsing thread. */

/**
 * `json`: a record, an array of records, an object with such an array under `batch` (other members are ignored), or
 * concatenated records. `ndjson`: a record or several concatenated records per line.
 */
export type BodyForm = 'json' | 'ndjson'

/** Values for records of a stream that lack the field. */
export interface StreamDefaults {
  /** Name or alias. */
  source?: string
  /** Applies to records that have a project in none of the places that are read. */
  project?: string
  /** The names of the time and message fields. By default DEFAULT_FIELD_NAMES. */
  fieldNames?: FieldNames
}

/** Values for records of a body that lack the field. */
export interface Defaults extends StreamDefaults {
  /** Not a default: records of other projects are rejected. If absent, all projects are accepted. */
  projects?: ReadonlySet<string>
  /** Not a default: the token of the sender, if the token is bound to projects. */
  token?: BoundToken
}

/** A request body with its form and its defaults. */
export interface Body {
  bytes: Uint8Array
  form: BodyForm
  defaults: Defaults
}

/** The result of a body. */
export interface BodyResult {
  taken: number
  rejected: number
  byReason: Partial<Record<Reason, number>>
  /** The first rejected records, by number in the body, from 1. For NDJSON `record` is the line number. */
  rejects: { record: number; reason: Reason }[]
  /** Why records were rejected as `unknown_source`, each reason once. Absent if none was. */
  refusedSources?: SourceRefusal[]
}

/** The settings of a parsing thread, passed at the start. */
export interface WorkerOptions {
  retentionUs: number
  /** The limits of projects and sources, see `sharedLimits`. Undefined if there are none. */
  limits: SharedArrayBuffer | undefined
  /** The rules that mask records. Undefined: no record is masked. */
  masking: Masking | undefined
  /** Whether a record with an unreadable time is stored with the time of receipt, not rejected. */
  acceptsUnreadableTimes: boolean
  defaults?: StreamDefaults
  maxLineBytes?: number
  /** The size of the longest entry for the rejects file. 0 if entries are not stored. */
  maxRejectBytes: number
  /** The longest time that a row waits in a batch that is not full, in milliseconds. */
  flushIntervalMs: number
  /** The names of own sources, which all threads share. */
  names: SharedNames
}

/** To a worker: memory of a batch that is in the engine, for reuse. */
export interface RecycledMemory {
  memory: Uint8Array<ArrayBuffer>
}

/** To a worker: the limits from now on. */
export interface ChangedLimits {
  limits: SharedArrayBuffer
}

/** To a worker: the rules that mask records from now on. */
export interface ChangedMasking {
  masking: Masking
}

/** To the worker of a stream: the next bytes or a file to read, and the action that follows. */
export interface StreamWork {
  id: number
  /** Memory that the answer returns, and the length of its filled part. */
  buffer?: Uint8Array | undefined
  filledBytes: number
  /** The descriptor of a file to read from, until `enoughBytes` are read or the file ends. */
  file?: { fd: number; enoughBytes: number }
  /** The time of receipt. */
  nowUs: number
  then?: 'flush' | 'end'
}

/** To the worker of bodies: the next body. */
export interface BodyWork extends Body {
  id: number
  nowUs: number
}

/** From a worker, in the order of its work. */
export interface WorkerMessage {
  batch?: ParsedBatch
  /** With a batch of a stream: this many lines of the stream are in earlier batches, or rejected. */
  linesBefore?: number
  rejects?: RejectBatch | undefined
  /** The numbers of masked values since the last message. */
  masked?: MaskCounts | undefined
  /** The work that is finished with this message. */
  done?: WorkResult
}

/** From a worker, between other messages: a question that it waits to be answered. */
export interface WorkerQuestion {
  question: SourceQuestion
}

/** The result of a unit of work. */
export interface WorkResult {
  id: number
  buffer?: Uint8Array | undefined
  /** For a file: the number of bytes read, or the error. */
  read?: FileRead
  /** For a body: the result, or the error that refused the body. */
  taken?: BodyResult
  refused?: { code: string; message: string }
}

/** The result of reading a file: the number of bytes, or an error without any. */
export type FileRead = { bytes: number } | { fault: { code: string | undefined; message: string } }
