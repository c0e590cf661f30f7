import { collectGarbage } from '../process/heap.js'

/** The longest run of work before a yield to the event loop. */
export const SLICE_MS = 10
/** Event loop turns between two slices, if the turns are short: the loop accepts a single connection in each turn. */
const TURNS = 4
/** Turns that took longer than this in total end the yield early. */
const SHORT_MS = 1

/**
 * Called between pieces of work. Returns undefined while the slice lasts, else a promise of the next slice. Throws the
 * signal's reason if the work was cancelled. Concurrent calls of a yielder share the promise.
 */
export type Yielder = () => Promise<void> | undefined

/** Resolvers of the tasks that wait for a slice, in FIFO order: the event loop gets turns after each slice. */
const waiting: (() => void)[] = []
/**
 * When the first task of this turn started, since tasks that start in the same turn share a slice. Undefined if none
 * has.
 */
let begunMs: number | undefined

/**
 * Cooperative yielding: splits long work into slices of `sliceMs`, so that requests, ingest and `/health` are served
 * between slices. Returns a yielder. A call within the slice costs one clock read.
 */
export function createYielder(signal?: Pick<AbortSignal, 'throwIfAborted'>, sliceMs = SLICE_MS): Yielder {
  let startedMs = beginning()
  let pausing: Promise<void> | undefined
  return () => {
    signal?.throwIfAborted()
    if (pausing !== undefined) return pausing
    if (performance.now() - startedMs < sliceMs) return undefined
    pausing = nextSlice().then(() => {
      pausing = undefined
      signal?.throwIfAborted()
      startedMs = beginning()
    })
    return pausing
  }
}

/** Returns a number that is the same for all work of this turn of the event loop. */
export const turn = (): number => beginning()

function beginning(): number {
  if (begunMs === undefined) {
    begunMs = performance.now()
    setImmediate(() => {
      begunMs = undefined
    })
  }
  return begunMs
}

function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveWay)
  })
}

/**
 * Runs in the first turn after a slice. Turns are limited in time, so that a burst of lines cannot starve the slices.
 */
function giveWay(): void {
  collectGarbage()
  const startedMs = performance.now()
  let turns = 1
  const turn = () => {
    if (turns++ === TURNS || performance.now() - startedMs > SHORT_MS) beginSlice()
    else setImmediate(turn)
  }
  turn()
}

function beginSlice(): void {
  // An immediate that is set here runs in the next turn.
  if (waiting.length > 1) setImmediate(giveWay)
  waiting.shift()!()
}
