import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { ResourceLimits } from 'node:worker_threads'
import type { Clock } from '../time/clock.js'
import { GIB, MIB } from '../units.js'

/**
 * How much each heap may grow before a full collection, in percent, external buffers included. Rows pass through
 * buffers that are large compared with the small heaps: with V8's default, full collections take 10 % of the time of an
 * ingest. If memory is scarce, the smaller value costs 5 % of the time, saves 20 % of the memory, and prevents growth
 * over hours.
 */
const GROWTH = { little: 100, plenty: 1000 }

/** Sets the growth for a process with this memory limit. Call at the start, before any thread is started. */
export function raiseHeapGrowth(memoryLimitBytes = Number.POSITIVE_INFINITY): void {
  const growth = memoryLimitBytes < GIB ? GROWTH.little : GROWTH.plenty
  setFlagsFromString(`--heap-growing-percent=${growth}`)
  garbageBytes = Math.min(MAX_GARBAGE_BYTES, Math.max(MIN_GARBAGE_BYTES, memoryLimitBytes * GARBAGE_SHARE))
  usualBytes = memoryLimitBytes < GIB ? memoryLimitBytes * USUAL_SHARE : 0
  mostYoungBytes = memoryLimitBytes < 512 * MIB ? YOUNG_BYTES : Number.POSITIVE_INFINITY
}

/** The young generation of a process with little memory: a fourth of V8's, in two halves. */
const YOUNG_BYTES = 8 * MIB
let mostYoungBytes = Number.POSITIVE_INFINITY

/** Ends the growth of the young generation once large enough. V8 reads the limit only at the start of a heap. */
function limitYoungGeneration(): void {
  if (mostYoungBytes === Number.POSITIVE_INFINITY) return
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (young === undefined || young.space_size < mostYoungBytes) return
  setFlagsFromString('--semi-space-growth-factor=1')
  mostYoungBytes = Number.POSITIVE_INFINITY
}

/**
 * The share of the memory limit by which the heap of the main thread may grow while queries run, within the bounds
 * below. The time of a collection grows with the memory in use. So the heap may double if memory is not scarce. If
 * memory is scarce, the heap may grow to the size of a heap with all that queries may hold.
 */
const GARBAGE_SHARE = 1 / 16
const MIN_GARBAGE_BYTES = 16 * MIB
const MAX_GARBAGE_BYTES = 64 * MIB
const USUAL_SHARE = 7 / 16

let garbageBytes = Number.POSITIVE_INFINITY
/** The size that the heap may have in any case. 0 if memory is not scarce. */
let usualBytes = 0
/** The least heap since the last collection of {@link collectGarbage}. */
let leastBytes = Number.POSITIVE_INFINITY

/**
 * Collects the garbage of the main thread if the heap has grown by a share of the memory limit. Called between slices
 * of queries: texts of 1 MiB fill the heap faster than V8 looks at the heap, and buffers take 64 MiB before V8 looks.
 */
export function collectGarbage(collect: () => void = collectFully): void {
  if (garbageBytes === Number.POSITIVE_INFINITY) return
  limitYoungGeneration()
  const bytes = heapBytes()
  if (bytes < leastBytes) leastBytes = bytes
  const mostBytes =
    usualBytes > 0 ? Math.max(usualBytes, leastBytes + garbageBytes) : leastBytes + Math.max(garbageBytes, leastBytes)
  if (bytes < mostBytes) return
  collect()
  leastBytes = heapBytes()
  // Memory of the queries that run now is garbage once the queries have ended.
  askForCollection()
}

/**
 * The limits of a thread's heap. Rows are in external buffers, so the heap itself needs only 5 % of this. But when
 * external buffers reach half of the limit at once, V8 runs two full collections and discards optimised code.
 */
export const THREAD_HEAP: ResourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

const CHECK_MS = 5_000
/** Growth of the heap that is worth a full collection. */
const COLLECTED_GROWTH_BYTES = 32 * MIB
/** How many checks in a row leave the heap alone because queries run: a collection stops queries for 15 to 100 ms. */
const MOST_PUT_OFF = 5

let isAsked = false

/** Lets the next check of {@link collectGrownHeap} collect, since large objects are not used any more. */
export function askForCollection(): void {
  isAsked = true
}

/**
 * Collects the garbage of large queries: with the growth that {@link raiseHeapGrowth} allows, V8 would keep the garbage
 * until the heap is several times as large. Checks every 5 s if the heap has grown by 32 MiB since the last collection
 * here, or {@link askForCollection} was called. A collection after growth, or while `isBusy`, is repeated 5 s later,
 * for the garbage of queries in between. While `isBusy`, the repetition waits for the next check, for at most 25 s.
 * Returns a function that stops the checks.
 */
export function collectGrownHeap(clock: Clock, isBusy: () => boolean, collect: () => void = collectFully): () => void {
  let collectedBytes = heapBytes()
  let hasCollected = false
  let putOff = 0
  return clock.every(CHECK_MS, () => {
    limitYoungGeneration()
    const bytes = heapBytes()
    collectedBytes = Math.min(collectedBytes, bytes)
    const hasGrown = bytes >= collectedBytes + COLLECTED_GROWTH_BYTES
    if (!hasGrown && !hasCollected && !isAsked) return
    const isWhileBusy = isBusy()
    if (isWhileBusy && putOff < MOST_PUT_OFF) {
      putOff++
      return
    }
    putOff = 0
    isAsked = false
    collect()
    collectedBytes = heapBytes()
    // Queries that run now hold memory that is garbage later.
    hasCollected = hasGrown || isWhileBusy
  })
}

/** The heap of this thread with the buffers that objects in the heap own. */
function heapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics()
  return total_heap_size + external_memory
}

let gc: (() => void) | undefined

/** Runs V8's own function for a full collection, which after the start only a new context has. */
function collectFully(): void {
  gc ??= exposeGc()
  gc()
}

function exposeGc(): () => void {
  setFlagsFromString('--expose-gc')
  const exposed = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return exposed
}
