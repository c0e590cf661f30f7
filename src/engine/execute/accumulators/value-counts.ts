import { jsonOf } from '../../../plan/functions/text-of.js'
import {
  addValue,
  distinctValues,
  type Listed,
  mergeValues,
  noValues,
  topValues,
  type ValueCounts,
} from '../../../plan/values/value-counts.js'
import { isTime, RawJson, type Scalar } from '../../../plan/values/values.js'
import type { Accumulator } from './accumulator.js'

/** Calls a function with different values that are not null, and the number of rows with each. */
export type EachCount = (visit: (value: Scalar, rows: number) => void) => void

/** Counts how often each value occurs. The counts of a segment are kept, and merged by later runs. */
export const valueCountsAccumulator: Accumulator<EachCount, ValueCounts> = {
  create: noValues,
  update: (state, each) => each((value, rows) => addValue(state, countedOf(value), rows)),
  merge(into, from) {
    for (const _ of mergeValues(into, from));
  },
  mergeInSteps: mergeValues,
  bytes: ({ bytes }) => bytes,
}

/** Lists count as objects of the metadata do, times as their JSON. */
const countedOf = (value: Scalar): Listed | RawJson =>
  Array.isArray(value) || isTime(value) ? new RawJson(jsonOf(value)) : (value as Listed | RawJson)

/** Returns the number of values, the number of different values, and the most frequent values as JSON. */
export const summaryOf = (state: ValueCounts, most: number): Scalar => [
  state.rows,
  distinctValues(state),
  topValues(state, most),
]
