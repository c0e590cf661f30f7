import type { Clock } from '../../base/clock.js'

/** Takes bytes from what is allowed; false where there are not so many, and then takes none. */
export type Allowance = (bytes: number) => boolean

/** So many bytes a second in the long run, and `burstBytes` at once. */
export function createAllowance(bytesPerS: number, burstBytes: number, clock: Clock): Allowance {
  let left = burstBytes
  let atMs = clock.monotonicMs()
  return (bytes) => {
    const nowMs = clock.monotonicMs()
    left = Math.min(burstBytes, left + ((nowMs - atMs) / 1000) * bytesPerS)
    atMs = nowMs
    if (bytes > left) return false
    left -= bytes
    return true
  }
}
