import type { Clock } from '../../base/clock.js'

/** Takes so many bytes from what may be sent: undefined where they may be sent now, else who asks first is first. */
export type Pace = (bytes: number) => Promise<void> | undefined

/** How often it is looked for who may go on. */
const LOOK_MS = 10

/** So many bytes a second for all who ask together, and `burstBytes` at once. */
export function createPace(bytesPerS: number, burstBytes: number, clock: Clock): Pace {
  const waiting: { bytes: number; resolve: () => void }[] = []
  let left = burstBytes
  let atMs = clock.monotonicMs()
  let stop = () => {}

  function refill(): void {
    const nowMs = clock.monotonicMs()
    left = Math.min(burstBytes, left + ((nowMs - atMs) / 1000) * bytesPerS)
    atMs = nowMs
  }

  /** One that asks for more than there ever is goes on when there is something, and the others wait the longer. */
  function letGo(): void {
    refill()
    while (waiting.length > 0 && left > 0) {
      const { bytes, resolve } = waiting.shift()!
      left -= bytes
      resolve()
    }
    if (waiting.length === 0) stop()
  }

  return (bytes) => {
    refill()
    if (waiting.length === 0 && left > 0) {
      left -= bytes
      return undefined
    }
    if (waiting.length === 0) stop = clock.every(LOOK_MS, letGo)
    return new Promise((resolve) => {
      waiting.push({ bytes, resolve })
    })
  }
}
