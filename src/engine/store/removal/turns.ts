import { setTimeout as wait } from 'node:timers/promises'
import { createSerialQueue } from '../../../base/scheduling/serial-queue.js'

/** Runs work on segments in succession, at low priority. */
export interface Turns {
  /** Runs work when it is its turn. Rejects with the reason of the signal, or as the work does. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/** While rows arrive fast, work takes at most this share of the time. */
const BUSY_SHARE = 1 / 4

/** Returns turns without work. `isBusy` tells whether rows arrive fast. */
export function createTurns(isBusy: () => boolean): Turns {
  const queue = createSerialQueue()
  return {
    run: (work, signal) =>
      queue.run(async () => {
        signal.throwIfAborted()
        const startMs = performance.now()
        try {
          return await work()
        } finally {
          const tookMs = performance.now() - startMs
          // The pause ends with the signal, which the next work notices.
          if (isBusy()) await wait(tookMs * (1 / BUSY_SHARE - 1), undefined, { signal }).catch(() => {})
        }
      }),
  }
}
