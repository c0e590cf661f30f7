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

/** Values that are not yet digested, and digests. A merged state has the digests of all merged states, unchanged. */
export interface QuantileState {
  pending: Float64Array
  pendingCount: number
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
const MERGED_LIMIT = 64

/**
 * Quantiles by merged digests. Merging appends digests to a list without loss, so the rank error of the answer stays
 * below 0.2 percentage points for any number of segments: at most half of the error from the intermediate digests, half
 * from the last. Counted integers and small numbers of other values are exact.
 */
export const quantileAccumulator: Accumulator<Histogram, QuantileState> = {
  create: () => ({ pending: new Float64Array(0), pendingCount: 0, digests: [] }),
  update(state, histogram) {
    if (histogram.integers !== undefined) state.digests.push(countedDigest(histogram.integers))
    addPending(state, histogram.others, histogram.length - histogram.counted)
  },
  merge(into, from) {
    into.digests.push(...from.digests)
    addPending(into, from.pending, from.pendingCount)
  },
  shrink(state) {
    if (state.pendingCount > MERGED_LIMIT) digestPending(state, weightOfAll(state.digests) + state.pendingCount)
    state.pending = state.pending.slice(0, state.pendingCount)
  },
  bytes: ({ pending, digests }) =>
    264 + pending.byteLength + bytesOfArray(digests.length) + sum(digests.map(bytesOfDigest)),
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

function addPending(state: QuantileState, values: Float64Array, length: number): void {
  if (length === 0) return
  const needed = state.pendingCount + length
  if (needed > state.pending.length) {
    const grown = new Float64Array(Math.max(needed, state.pending.length * 2))
    grown.set(state.pending.subarray(0, state.pendingCount))
    state.pending = grown
  }
  state.pending.set(values.subarray(0, length), state.pendingCount)
  state.pendingCount = needed
  if (needed >= PENDING_LIMIT) digestPending(state)
}

/** Digests the pending values, as a part of `among` values. The digest of few values is exact. */
function digestPending(state: QuantileState, among = state.pendingCount): void {
  const { pending, pendingCount } = state
  const isFew = pendingCount <= SORTED_LIMIT
  state.digests.push(isFew ? sortedDigest(pending, pendingCount) : sampledDigest(pending, pendingCount, among))
  state.pendingCount = 0
}

/** Returns the value at rank ceil(percent / 100 * n), or null if there are no values. Digests the pending values. */
export function quantileOf(state: QuantileState, percent: number): number | null {
  if (state.pendingCount > 0) digestPending(state, weightOfAll(state.digests) + state.pendingCount)
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
