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
 * Starts to measure an evaluation. The returned function ends the measurement, and returns the milliseconds spent. The
 * function is to be called once.
 */
export type StartSpending = () => () => number

/**
 * Returns a measure of evaluations: the duration of each, and no more than the time that processors have spent, if that
 * is measured. So an evaluation that waits for a busy machine does not delay others. The processor time of a while in
 * which several evaluations run is divided equally among them, so that none is taken for a long one because it ended
 * last or first.
 */
export function createSpending(clock: Pick<Clock, 'monotonicMs'>, processorMs?: () => number): StartSpending {
  const running = new Set<{ spentMs: number }>()
  let countedMs = 0

  function divide(): void {
    const totalMs = processorMs?.() ?? 0
    for (const one of running) one.spentMs += (totalMs - countedMs) / running.size
    countedMs = totalMs
  }

  return () => {
    divide()
    const evaluation = { spentMs: 0 }
    running.add(evaluation)
    const startMs = clock.monotonicMs()
    return () => {
      divide()
      running.delete(evaluation)
      const durationMs = clock.monotonicMs() - startMs
      return processorMs === undefined ? durationMs : Math.min(durationMs, evaluation.spentMs)
    }
  }
}
