/** Pieces of memory that are used over and over, so that a stream leaves no garbage behind. */
export interface BufferPool {
  /** An idle slab, a new one while there are fewer than the limit, or else a promise of the next that is given back. */
  acquire(): Uint8Array | Promise<Uint8Array>
  release(buffer: Uint8Array): void
  /** Rejects the promise that is waited for. */
  fail(error: Error): void
}

/** At most `limit` slabs of `slabBytes`, for one taker at a time. */
export function createBufferPool(limit: number, bufferBytes: number): BufferPool {
  const idle: Uint8Array[] = []
  let made = 0
  let waiting: { resolve(buffer: Uint8Array): void; reject(error: Error): void } | undefined

  function acquire(): Uint8Array | Promise<Uint8Array> {
    const buffer = idle.pop()
    if (buffer !== undefined) return buffer
    if (made === limit) return new Promise((resolve, reject) => void (waiting = { resolve, reject }))
    made++
    return new Uint8Array(bufferBytes)
  }

  function release(buffer: Uint8Array): void {
    if (waiting === undefined) idle.push(buffer)
    else waiting.resolve(buffer)
    waiting = undefined
  }

  return { acquire, release, fail: (error) => waiting?.reject(error) }
}
