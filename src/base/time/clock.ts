import { MILLISECOND_US } from '../units.js'

/** A clock: a parameter of code that reads the time or waits, so that tests can simulate jumps and expiry. */
export interface Clock {
  /** Wall time in microseconds since the epoch, UTC. May jump forwards and backwards. */
  nowUs(): number
  /** Milliseconds since an arbitrary moment, never decreasing. For ages and timeouts. */
  monotonicMs(): number
  /** Calls `work` every `intervalMs`, without keeping the process alive. Returns a function that stops the calls. */
  every(intervalMs: number, work: () => void): () => void
}

/** The clock of the machine. */
export const systemClock: Clock = {
  nowUs: () => Date.now() * MILLISECOND_US,
  monotonicMs: () => performance.now(),
  every(intervalMs, work) {
    const timer = setInterval(work, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
