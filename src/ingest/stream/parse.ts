import { MAX_LINE_BYTES } from '../lines/check-lines.js'
import { capacityFor, createLineReader, type ReadBytes } from '../lines/lines.js'
import { createRecordSink, type ParserOptions, type ParserSink } from '../lines/record-sink.js'

/** Parses NDJSON into batches and rejects, in the order of the lines. Synchronous, without clock or threads. */
export interface Parser {
  /** Reads a chunk of any size. `nowUs` is the time of its receipt. */
  push(chunk: Uint8Array, nowUs: number): void
  /** The same for bytes that `read` writes directly to the input, which saves a copy. Returns the number of bytes. */
  fill(read: ReadBytes, nowUs: number): number
  /**
   * Emits the batches that are not full. After several flushes with few rows, also frees the memory of a flood, so
   * that an idle process is small.
   */
  flush(): void
  /** Returns the number of lines at the last flush: each line is in a batch emitted by then, or rejected. */
  flushedLines(): number
  /** Ends the stream and its last line. Emits all rows. */
  end(nowUs: number): void
  /** Returns whether a flush has work: rows wait, or large memory is held. */
  needsFlush(): boolean
  /** Returns true if the parser still has memory that only a flood needs. */
  holdsLargeMemory(): boolean
}

/** Creates a parser. Throws if `ingest.wasm` was not built. */
export function createParser(options: ParserOptions, sink: ParserSink): Parser {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  const capacityBytes = capacityFor(maxLineBytes)
  const recordSink = createRecordSink(options, capacityBytes, sink)
  const reader = createLineReader(recordSink.module(), maxLineBytes, recordSink)
  let flushedLines = 0

  function push(chunk: Uint8Array, receivedUs: number): void {
    recordSink.setReceipt(receivedUs)
    reader.push(chunk)
  }

  function fill(read: ReadBytes, receivedUs: number): number {
    recordSink.setReceipt(receivedUs)
    return reader.fill(read)
  }

  function flush(): void {
    recordSink.flush()
    flushedLines = reader.lines()
    if (recordSink.tick()) reader.moveTo(recordSink.replaceModule(capacityBytes))
  }

  function end(receivedUs: number): void {
    recordSink.setReceipt(receivedUs)
    reader.end()
    flush()
  }

  const needsFlush = () => recordSink.waitingRows() > 0 || recordSink.holdsLargeMemory()

  return {
    push,
    fill,
    flush,
    flushedLines: () => flushedLines,
    end,
    needsFlush,
    holdsLargeMemory: recordSink.holdsLargeMemory,
  }
}
