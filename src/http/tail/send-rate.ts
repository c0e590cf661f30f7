import { createTokenBucket } from '../../base/scheduling/token-bucket.js'
import type { Clock } from '../../base/time/clock.js'

/**
 * Rate limit of all tails together. Returns undefined if the bytes may be sent now, else a promise that resolves when
 * the bytes may be sent.
 */
export type SendRate = (bytes: number) => Promise<void> | undefined

/** How often the queue is served while tails wait. */
const CHECK_MS = 10

/**
 * Returns a limit of `bytesPerS`, with bursts of `burstBytes`. Tails that wait continue in FIFO order. A tail that asks
 * for more than the burst continues when there is any budget. The debt delays later tails.
 */
export function createSendRate(bytesPerS: number, burstBytes: number, clock: Clock): SendRate {
  const queue: { bytes: number; resolve: () => void }[] = []
  const bucket = createTokenBucket({ capacity: burstBytes, tokensPerMs: bytesPerS / 1000 }, clock)
  let stopChecking = () => {}

  function serveQueue(): void {
    while (queue.length > 0 && bucket.overdraw(queue[0].bytes)) queue.shift()!.resolve()
    if (queue.length === 0) stopChecking()
  }

  return (bytes) => {
    if (queue.length === 0 && bucket.overdraw(bytes)) return undefined
    if (queue.length === 0) stopChecking = clock.every(CHECK_MS, serveQueue)
    return new Promise((resolve) => {
      queue.push({ bytes, resolve })
    })
  }
}
