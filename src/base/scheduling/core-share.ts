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

/** Starts to measure an evaluation. The returned function returns the milliseconds spent since. */
export type StartSpending = () => () => number

/**
 * Returns a measure of evaluations: the duration of each, and no more than the time that processors have spent, if that
 * is measured. So an evaluation that waits for a busy machine does not delay others. Evaluations at the same time are
 * not told apart: the one that ends first has the time that was spent until then, and none of the others counts that
 * time again.
 */
export function createSpending(clock: Pick<Clock, 'monotonicMs'>, processorMs?: () => number): StartSpending {
  let countedMs = Number.NEGATIVE_INFINITY
  return () => {
    const startMs = clock.monotonicMs()
    const processorStartMs = processorMs?.() ?? 0
    return () => {
      const durationMs = clock.monotonicMs() - startMs
      if (processorMs === undefined) return durationMs
      const spentMs = processorMs() - Math.max(processorStartMs, countedMs)
      countedMs = processorMs()
      return Math.min(durationMs, spentMs)
    }
  }
}
