import { concatBytes } from '../../base/concat-bytes.js'
import type { Row } from '../../engine/engine.js'
import type { Chunk, Encoder } from '../formats/format.js'

/** Its bytes are exactly as many as they hold; a small Buffer would be part of a shared, larger one. */
const utf8 = new TextEncoder()

/** Bytes that come piece by piece. Letting go of them lets go of where they come from. */
export interface ByteChunks {
  next(): Promise<IteratorResult<Uint8Array, void>>
  return(): Promise<unknown>
}

/** An answer that is too long to be held: its beginning where that is at hand, and what follows it. */
export interface PartialAnswer {
  head: Uint8Array | undefined
  rest: ByteChunks
}

/**
 * All rows in one format. Stops at the first row that passes `limitBytes` and gives that much of it and the rest. Once
 * `signal` is aborted it lets go of the rows and throws the reason.
 */
export async function encodeUpTo(
  rows: AsyncIterable<Row>,
  encoder: Encoder,
  limitBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array | PartialAnswer> {
  const iterator = rows[Symbol.asyncIterator]()
  const held = createBuffer(encoder.begin)
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      signal?.throwIfAborted()
      if (done) {
        held.add(encoder.end())
        return held.whole()
      }
      held.add(encoder.row(value))
      if (held.bytes() + encoder.endBytes > limitBytes) {
        return { head: held.whole(), rest: remainingChunks(iterator, encoder) }
      }
    }
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

/** All rows in one format, however long. */
export async function encodeAll(rows: AsyncIterable<Row>, encoder: Encoder, signal?: AbortSignal): Promise<Uint8Array> {
  return (await encodeUpTo(rows, encoder, Number.POSITIVE_INFINITY, signal)) as Uint8Array
}

/** ByteChunks of one kind, put together: text becomes bytes at once, which takes less than piece by piece. */
function createBuffer(begin: Chunk) {
  let text = ''
  const parts: Uint8Array[] = []
  let bytes = 0

  function add(piece: Chunk): void {
    if (typeof piece === 'string') {
      text += piece
      bytes += Buffer.byteLength(piece)
    } else {
      parts.push(piece)
      bytes += piece.byteLength
    }
  }

  add(begin)
  return { add, bytes: () => bytes, whole: () => (parts.length === 0 ? utf8.encode(text) : concatBytes(parts, bytes)) }
}

/**
 * What follows, from the next row on. While it waits for a slow reader it holds the next piece only: a row and its texts,
 * several times as large, are out of reach by then.
 */
function remainingChunks(rows: AsyncIterator<Row>, encoder: Encoder): ByteChunks {
  let ended = false
  return {
    async next() {
      while (!ended) {
        const { done, value } = await rows.next()
        ended = done === true
        const piece = done ? encoder.end() : encoder.row(value)
        if (piece.length > 0) return { done: false, value: typeof piece === 'string' ? utf8.encode(piece) : piece }
      }
      return { done: true, value: undefined }
    },
    async return() {
      ended = true
      await rows.return?.()
    },
  }
}
