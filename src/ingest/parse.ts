import { MIB } from '../base/units.js'
import type { IngestBatch } from '../engine/engine.js'
import type { Source } from '../sources.js'
import { type BatchBuilder, takeBatch, textBytes } from './batch-builder.js'
import { OUTCOME, type Scanner } from './fields.js'
import { createLineReader } from './lines.js'
import { createRecorder } from './record.js'
import type { Reason, Reject } from './rejects.js'

/** The longest line taken. */
export const MAX_LINE_BYTES = MIB
/** A batch goes out when it holds this much. */
export const BATCH_ROWS = 16_384
export const BATCH_BYTES = 4 * MIB

export interface ParserOptions {
  /** Its memory holds `capacityFor(maxLineBytes)` bytes. */
  scanner: Scanner
  retentionUs: number
  /** The source of records that name none. */
  defaultSource?: Source
  maxLineBytes?: number
  batchRows?: number
  batchBytes?: number
}

export interface ParserSink {
  /** The next batch; its bytes have their memory for themselves. */
  batch(batch: IngestBatch): void
  /** Memory for a batch that is used again, where there is any. */
  memory?(): Uint8Array<ArrayBuffer> | undefined
  reject(reject: Reject): void
}

/** NDJSON in, batches and rejects out, in the order of the lines; synchronous, without clock or threads. */
export interface Parser {
  /** Reads a chunk of any size. `nowUs` is the time of its receipt. */
  push(chunk: Uint8Array, nowUs: number): void
  /** Hands out the rows that wait for a batch to fill. */
  flush(): void
  /** The stream ends, its last line with it; hands out all rows. */
  end(nowUs: number): void
  /** Whether rows wait for a batch to fill. */
  hasRows(): boolean
}

export function createParser(options: ParserOptions, sink: ParserSink): Parser {
  const { scanner, maxLineBytes = MAX_LINE_BYTES, batchRows = BATCH_ROWS, batchBytes = BATCH_BYTES } = options
  const { bytes, table } = scanner
  const recorder = createRecorder(options)
  let nowUs = 0

  const isFull = (builder: BatchBuilder) => builder.rows >= batchRows || textBytes(builder) >= batchBytes

  function takeLine(at: number, line: number): void {
    if (table[at] === OUTCOME.blank) return
    const taken = recorder.take(at, nowUs)
    if (typeof taken === 'string') reject(at, line, taken)
    else if (isFull(taken)) sink.batch(takeBatch(taken, sink.memory?.()))
  }

  function reject(at: number, line: number, reason: Reason): void {
    sink.reject({ line, reason, bytes: bytes.slice(table[at + 1], table[at + 2]) })
  }

  const reader = createLineReader(scanner, maxLineBytes, {
    line: takeLine,
    invalidUtf8: (at, line) => reject(at, line, 'invalid_utf8'),
    tooLong: (head, line) => sink.reject({ line, reason: 'line_too_long', bytes: head }),
  })

  function push(chunk: Uint8Array, receivedUs: number): void {
    nowUs = receivedUs
    reader.push(chunk)
  }

  /** Builders without rows let go of their memory: what is idle should be small. */
  function flush(): void {
    for (const builder of recorder.filled()) sink.batch(takeBatch(builder))
    recorder.release()
  }

  function end(receivedUs: number): void {
    nowUs = receivedUs
    reader.end()
    flush()
  }

  return { push, flush, end, hasRows: () => recorder.filled().length > 0 }
}
