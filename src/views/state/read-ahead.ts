import type { GroupStream, StateGroup } from './group.js'

/** A stream whose first groups are being read. The stream can be iterated once. */
export interface StreamAhead extends GroupStream {
  /** Closes the files that the stream has opened, if the stream was not iterated to its end. */
  end(): Promise<void>
}

/** Starts to read a stream. Its errors are thrown when the stream is iterated. */
export function readAhead(stream: GroupStream): StreamAhead {
  const iterator = stream[Symbol.asyncIterator]()
  let first: Promise<IteratorResult<readonly StateGroup[]>> | undefined = iterator.next()
  first.catch(() => {})
  const end = async () => void (await iterator.return?.())
  return {
    end,
    [Symbol.asyncIterator]: () => ({
      next() {
        const next = first ?? iterator.next()
        first = undefined
        return next
      },
      async return() {
        await end()
        return { done: true, value: undefined }
      },
    }),
  }
}
