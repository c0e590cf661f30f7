/** The most that a figure came to of late: since the pass of time before the last one. */
export interface RecentMaximum {
  /** The most of late, the figure of this moment included. */
  with(value: number): number
  /** What was told before the last pass is no longer of late. */
  pass(): void
}

export function createRecentMaximum(): RecentMaximum {
  let before = Number.NEGATIVE_INFINITY
  let now = Number.NEGATIVE_INFINITY
  return {
    with(value) {
      now = Math.max(now, value)
      return Math.max(before, now)
    },
    pass() {
      before = now
      now = Number.NEGATIVE_INFINITY
    },
  }
}
