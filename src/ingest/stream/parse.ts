import { capacityFor, createLineReader, type ReadBytes } from '../lines/lines.js'
import { createRecordSink, MAX_LINE_BYTES, type ParserOptions, type ParserSink } from '../lines/record-sink.js'

/** NDJSON in, batches and rejects out, in the order of the lines; synchronous, without clock or threads. */
export interface Parser {
  /** Reads a chunk of any size. `nowUs` is the time of its receipt. */
  push(chunk: Uint8Array, nowUs: number): void
  /** The same for bytes that are there to be read, some at a time, which saves a copy; gives how many `read` has read. */
  fill(read: ReadBytes, nowUs: number): number
  /**
   * Hands out the rows that wait for a batch to fill. Where little has come for some flushes, it also lets go of the memory
   * of a flood: what is idle should be small.
   */
  flush(): void
  /** The stream ends, its last line with it; hands out all rows. */
  end(nowUs: number): void
  /** Whether a flush has anything to do: rows wait, or much memory is held. */
  needsFlush(): boolean
  /** Whether memory is held that only a flood needs. */
  holdsLargeMemory(): boolean
}

export function createParser(options: ParserOptions, sink: ParserSink): Parser {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  const capacityBytes = capacityFor(maxLineBytes)
  const recordSink = createRecordSink(options, capacityBytes, sink)
  const reader = createLineReader(recordSink.module(), maxLineBytes, recordSink)

  function push(chunk: Uint8Array, receivedUs: number): void {
    recordSink.setReceiptTime(receivedUs)
    reader.push(chunk)
  }

  function fill(read: ReadBytes, receivedUs: number): number {
    recordSink.setReceiptTime(receivedUs)
    return reader.fill(read)
  }

  function flush(): void {
    recordSink.flush()
    if (recordSink.tick()) reader.moveTo(recordSink.replaceModule(capacityBytes))
  }

  function end(receivedUs: number): void {
    recordSink.setReceiptTime(receivedUs)
    reader.end()
    flush()
  }

  const needsFlush = () => recordSink.waitingRows() > 0 || recordSink.holdsLargeMemory()

  return { push, fill, flush, end, needsFlush, holdsLargeMemory: recordSink.holdsLargeMemory }
}
