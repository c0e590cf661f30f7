/** The maximum of a value over a sliding window: the current and the previous interval. */
export interface RecentMaximum {
  /** Records a value and returns the maximum of the window, this value included. */
  record(value: number): number
  /** Starts the next interval: values recorded before the last call of this are forgotten. */
  nextInterval(): void
}

/** Returns a maximum without recorded values. */
export function createRecentMaximum(): RecentMaximum {
  let previous = Number.NEGATIVE_INFINITY
  let current = Number.NEGATIVE_INFINITY
  return {
    record(value) {
      current = Math.max(current, value)
      return Math.max(previous, current)
    },
    nextInterval() {
      previous = current
      current = Number.NEGATIVE_INFINITY
    },
  }
}
