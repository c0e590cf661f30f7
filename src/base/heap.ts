import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'
import { GIB } from './units.js'

/**
 * How much each heap may grow before a full collection, in percent, external buffers included. Rows pass through
 * buffers that are large compared with the small heaps: with V8's default, full collections take 10 % of the time of an
 * ingest. If memory is scarce, the smaller value costs 5 % of the time, saves 20 % of the memory, and prevents growth
 * over hours.
 */
const GROWTH = { little: 100, plenty: 1000 }

/** Sets the growth for a process with this memory limit. Call it at the start, before any thread is started. */
export function raiseHeapGrowth(memoryLimitBytes = Number.POSITIVE_INFINITY): void {
  const growth = memoryLimitBytes < GIB ? GROWTH.little : GROWTH.plenty
  setFlagsFromString(`--heap-growing-percent=${growth}`)
}

/**
 * The limits of a thread's heap. Rows are in external buffers, so the heap itself needs only 5 % of this. But when
 * external buffers reach half of the limit at once, V8 runs two full collections and discards optimised code.
 */
export const THREAD_HEAP: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }
