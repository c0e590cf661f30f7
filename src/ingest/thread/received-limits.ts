import { sharedLimits } from '../../retention/row-limits.js'
import type { ArrivalLimits } from '../wasm/module.js'

/** The limits in a parsing thread. */
export interface ReceivedLimits extends ArrivalLimits {
  /** Replaces the limits by those in memory that the main thread shares. */
  replace(shared: SharedArrayBuffer): void
}

/** Returns the limits in shared memory. If there are none, no record is past a limit. */
export function receiveLimits(shared: SharedArrayBuffer | undefined): ReceivedLimits {
  let limits = shared && sharedLimits(shared)
  // Asked for each block of lines, and after each rejected line.
  let newest = { nowUs: Number.NaN, timestampUs: Number.NaN }
  return {
    newestOfAllUs(nowUs) {
      if (newest.nowUs === nowUs) return newest.timestampUs
      newest = { nowUs, timestampUs: limits?.newestOfAllUs(nowUs) ?? Number.NEGATIVE_INFINITY }
      return newest.timestampUs
    },
    hiddenThroughUs: (source, project, nowUs) =>
      limits?.hiddenThroughUs(source, project, nowUs) ?? Number.NEGATIVE_INFINITY,
    replace(changed) {
      limits = sharedLimits(changed)
      newest = { nowUs: Number.NaN, timestampUs: Number.NaN }
    },
  }
}
