import { setFlagsFromString } from 'node:v8'

/**
 * How much a heap may grow, buffers outside of it included, before it is collected in full. Rows pass through in buffers
 * that are large beside our small heaps, so that by V8's own measure every 16 MB of input cost a full collection.
 */
const HEAP_GROWTH = '--heap-growing-percent=1000'

/** To be called at the start of a process, before any thread is started. */
export function letHeapsGrow(): void {
  setFlagsFromString(HEAP_GROWTH)
}
