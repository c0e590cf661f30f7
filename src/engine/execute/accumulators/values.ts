import { bounded, MAX_VALUE_LENGTH, tooLong } from '../../../plan/functions/function.js'
import { jsonOf, textOf } from '../../../plan/functions/text-of.js'
import { compareAll, type Scalar } from '../../../plan/values/values.js'
import { bytesOfArray, bytesOfValue } from '../columns/value-bytes.js'
import type { Accumulator } from './accumulator.js'

/** Calls a function with each value that is not null. */
export type EachValue = (visit: (value: Scalar) => void) => void

/** A value, undefined before the first value. */
export interface ValueState {
  value: Scalar | undefined
}

/** The object of a state with a value, about. */
const STATE_BYTES = 24
/** Object of a value in a list, about. */
const VALUE_BYTES = 24

/** Keeps a single value: `wins` decides if another value replaces the kept value. */
function keeping(wins: (value: Scalar, kept: Scalar) => boolean): Accumulator<EachValue, ValueState> {
  const take = (state: ValueState, value: Scalar) => {
    if (state.value === undefined || wins(value, state.value)) state.value = value
  }
  return {
    create: () => ({ value: undefined }),
    update: (state, each) => each((value) => take(state, value)),
    merge(into, from) {
      if (from.value !== undefined) take(into, from.value)
    },
    bytes: ({ value }) => STATE_BYTES + bytesOfValue(value),
  }
}

/** The least value in the order across types. */
export const leastAccumulator = keeping((value, kept) => compareAll(value, kept) < 0)
/** The greatest value in the order across types. */
export const greatestAccumulator = keeping((value, kept) => compareAll(value, kept) > 0)
/** The first value that was there. */
export const anyAccumulator = keeping(() => false)

/** Some of the values, in the order of arrival. */
export interface ListState {
  values: Scalar[]
  length: number
}

/** Collects values: at most `limit` of them, and at most `MAX_VALUE_LENGTH` characters of their JSON. */
export function listAccumulator(limit: number): Accumulator<EachValue, ListState> {
  const take = (state: ListState, value: Scalar) => {
    if (state.values.length >= limit) return
    state.length += typeof value === 'number' ? 8 : jsonOf(value).length
    if (state.length > MAX_VALUE_LENGTH) throw tooLong()
    state.values.push(value)
  }
  return {
    create: () => ({ values: [], length: 0 }),
    update: (state, each) => each((value) => take(state, value)),
    merge(into, from) {
      for (const value of from.values) take(into, value)
    },
    bytes: ({ values, length }) => 72 + bytesOfArray(values.length) + VALUE_BYTES * values.length + 2 * length,
  }
}

/** The texts of a list, joined. Null for an empty list. */
export const joined = ({ values }: ListState, separator: string): string | null =>
  values.length === 0 ? null : bounded(values.map(textOf).join(separator))
