import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/**
 * How much a heap may grow, buffers outside of it included, before it is collected in full. Rows pass through in buffers
 * that are large beside our small heaps, so that by V8's own measure every 16 MB of input cost a full collection.
 */
const HEAP_GROWTH = '--heap-growing-percent=1000'

/** To be called at the start of a process, before any thread is started. */
export function letHeapsGrow(): void {
  setFlagsFromString(HEAP_GROWTH)
}

/**
 * What a thread's own heap may take; rows lie in buffers outside of it. It needs a twentieth: but when buffers come to half
 * of this at once, V8 collects in full, twice, and throws code away that it has optimised.
 */
export const THREAD_HEAP: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }
