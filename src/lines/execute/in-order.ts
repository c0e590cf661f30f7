/**
 * Calls `make` with each item of a stream, and yields the results in the order of the items. At most `most()` results
 * are made, or used by the reader, at a time.
 */
export async function* inOrder<Item, T>(
  items: AsyncIterable<Item>,
  make: (item: Item) => Promise<T>,
  most: () => number,
): AsyncGenerator<T, void> {
  const values: Promise<T>[] = []
  let isEnded = false
  let isStopped = false
  let failure: unknown
  let wakeReader = () => {}
  let wakeMaker = () => {}
  const pause = (set: (wake: () => void) => void) => new Promise<void>(set)

  async function read(): Promise<void> {
    for await (const item of items) {
      if (isStopped) return
      const value = make(item)
      // The reader comes to the error when it is this value's turn.
      value.catch(() => {})
      values.push(value)
      wakeReader()
      while (values.length >= most() && !isStopped)
        await pause((wake) => {
          wakeMaker = wake
        })
    }
  }

  // Not awaited at the end: a silent input would never end the wait for its next chunk.
  void read()
    .catch((error) => {
      failure = error
    })
    .finally(() => {
      isEnded = true
      wakeReader()
    })
  try {
    for (;;) {
      const [value] = values
      if (value !== undefined) {
        yield await value
        values.shift()
        wakeMaker()
      } else if (isEnded) {
        if (failure !== undefined) throw failure
        return
      } else
        await pause((wake) => {
          wakeReader = wake
        })
    }
  } finally {
    isStopped = true
    wakeMaker()
  }
}
