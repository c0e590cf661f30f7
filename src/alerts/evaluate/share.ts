/** The share of a core that all evaluations take together. */
const SHARE = 0.25

/** Bounds the time that evaluations take together. */
export interface CoreShare {
  /** Whether an evaluation may start now. */
  isFree(nowMs: number): boolean
  /** Notes an evaluation, by its start and its duration. */
  used(startMs: number, durationMs: number): void
}

/**
 * Returns the bound for a quarter of a core: an evaluation occupies four times its duration from its start on, so that
 * a pause of three times its duration follows. Times are of the monotonic clock.
 */
export function createCoreShare(): CoreShare {
  let freeMs = Number.NEGATIVE_INFINITY
  return {
    isFree: (nowMs) => nowMs >= freeMs,
    used(startMs, durationMs) {
      freeMs = Math.max(freeMs, startMs) + durationMs / SHARE
    },
  }
}
