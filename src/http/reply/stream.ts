import { pipeline } from 'node:stream/promises'
import type { MemoryShare } from '../../base/memory/memory-budget.js'
import type { PartialAnswer } from './chunks.js'
import { type Coding, createCompressor } from './encoding.js'

/**
 * Returns a partial answer as a response body. A row is read when the client has taken the previous row. A body that
 * fails must not end like a complete body: `onFailure` gets the error and closes the connection or throws. If the
 * client cancels, the rows are freed, which is no failure.
 */
export function streamBody(
  { head, rest }: PartialAnswer,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let pending = head
  let isRead = true
  async function pull(controller: ReadableStreamDefaultController<Uint8Array>) {
    if (pending !== undefined) {
      controller.enqueue(pending)
      pending = undefined
      return
    }
    const { done, value } = await rest.next()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  return new ReadableStream<Uint8Array>(
    {
      // A chunk that arrives after cancel() cannot be enqueued, which is no failure.
      pull: (controller) => pull(controller).catch((error) => (isRead ? onFailure(error) : undefined)),
      async cancel() {
        isRead = false
        await rest.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Counts the chunks of an answer. A chunk counts until the next chunk is ready: the next chunk is requested when the
 * client has taken the chunk before. The head is counted already.
 */
export function countedAnswer({ head, rest }: PartialAnswer, memory: MemoryShare): PartialAnswer {
  let waitingBytes = head?.byteLength ?? 0
  return {
    head,
    rest: {
      async next() {
        memory.taken(waitingBytes)
        await memory.roomForChunk()
        const chunk = await rest.next()
        const bytes = chunk.value?.byteLength ?? 0
        memory.add(bytes - waitingBytes)
        waitingBytes = bytes
        return chunk
      },
      return: () => rest.return(),
    },
  }
}

/** Compresses a partial answer. Reads ahead of the client by the buffers of the compressor. */
export function compressed(answer: PartialAnswer, coding: Coding): PartialAnswer {
  const compressor = createCompressor(coding)
  // An error of the rows destroys the compressor, so that reading `chunks` throws the error.
  pipeline(allChunks(answer), compressor).catch(() => {})
  const chunks = compressor[Symbol.asyncIterator]()
  return {
    head: undefined,
    rest: {
      next: () => chunks.next(),
      async return() {
        compressor.destroy()
      },
    },
  }
}

async function* allChunks({ head, rest }: PartialAnswer): AsyncGenerator<Uint8Array, void> {
  try {
    if (head !== undefined) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return()
  }
}
