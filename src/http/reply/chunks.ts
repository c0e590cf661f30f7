import { concatBytes } from '../../base/memory/concat-bytes.js'
import type { MemoryShare } from '../../base/memory/memory-budget.js'
import type { Row } from '../../plan/answer.js'
import type { Chunk, Encoder } from '../formats/format.js'

/** `encode` returns arrays of the exact size. A small Buffer would be a view of a larger, shared buffer. */
const utf8 = new TextEncoder()

/** An iterator over the chunks of a response body. */
export interface ByteChunks {
  next(): Promise<IteratorResult<Uint8Array, void>>
  /** Stops, and frees the rows that the chunks are encoded from. */
  return(): Promise<unknown>
}

/** An answer that is too long to be buffered: the bytes encoded so far, if any, and the remaining chunks. */
export interface PartialAnswer {
  head: Uint8Array | undefined
  rest: ByteChunks
}

/** Cancellation of an encoding, and the memory that counts the bytes of the encoding. */
export interface Encoding {
  signal?: AbortSignal
  memory?: Pick<MemoryShare, 'add' | 'room'>
}

/**
 * Encodes rows up to `limitBytes`. Returns the whole answer, or, as soon as the answer is longer, the head and the
 * remaining chunks. Once `signal` is aborted, frees the rows and throws the reason. Also frees the rows after any error
 * of the rows.
 */
export async function encodeUpTo(
  rows: AsyncIterable<Row>,
  encoder: Encoder,
  limitBytes: number,
  { signal, memory }: Encoding = {},
): Promise<Uint8Array | PartialAnswer> {
  const iterator = rows[Symbol.asyncIterator]()
  const buffer = createBuffer(encoder.begin)
  try {
    for (;;) {
      const { done, value } = await iterator.next()
      signal?.throwIfAborted()
      if (done) {
        buffer.add(encoder.end())
        return buffer.whole()
      }
      const before = buffer.bytes()
      buffer.add(encoder.row(value))
      memory?.add(buffer.bytes() - before)
      await memory?.room(signal)
      if (buffer.bytes() + encoder.endBytes > limitBytes) {
        return { head: buffer.whole(), rest: remainingChunks(iterator, encoder) }
      }
    }
  } catch (error) {
    await iterator.return?.()
    throw error
  }
}

/** Encodes all rows, however long the answer is. */
export async function encodeAll(rows: AsyncIterable<Row>, encoder: Encoder, encoding?: Encoding): Promise<Uint8Array> {
  return (await encodeUpTo(rows, encoder, Number.POSITIVE_INFINITY, encoding)) as Uint8Array
}

/** Joins the chunks of an encoder, all text or all bytes. Text is encoded at once, which is faster than in chunks. */
function createBuffer(begin: Chunk) {
  let text = ''
  const parts: Uint8Array[] = []
  let bytes = 0

  function add(chunk: Chunk): void {
    if (typeof chunk === 'string') {
      text += chunk
      bytes += Buffer.byteLength(chunk)
    } else {
      parts.push(chunk)
      bytes += chunk.byteLength
    }
  }

  add(begin)
  return { add, bytes: () => bytes, whole: () => (parts.length === 0 ? utf8.encode(text) : concatBytes(parts, bytes)) }
}

/**
 * Encodes the remaining rows, a chunk per call. While a slow client is awaited, only the next chunk stays in memory:
 * the row of the chunk, several times as large, can be collected by then.
 */
function remainingChunks(rows: AsyncIterator<Row>, encoder: Encoder): ByteChunks {
  let ended = false
  return {
    async next() {
      while (!ended) {
        const { done, value } = await rows.next()
        ended = done === true
        const chunk = done ? encoder.end() : encoder.row(value)
        if (chunk.length > 0) return { done: false, value: typeof chunk === 'string' ? utf8.encode(chunk) : chunk }
      }
      return { done: true, value: undefined }
    },
    async return() {
      ended = true
      await rows.return?.()
    },
  }
}
