import { countBelow } from '../../../base/search.js'
import { bytesOfArray } from '../columns/value-bytes.js'
import type { Accumulator } from './accumulator.js'
import {
  bytesOfDigest,
  countedDigest,
  cumulativeAt,
  type Digest,
  sampledDigest,
  sortedDigest,
  valueOfRank,
  weightOf,
} from './digest.js'
import type { Histogram } from './histogram.js'

/**
 * Values that are not yet digested, and digests. A merged state has the values and the digests of all merged states,
 * unchanged: a merge copies no values, since allocating many small arrays takes most of the time.
 */
export interface QuantileState {
  pending: Float64Array
  pendingCount: number
  /** Pending values of other states. Their order is open. */
  runs: Float64Array[]
  /** The number of values in `runs`. */
  runCount: number
  digests: Digest[]
}

/** Values are digested when this many are pending. */
const PENDING_LIMIT = 65_536
/** Up to this many values are sorted into an exact digest. */
const SORTED_LIMIT = 1024
/**
 * Up to this many values stay pending when a state is shrunk: merging and sorting the values later is cheaper than a
 * digest.
 */
export const MERGED_LIMIT = 64

/**
 * Quantiles by merged digests. Merging appends digests to a list without loss, so the rank error of the answer stays
 * below 0.2 percentage points for any number of segments: at most half of the error from the intermediate digests, half
 * from the last. Counted integers and small numbers of other values are exact.
 */
export const quantileAccumulator: Accumulator<Histogram, QuantileState> = {
  create: () => quantileState(NO_VALUES, []),
  update(state, histogram) {
    if (histogram.integers !== undefined) state.digests.push(countedDigest(histogram.integers))
    addPending(state, histogram.others, histogram.length - histogram.counted)
  },
  merge(into, from) {
    for (const digest of from.digests) into.digests.push(digest)
    for (const run of from.runs) into.runs.push(run)
    into.runCount += from.runCount
    if (from.pendingCount > 0) sharePending(into, pendingOf(from))
    if (waitingCount(into) >= PENDING_LIMIT) digestPending(into)
  },
  shrink(state) {
    if (waitingCount(state) > MERGED_LIMIT) digestPending(state, weightOfAll(state.digests) + waitingCount(state))
    else if (state.pending.length > state.pendingCount || state.runs.length > 0) keepPending(state, allPending(state))
  },
  bytes({ pending, runs, runCount, digests }) {
    let bytes = 264 + pending.byteLength + bytesOfArray(digests.length)
    for (const digest of digests) bytes += bytesOfDigest(digest)
    return runs.length === 0 ? bytes : bytes + bytesOfArray(runs.length) + RUN_BYTES * runs.length + 8 * runCount
  },
}

/** Returns a state of values that are not yet digested, and of digests. */
export function quantileState(pending: Float64Array, digests: Digest[]): QuantileState {
  return { pending, pendingCount: pending.length, runs: [], runCount: 0, digests }
}

/** The list without values. */
export const NO_VALUES = new Float64Array(0)
/** Approximate bytes of a run besides its values. */
const RUN_BYTES = 120

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** The pending values of a state itself. */
const pendingOf = ({ pending, pendingCount }: QuantileState): Float64Array =>
  pending.length === pendingCount ? pending : pending.subarray(0, pendingCount)

/** The number of values that are not yet digested. */
const waitingCount = ({ pendingCount, runCount }: QuantileState): number => pendingCount + runCount

function addPending(state: QuantileState, values: Float64Array, length: number): void {
  if (length === 0) return
  const needed = state.pendingCount + length
  if (needed > state.pending.length) {
    const grown = new Float64Array(Math.max(needed, state.pending.length * 2))
    grown.set(pendingOf(state))
    state.pending = grown
  }
  state.pending.set(values.subarray(0, length), state.pendingCount)
  state.pendingCount = needed
  if (waitingCount(state) >= PENDING_LIMIT) digestPending(state)
}

/** Adds values that stay as they are. A state without pending values takes the array, and never writes to it. */
function sharePending(state: QuantileState, values: Float64Array): void {
  if (state.pendingCount === 0) {
    state.pending = values
    state.pendingCount = values.length
  } else {
    state.runs.push(values)
    state.runCount += values.length
  }
}

/** Returns all values that are not yet digested, as an array of the caller. */
export function allPending(state: QuantileState): Float64Array {
  const all = new Float64Array(waitingCount(state))
  all.set(pendingOf(state))
  let end = state.pendingCount
  for (const run of state.runs) {
    all.set(run, end)
    end += run.length
  }
  return all
}

/** Digests all values that are not yet digested, as a part of `among` values. The digest of few values is exact. */
function digestPending(state: QuantileState, among = waitingCount(state)): void {
  const values = allPending(state)
  const isFew = values.length <= SORTED_LIMIT
  state.digests.push(isFew ? sortedDigest(values, values.length) : sampledDigest(values, values.length, among))
  keepPending(state, NO_VALUES)
}

/** Makes `values` the only values that are not yet digested. */
function keepPending(state: QuantileState, values: Float64Array): void {
  state.pending = values
  state.pendingCount = values.length
  state.runs = []
  state.runCount = 0
}

/** Returns the value at rank ceil(percent / 100 * n), or null if there are no values. Digests the pending values. */
export function quantileOf(state: QuantileState, percent: number): number | null {
  if (waitingCount(state) > 0) digestPending(state, weightOfAll(state.digests) + waitingCount(state))
  const weight = weightOfAll(state.digests)
  // percent * n is exact for whole percents, 0.95 * n is not.
  return weight === 0 ? null : valueAtRank(state.digests, Math.max(1, Math.ceil((percent * weight) / 100)))
}

const weightOfAll = (digests: readonly Digest[]) => sum(digests.map(weightOf))

/**
 * Returns the least value of any digest with at least `rank` values of all digests at or below that value. Selects from
 * sorted runs: the pivot is the middle of the widest window, and each step at least halves that window.
 */
function valueAtRank(digests: readonly Digest[], rank: number): number {
  if (digests.length === 1) return valueOfRank(digests[0], rank)
  const low = new Uint32Array(digests.length)
  const high = Uint32Array.from(digests, ({ values }) => values.length)
  let best = Number.POSITIVE_INFINITY
  for (let widest = widestWindow(low, high); widest >= 0; widest = widestWindow(low, high)) {
    const pivot = digests[widest].values[(low[widest] + high[widest]) >>> 1]
    const cuts = digests.map((digest, i) => countAtMost(digest.values, pivot, low[i], high[i]))
    const weight = cuts.reduce((sum, cut, i) => sum + cumulativeAt(digests[i], cut), 0)
    if (weight >= rank) {
      best = pivot
      for (let i = 0; i < cuts.length; i++) high[i] = countBelow(digests[i].values, pivot, low[i], cuts[i])
    } else {
      low.set(cuts)
    }
  }
  return best
}

/** Returns the index of the widest window, or -1 if all are empty. */
function widestWindow(low: Uint32Array, high: Uint32Array): number {
  let widest = -1
  for (let i = 0; i < low.length; i++) {
    const width = high[i] - low[i]
    if (width > 0 && (widest < 0 || width > high[widest] - low[widest])) widest = i
  }
  return widest
}

/** Returns the number of values that are at most `pivot`, which must be within [low, high]. */
function countAtMost(values: Float64Array, pivot: number, low: number, high: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle] <= pivot) low = middle + 1
    else high = middle
  }
  return low
}
