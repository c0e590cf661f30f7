import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'
import { GIB } from './units.js'

/**
 * How much each heap may grow, in percent, buffers outside of it included, before it is collected in full. Rows pass through
 * in buffers that are large beside our small heaps, so that collections by V8's own measure take a tenth of an ingest's
 * time. Where memory is short it is worth a twentieth that a fifth less of it is taken, and no more after hours.
 */
const GROWTH = { little: 100, plenty: 1000 }

/** To be called at the start of a process, which is to live in so much memory, before any thread is started. */
export function raiseHeapGrowth(memoryLimitBytes = Number.POSITIVE_INFINITY): void {
  const growth = memoryLimitBytes < GIB ? GROWTH.little : GROWTH.plenty
  setFlagsFromString(`--heap-growing-percent=${growth}`)
}

/**
 * What a thread's own heap may take; rows lie in buffers outside of it. It needs a twentieth: but when buffers come to half
 * of this at once, V8 collects in full, twice, and throws code away that it has optimised.
 */
export const THREAD_HEAP: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }
