import { MIB } from '../../../base/units.js'

/**
 * Temporary memory of a load, reused by later loads. Without reuse, in a service with more columns than fit into
 * memory, temporary memory would be most of the garbage and would fragment the heap.
 */
export interface Scratch {
  /** Returns that many bytes, valid until the load ends, with arbitrary content, aligned to 8 bytes. */
  take(bytes: number): Buffer
}

const ALIGNMENT = 8
/** Temporary memory grows to the bytes that a load has taken, up to this limit. */
const MAX_POOLED_BYTES = 4 * MIB

/** Buffers that no load uses now, at most as many as there were loads at the same time. */
const idle: Buffer[] = []

/** Runs a load with its own temporary memory. Settles as the load does. */
export async function withScratch<T>(work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const memory = idle.pop() ?? Buffer.alloc(0)
  let taken = 0
  const take = (bytes: number): Buffer => {
    const start = taken
    taken += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    return taken <= memory.length ? memory.subarray(start, start + bytes) : Buffer.allocUnsafeSlow(bytes)
  }
  return work({ take }).finally(() => {
    idle.push(taken > memory.length && taken <= MAX_POOLED_BYTES ? Buffer.allocUnsafeSlow(taken) : memory)
  })
}
