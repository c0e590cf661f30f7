import { pipeline } from 'node:stream/promises'
import type { PartialAnswer } from './chunks.js'
import { type Coding, createCompressor } from './encoding.js'

/**
 * An overflow as a body: a row is read when the receiver has taken the one before. A body that breaks must not end as
 * if it were whole: `onFailure` is given a row's failure and either ends the connection or throws. A receiver that lets
 * go of it lets go of the rows, and that is no failure.
 */
export function streamBody(
  { head, rest }: PartialAnswer,
  onFailure: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  let pending = head
  let isWanted = true
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
      // What is read when nobody wants it any more cannot be handed over, and fails too.
      pull: (controller) => pull(controller).catch((error) => (isWanted ? onFailure(error) : undefined)),
      async cancel() {
        isWanted = false
        await rest.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The same overflow, compressed. It reads ahead of its receiver by what the compressor takes. */
export function compressed(overflow: PartialAnswer, coding: Coding): PartialAnswer {
  const compressor = createCompressor(coding)
  // A failure of the rows ends the compressor, which tells it to whoever reads on.
  pipeline(whole(overflow), compressor).catch(() => {})
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

async function* whole({ head, rest }: PartialAnswer): AsyncGenerator<Uint8Array, void> {
  try {
    if (head !== undefined) yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return()
  }
}
