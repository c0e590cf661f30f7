import { MIB } from '../../base/units.js'
import type { Masker } from '../../masking/lines/masker.js'
import { MAIN_THREAD_NAMES } from '../names/admission.js'
import type { BoundToken, SourceNames } from '../names/source-names.js'
import type { ParsedBatch } from '../wasm/batch-builder.js'
import { type ArrivalLimits, createModule, type LineDefaults, type Module } from '../wasm/module.js'
import { createAppender } from './append-lines.js'
import { type LineSink, MAX_LINE_BYTES } from './check-lines.js'
import { createRecordMasker } from './mask-records.js'
import { createLineRejects, type RejectSink } from './reject-lines.js'

/** A batch with this many rows is emitted. */
export const BATCH_ROWS = 16_384
/** A batch with columns of this many bytes is emitted. */
export const BATCH_BYTES = 4 * MIB
/** Lines scanned per call. */
const SCANNED_LINES = 512
/** If the batches of a tick are larger in total, the sink needs the large memory. */
const LARGE_BYTES = 2 * MIB
/**
 * Large memory is freed after this many ticks without a large batch. With fewer, a flood that waits for the engine or
 * for a core would count as ended, and would allocate the memory again: ten milliseconds each time.
 */
const IDLE_TICKS = 10

/** Limits and defaults of parsing. Tests pass smaller limits. */
export interface ParserOptions {
  retentionUs: number
  /** The limits of projects and sources. By default there are none. */
  limits?: ArrivalLimits | undefined
  /** Whether a record with an unreadable time is stored with the time of receipt, not rejected. */
  acceptsUnreadableTimes?: boolean | undefined
  defaults?: LineDefaults
  /** The names of own sources. By default those of the main thread. */
  names?: SourceNames
  maxLineBytes?: number
  batchRows?: number
  batchBytes?: number
  scannedLines?: number
  /** Returns the rules that mask records. By default no record is masked. */
  masker?: (() => Masker | undefined) | undefined
}

/** Receives the results of parsing. */
export interface ParserSink extends RejectSink {
  /** Receives the next batch. The bytes are not shared. */
  batch(batch: ParsedBatch): void
  /** Returns memory of an earlier batch for reuse, or undefined. */
  memory?(): Uint8Array<ArrayBuffer> | undefined
}

/** Receives scanned lines and emits batches and rejects, in the order of the lines. */
export interface RecordSink extends LineSink {
  /** The module in use. */
  module(): Module
  /** The number of accepted rows so far. */
  rows(): number
  /** The number of rows in batches that are not full yet. */
  waitingRows(): number
  /** Returns true if the sink still has memory that only a flood or a large body needs. */
  holdsLargeMemory(): boolean
  /** To be called at intervals. Returns true when large memory was idle long enough to be freed by `replaceModule`. */
  tick(): boolean
  /** Sets the time of receipt and the sender of the lines from now on. */
  setReceipt(nowUs: number, token?: BoundToken): void
  /** Sets the defaults of the lines from now on. Overwrites the start of the module's bytes. */
  setDefaults(defaults: LineDefaults): void
  /** Emits the batches that are not full. */
  flush(): void
  /** Replaces the module by a module of this capacity: WebAssembly memory is freed only together with its instance. */
  replaceModule(capacityBytes: number): Module
}

/** Creates a sink with a WebAssembly module for `capacityBytes` of input. Throws if `ingest.wasm` was not built. */
export function createRecordSink(options: ParserOptions, capacityBytes: number, sink: ParserSink): RecordSink {
  let module = moduleFor(options, capacityBytes)
  const { names = MAIN_THREAD_NAMES, masker, maxLineBytes = MAX_LINE_BYTES } = options
  const masked = masker && createRecordMasker(masker, options)
  const rejects = createLineRejects(sink, names, () => module)
  let receipt: { nowUs: number; token: BoundToken } = { nowUs: 0, token: undefined }
  let emittedRows = 0
  const largeMemory = createLargeMemory()

  function emitBatch(builder: Module['builders'][number]): void {
    emittedRows += builder.rows()
    const batch = builder.takeBatch(sink.memory?.())
    largeMemory.noteBatch(batch.ipc.length)
    sink.batch(batch)
  }

  const waitingRows = () => module.builders.reduce((sum, builder) => sum + builder.rows(), 0)

  return {
    lines: createAppender({
      ...rejects,
      ...{ module: () => module, receipt: () => receipt, names, masked, maxLineBytes, emitBatch },
    }),
    invalidUtf8: (index, line) => rejects.reject(index, line, 'invalid_utf8'),
    tooLong: (head, line) => sink.reject(line, 'line_too_long', head, 0, head.length),
    module: () => module,
    rows: () => emittedRows + waitingRows(),
    waitingRows,
    holdsLargeMemory: largeMemory.isHeld,
    tick: largeMemory.tick,
    setReceipt(nowUs, token) {
      receipt = { nowUs, token }
    },
    setDefaults(defaults) {
      module.setDefaults(defaults)
      masked?.setDefaults(defaults)
    },
    flush() {
      for (const builder of module.builders) if (builder.rows() > 0) emitBatch(builder)
    },
    replaceModule(newCapacityBytes) {
      module = moduleFor(options, newCapacityBytes)
      if (newCapacityBytes > capacityBytes) largeMemory.noteUse()
      return module
    },
  }
}

/** Tells when memory that only a flood or a large body needs may be freed. */
function createLargeMemory() {
  /** Bytes of the batches emitted in this tick. */
  let bytes = 0
  /** Ticks since the last large batch. */
  let ticks = IDLE_TICKS
  return {
    noteUse: () => void (ticks = 0),
    noteBatch(batchBytes: number): void {
      bytes += batchBytes
      if (bytes > LARGE_BYTES) ticks = 0
    },
    isHeld: () => ticks < IDLE_TICKS,
    tick(): boolean {
      bytes = 0
      return ++ticks === IDLE_TICKS
    },
  }
}

function moduleFor(
  {
    maxLineBytes = MAX_LINE_BYTES,
    batchRows = BATCH_ROWS,
    batchBytes = BATCH_BYTES,
    scannedLines = SCANNED_LINES,
    ...rules
  }: ParserOptions,
  capacityBytes: number,
): Module {
  return createModule({
    capacityBytes,
    maxLines: scannedLines,
    maxLineBytes,
    batchRows,
    batchBytes,
    ...rules,
  })
}
