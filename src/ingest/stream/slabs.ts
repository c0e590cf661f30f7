/** Pieces of memory that are used over and over, so that a stream leaves no garbage behind. */
export interface SlabPool {
  /** An idle slab, a new one while there are fewer than the limit, or else a promise of the next that is given back. */
  take(): Uint8Array | Promise<Uint8Array>
  giveBack(slab: Uint8Array): void
  /** Rejects the promise that is waited for. */
  fail(error: Error): void
}

/** At most `limit` slabs of `slabBytes`, for one taker at a time. */
export function createSlabPool(limit: number, slabBytes: number): SlabPool {
  const idle: Uint8Array[] = []
  let made = 0
  let waiting: { resolve(slab: Uint8Array): void; reject(error: Error): void } | undefined

  function take(): Uint8Array | Promise<Uint8Array> {
    const slab = idle.pop()
    if (slab !== undefined) return slab
    if (made === limit) return new Promise((resolve, reject) => void (waiting = { resolve, reject }))
    made++
    return new Uint8Array(slabBytes)
  }

  function giveBack(slab: Uint8Array): void {
    if (waiting === undefined) idle.push(slab)
    else waiting.resolve(slab)
    waiting = undefined
  }

  return { take, giveBack, fail: (error) => waiting?.reject(error) }
}
