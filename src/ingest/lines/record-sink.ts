import { MIB } from '../../base/units.js'
import type { IngestBatch } from '../../engine/engine.js'
import { LINE_INTS } from '../../wasm-layout/field-table.js'
import type { Reason, Reject } from '../rejects.js'
import { createModule, type LineDefaults, type Module } from '../wasm/module.js'
import type { LineSink } from './check-lines.js'

/** The longest line taken. */
export const MAX_LINE_BYTES = MIB
/** A batch goes out when it holds this much. */
export const BATCH_ROWS = 16_384
export const BATCH_BYTES = 4 * MIB
/** Lines scanned at a time. */
const SCANNED_LINES = 512
/** Batches of one tick that are larger than this touch much memory. */
const LARGE_BYTES = 2 * MIB
/**
 * Memory that nothing large has touched for so many ticks is let go. Fewer, and a flood that waits for the engine, or for
 * a core, would count as one that is over: what it lets go of it touches anew, a hundredth of a second's work each time.
 */
const IDLE_TICKS = 10

export interface ParserOptions {
  retentionUs: number
  defaults?: LineDefaults
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

/** Takes lines that a module has scanned; batches and rejects come out in their order. */
export interface RecordSink extends LineSink {
  /** The module in use. */
  module(): Module
  /** Rows taken so far. */
  rows(): number
  /** Rows that wait for a batch to fill. */
  waitingRows(): number
  /** Whether memory is held that only a flood needs, or a large module. */
  holdsLargeMemory(): boolean
  /** To be called at intervals: says whether it is time to let go of what only a flood needed, with `renew`. */
  tick(): boolean
  /** Lines that are taken from now on came at that time. */
  setReceiptTime(nowUs: number): void
  /** Hands out the rows that wait. */
  flush(): void
  /** Takes another module, with room for so many bytes to scan: memory that one has once touched goes only with it. */
  replaceModule(capacityBytes: number): Module
}

export function createRecordSink(options: ParserOptions, capacityBytes: number, sink: ParserSink): RecordSink {
  let module = moduleFor(options, capacityBytes)
  let nowUs = 0
  let emittedRows = 0
  /** Handed out in this tick. */
  let bytes = 0
  /** Since that was much. */
  let ticks = IDLE_TICKS

  function lines(from: number, to: number, line: number): void {
    for (let at = from; at < to; ) {
      at = module.append(at, to, nowUs)
      const stop = module.stopCause()
      if (typeof stop === 'string') reject(at - 1, line + at - 1 - from, stop)
      else if (stop !== undefined) emitBatch(stop)
    }
  }

  function emitBatch(builder: Module['builders'][number]): void {
    emittedRows += builder.rows()
    const batch = builder.takeBatch(sink.memory?.())
    bytes += batch.ipc.length
    if (bytes > LARGE_BYTES) ticks = 0
    sink.batch(batch)
  }

  function reject(index: number, line: number, reason: Reason): void {
    const [, start, end] = module.table.subarray(index * LINE_INTS)
    sink.reject({ line, reason, bytes: module.bytes.slice(start, end) })
  }

  const waitingRows = () => module.builders.reduce((sum, builder) => sum + builder.rows(), 0)

  return {
    lines,
    invalidUtf8: (index, line) => reject(index, line, 'invalid_utf8'),
    tooLong: (head, line) => sink.reject({ line, reason: 'line_too_long', bytes: head }),
    module: () => module,
    rows: () => emittedRows + waitingRows(),
    waitingRows,
    holdsLargeMemory: () => ticks < IDLE_TICKS,
    tick() {
      bytes = 0
      return ++ticks === IDLE_TICKS
    },
    setReceiptTime(receivedUs) {
      nowUs = receivedUs
    },
    flush() {
      for (const builder of module.builders) if (builder.rows() > 0) emitBatch(builder)
    },
    replaceModule(newCapacityBytes) {
      module = moduleFor(options, newCapacityBytes)
      if (newCapacityBytes > capacityBytes) ticks = 0
      return module
    },
  }
}

function moduleFor(
  {
    maxLineBytes = MAX_LINE_BYTES,
    batchRows = BATCH_ROWS,
    batchBytes = BATCH_BYTES,
    scannedLines = SCANNED_LINES,
    retentionUs,
    defaults,
  }: ParserOptions,
  capacityBytes: number,
): Module {
  return createModule({
    capacityBytes,
    maxLines: scannedLines,
    maxLineBytes,
    batchRows,
    batchBytes,
    retentionUs,
    defaults,
  })
}
