import { MILLISECOND_US } from './units.js'

/**
 * Time as a parameter. Everything that reads a clock or waits takes one of these, so that
 * clock jumps, expiry and warming are ordinary unit tests.
 */
export interface Clock {
  /** Wall time in microseconds since the epoch, UTC. It may jump, forwards and backwards. */
  nowUs(): number
  /** Milliseconds since an arbitrary moment; never runs backwards. For ages and timeouts. */
  monotonicMs(): number
  /** Calls `work` every `intervalMs`; never keeps the process alive. Returns what stops it. */
  every(intervalMs: number, work: () => void): () => void
}

/** The machine's own clock. */
export const systemClock: Clock = {
  nowUs: () => Date.now() * MILLISECOND_US,
  monotonicMs: () => performance.now(),
  every(intervalMs, work) {
    const timer = setInterval(work, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
