import type { IntervalName } from './intervals.js'

/** Project and interval of the charts. */
export interface ChartsState {
  project: string
  interval: IntervalName
}
