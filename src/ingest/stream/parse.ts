import { capacityFor, createLineReader, type ReadBytes } from '../lines/lines.js'
import { createTaker, MAX_LINE_BYTES, type ParserOptions, type ParserSink } from '../lines/record-sink.js'

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
  holdsMuch(): boolean
}

export function createParser(options: ParserOptions, sink: ParserSink): Parser {
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  const capacityBytes = capacityFor(maxLineBytes)
  const taker = createTaker(options, capacityBytes, sink)
  const reader = createLineReader(taker.module(), maxLineBytes, taker)

  function push(chunk: Uint8Array, receivedUs: number): void {
    taker.receivedAt(receivedUs)
    reader.push(chunk)
  }

  function fill(read: ReadBytes, receivedUs: number): number {
    taker.receivedAt(receivedUs)
    return reader.fill(read)
  }

  function flush(): void {
    taker.flush()
    if (taker.tick()) reader.moveTo(taker.renew(capacityBytes))
  }

  function end(receivedUs: number): void {
    taker.receivedAt(receivedUs)
    reader.end()
    flush()
  }

  const needsFlush = () => taker.waitingRows() > 0 || taker.holdsMuch()

  return { push, fill, flush, end, needsFlush, holdsMuch: taker.holdsMuch }
}
