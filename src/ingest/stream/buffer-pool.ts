/** Buffers that are reused, so that a stream creates no garbage. */
export interface BufferPool {
  /** Returns an idle buffer, or a new buffer below the limit, or else a promise of the next released buffer. */
  acquire(): Uint8Array | Promise<Uint8Array>
  release(buffer: Uint8Array): void
  /** Rejects the pending promise of `acquire`. */
  fail(error: Error): void
}

/** Creates a pool of at most `limit` buffers of `bufferBytes`. Only a single `acquire` may be pending at a time. */
export function createBufferPool(limit: number, bufferBytes: number): BufferPool {
  const idle: Uint8Array[] = []
  let allocated = 0
  let waiting: { resolve(buffer: Uint8Array): void; reject(error: Error): void } | undefined

  function acquire(): Uint8Array | Promise<Uint8Array> {
    const buffer = idle.pop()
    if (buffer !== undefined) return buffer
    if (allocated === limit) return new Promise((resolve, reject) => void (waiting = { resolve, reject }))
    allocated++
    return new Uint8Array(bufferBytes)
  }

  function release(buffer: Uint8Array): void {
    if (waiting === undefined) idle.push(buffer)
    else waiting.resolve(buffer)
    waiting = undefined
  }

  return { acquire, release, fail: (error) => waiting?.reject(error) }
}
