import type { SourceName } from '../sources.js'
import type { Plan } from './plan.js'

/** A JSON text that goes into an answer as it stands, every number spelled as it came. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Value = string | number | null | RawJson
export type Row = Readonly<Record<string, Value>>

/**
 * One batch of rows of one source: an Arrow IPC stream that holds exactly one record batch
 * with the schema `batchSchema(source)`. The bytes are the caller's again once `append` has resolved.
 */
export interface IngestBatch {
  source: SourceName
  rows: number
  ipc: Uint8Array
}

/** What is held of one source, exact to the byte of its buffers. */
export interface SourceStats {
  source: SourceName
  rows: number
  segments: number
  /** Bytes that queries filter and aggregate, bytes of sealed cold columns, bytes not yet sealed. */
  hotBytes: number
  coldBytes: number
  headBytes: number
}

export interface RunOptions {
  /** Stops the work within one slice; the promise then rejects with the signal's reason. */
  signal?: AbortSignal
}

export interface Engine {
  /** Takes in the rows that earlier processes have kept. Once, and before anything else is asked. */
  recover(): Promise<void>
  /** What keeps it from taking rows at the moment, if anything does: a full disk. It goes on by itself when that has passed. */
  trouble(): Error | undefined
  /**
   * Appends one batch, whole or not at all, after every batch appended before it. Resolves when its rows are
   * visible to {@link run} and the engine has room for more: a caller that awaits it is held back by it.
   */
  append(batch: IngestBatch): Promise<void>
  /**
   * Runs a plan over one state of the rows. All scanning is done when the promise resolves; what is read
   * afterwards, row by row, is the cold columns of the rows of the answer.
   */
  run(plan: Plan, options?: RunOptions): Promise<AsyncIterable<Row>>
  stats(): SourceStats[]
  /** From now on {@link append} holds nobody back who could be let in: the service stops, and what it has read is little. */
  letIn(): void
  /** Finishes work under way and lets go of timers. */
  close(): Promise<void>
}
