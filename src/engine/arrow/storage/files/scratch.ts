import { MIB } from '../../../../base/units.js'

/**
 * Memory for what a load needs only on its way. Later loads use it again: else most of the garbage of a service whose columns
 * do not fit into memory would be this, in pieces that leave holes between what stays.
 */
export interface Scratch {
  /** So many bytes until the load is over; what is in them means nothing. Their place suits numbers of 8 bytes. */
  take(bytes: number): Buffer
}

const ALIGNMENT = 8
/** It grows to what a load has taken, up to this. */
const KEPT_BYTES = 4 * MIB

/** Memory that no load uses at the moment; as many pieces as there were loads at the same time. */
const idle: Buffer[] = []

/** Does the work of a load, which has a scratch of its own meanwhile. */
export async function withScratch<T>(work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const memory = idle.pop() ?? Buffer.alloc(0)
  let taken = 0
  const take = (bytes: number): Buffer => {
    const start = taken
    taken += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT
    return taken <= memory.length ? memory.subarray(start, start + bytes) : Buffer.allocUnsafeSlow(bytes)
  }
  return work({ take }).finally(() => {
    idle.push(taken > memory.length && taken <= KEPT_BYTES ? Buffer.allocUnsafeSlow(taken) : memory)
  })
}
