import { MIB } from '../base/units.js'
import type { IngestBatch } from '../engine/engine.js'
import type { Source } from '../sources.js'
import { LINE_INTS } from './fields.js'
import { capacityFor, createLineReader } from './lines.js'
import { createModule, type Module } from './module.js'
import type { Reason, Reject } from './rejects.js'

/** The longest line taken. */
export const MAX_LINE_BYTES = MIB
/** A batch goes out when it holds this much. */
export const BATCH_ROWS = 16_384
export const BATCH_BYTES = 4 * MIB
/** Lines scanned at a time. */
const SCANNED_LINES = 512
/** Memory of batches that is kept where no batch fills up. */
const KEPT_BYTES = 2 * MIB

export interface ParserOptions {
  retentionUs: number
  /** The source of records that name none. */
  defaultSource?: Source
  maxLineBytes?: number
  batchRows?: number
  batchBytes?: number
  scannedLines?: number
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
  /**
   * Hands out the rows that wait for a batch to fill. Where no batch has filled up since the last flush, it also lets go
   * of the memory for full ones: what is idle should be small.
   */
  flush(): void
  /** The stream ends, its last line with it; hands out all rows. */
  end(nowUs: number): void
  /** Whether a flush has anything to do: rows wait, or memory is held that only a stream with full batches needs. */
  needsFlush(): boolean
}

export function createParser(options: ParserOptions, sink: ParserSink): Parser {
  let module = moduleFor(options)
  let nowUs = 0
  /** Whether a batch has filled up since the last flush. */
  let hasFilled = false

  function takeLines(from: number, to: number, line: number): void {
    for (let at = from; at < to; ) {
      at = module.take(at, to, nowUs)
      const stop = module.stop()
      if (typeof stop === 'string') reject(at - 1, line + at - 1 - from, stop)
      else if (stop !== undefined) {
        sink.batch(stop.takeBatch(sink.memory?.()))
        hasFilled = true
      }
    }
  }

  function reject(index: number, line: number, reason: Reason): void {
    const [, start, end] = module.table.subarray(index * LINE_INTS)
    sink.reject({ line, reason, bytes: module.bytes.slice(start, end) })
  }

  const reader = createLineReader(module, options.maxLineBytes ?? MAX_LINE_BYTES, {
    lines: takeLines,
    invalidUtf8: (index, line) => reject(index, line, 'invalid_utf8'),
    tooLong: (head, line) => sink.reject({ line, reason: 'line_too_long', bytes: head }),
  })

  function push(chunk: Uint8Array, receivedUs: number): void {
    nowUs = receivedUs
    reader.push(chunk)
  }

  const filledLanes = () => module.lanes.filter((lane) => lane.rows() > 0)
  const holdsMuch = () => module.lanes.reduce((sum, lane) => sum + lane.largestBytes(), 0) > KEPT_BYTES

  function flush(): void {
    for (const lane of filledLanes()) sink.batch(lane.takeBatch())
    if (!hasFilled && holdsMuch()) renewModule()
    hasFilled = false
  }

  /** Memory that an instance has once touched goes only with the instance. */
  function renewModule(): void {
    module = moduleFor(options)
    reader.moveTo(module)
  }

  function end(receivedUs: number): void {
    nowUs = receivedUs
    reader.end()
    flush()
  }

  return { push, flush, end, needsFlush: () => filledLanes().length > 0 || holdsMuch() }
}

function moduleFor({
  maxLineBytes = MAX_LINE_BYTES,
  batchRows = BATCH_ROWS,
  batchBytes = BATCH_BYTES,
  scannedLines = SCANNED_LINES,
  retentionUs,
  defaultSource,
}: ParserOptions): Module {
  const capacityBytes = capacityFor(maxLineBytes)
  return createModule({
    capacityBytes,
    maxLines: scannedLines,
    maxLineBytes,
    batchRows,
    batchBytes,
    retentionUs,
    defaultSource,
  })
}
