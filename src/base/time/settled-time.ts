/** Minutes of running time that the clock must have been past a row's limit before the row is removed. */
const SETTLING_MINUTES = 60

/** A time that the clock has been past for an hour of running time: a clock that jumps ahead does not move it. */
export interface SettledTime {
  /** Notes the time of the clock, in microseconds. To be called once for each minute of running time. */
  record(nowUs: number): void
  /** The least reading of the last hour. -Infinity until there are readings of an hour. */
  settledUs(): number
  /** The greatest reading of the last hour. Infinity until there are readings of an hour. */
  latestUs(): number
}

/** Creates a settled time without readings: removal starts an hour after the process at the earliest. */
export function createSettledTime(): SettledTime {
  const readings: number[] = []
  const isShort = () => readings.length <= SETTLING_MINUTES
  return {
    record(nowUs) {
      readings.push(nowUs)
      // An hour has 60 minutes between 61 readings.
      if (readings.length > SETTLING_MINUTES + 1) readings.shift()
    },
    settledUs: () => (isShort() ? Number.NEGATIVE_INFINITY : Math.min(...readings)),
    latestUs: () => (isShort() ? Number.POSITIVE_INFINITY : Math.max(...readings)),
  }
}
