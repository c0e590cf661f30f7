import { capacityFor, createLineReader } from './lines.js'
import { createTaker, MAX_LINE_BYTES, type ParserOptions, type ParserSink } from './taker.js'

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
  const maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  const capacityBytes = capacityFor(maxLineBytes)
  /** Whether a batch has filled up since the last flush. */
  let hasFilled = false
  const taker = createTaker(options, capacityBytes, {
    ...sink,
    batch(batch) {
      hasFilled = true
      sink.batch(batch)
    },
  })
  const reader = createLineReader(taker.module(), maxLineBytes, taker)

  function push(chunk: Uint8Array, receivedUs: number): void {
    taker.receivedAt(receivedUs)
    reader.push(chunk)
  }

  function flush(): void {
    const isBusy = hasFilled
    taker.flush()
    if (!isBusy && taker.holdsMuch()) reader.moveTo(taker.renew(capacityBytes))
    hasFilled = false
  }

  function end(receivedUs: number): void {
    taker.receivedAt(receivedUs)
    reader.end()
    flush()
  }

  return { push, flush, end, needsFlush: () => taker.waitingRows() > 0 || taker.holdsMuch() }
}
