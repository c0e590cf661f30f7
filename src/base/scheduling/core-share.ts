import type { Clock } from '../time/clock.js'

/** The share of a core that all evaluations take together. */
const SHARE = 0.25

/** Bounds the time that evaluations take together. */
export interface CoreShare {
  /** Whether an evaluation may start now. */
  isFree(nowMs: number): boolean
  /** Notes an evaluation, by its start and the time spent on it. */
  used(startMs: number, durationMs: number): void
}

/**
 * Returns the bound for a quarter of a core: an evaluation occupies four times the time spent on it, from its start on,
 * so that a pause of three times that follows. Times are of the monotonic clock.
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

/**
 * Returns a function that returns the milliseconds spent since: the duration, and no more than the time that processors
 * have spent on the process, if that is measured. So an evaluation that waits for a busy machine does not delay others.
 */
export function startSpending(clock: Pick<Clock, 'monotonicMs'>, processorMs?: () => number): () => number {
  const startMs = clock.monotonicMs()
  const processorStartMs = processorMs?.() ?? 0
  return () => {
    const durationMs = clock.monotonicMs() - startMs
    return processorMs === undefined ? durationMs : Math.min(durationMs, processorMs() - processorStartMs)
  }
}
