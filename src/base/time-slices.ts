/** The longest stretch of work before the event loop gets its turn. */
export const SLICE_MS = 10
/** How many turns the event loop has between two slices, as long as they are short: it accepts one connection in each. */
const TURNS = 4
const SHORT_MS = 1

/**
 * Called between pieces of work: gives way to the event loop when a slice is used up, and throws when the work is unwanted.
 * Parts of one work that go on side by side wait for the next slice together.
 */
export type Yielder = () => Promise<void> | undefined

/** Who waits for the next slice, in order: the event loop gets its turns after each slice, whoever works. */
const waiting: (() => void)[] = []
/** When the first work of this turn began: what begins in one turn has one slice together. Undefined where none has. */
let begunMs: number | undefined

/**
 * Cuts long work into slices, so that requests, ingest and `/health` are served between them, however much work there is.
 * `yieldIfDue` throws the signal's reason once it is aborted; it returns undefined while the slice lasts, at no cost.
 */
export function createYielder(signal?: AbortSignal, sliceMs = SLICE_MS): Yielder {
  let startedMs = beginning()
  let pausing: Promise<void> | undefined
  return () => {
    signal?.throwIfAborted()
    if (pausing !== undefined) return pausing
    if (performance.now() - startedMs < sliceMs) return undefined
    pausing = nextSlice().then(() => {
      pausing = undefined
      signal?.throwIfAborted()
      startedMs = performance.now()
    })
    return pausing
  }
}

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

/** Called in the first turn: whoever comes in large numbers, as lines do, is not let in before every slice many times. */
function giveWay(): void {
  const startedMs = performance.now()
  let turns = 1
  const turn = () => {
    if (turns++ === TURNS || performance.now() - startedMs > SHORT_MS) beginSlice()
    else setImmediate(turn)
  }
  turn()
}

function beginSlice(): void {
  // What is set here comes in the next turn.
  if (waiting.length > 1) setImmediate(giveWay)
  waiting.shift()!()
}
