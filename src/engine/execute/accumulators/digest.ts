import { countBelow } from '../../../base/search.js'
import type { CountedIntegers } from '../columns/counting.js'
import { sortNumbers } from '../columns/sort-numbers.js'

/**
 * A digest: some values of a multiset in ascending order, and for each the number of values of the multiset at or below
 * it. All values of a digest occur in the multiset. The digest is exact if no value of the multiset is missing.
 *
 * Digests are implemented here, and the package `tdigest` only checks the digests in tests, for three reasons that
 * `bench/digest.mjs` measures: a digest returns values that occurred (`tdigest` interpolates between means, which for
 * two distant values is a value that did not occur), counted integers stay exact, and a million values take between an
 * eighth and a fortieth of the time. `tdigest` has the smaller rank error on smooth distributions. Here the rank error
 * is bounded for every distribution. docs/performance.md has the figures.
 */
export interface Digest {
  values: Float64Array
  /** Cumulative weights, undefined if each value has the weight 1. */
  cumulative: Float64Array | undefined
}

/**
 * The largest weight of a value, as a share of its multiset: 0.1 percentage points of rank. Equal values may exceed
 * this weight.
 */
const LARGEST_SHARE = 1 / 1024
/** With more different integers an exact digest takes more memory than the digest is worth. */
const MAX_EXACT = 8192

/** Returns the number of values that a digest represents. */
export function weightOf({ values, cumulative }: Digest): number {
  return cumulative === undefined ? values.length : (cumulative.at(-1) ?? 0)
}

/** Returns the approximate memory of a digest in bytes. */
export function bytesOfDigest({ values, cumulative }: Digest): number {
  return 240 + values.byteLength + (cumulative?.byteLength ?? 0)
}

/** Returns the number of values of the multiset at or below the digest's first `length` values. */
export function cumulativeAt({ cumulative }: Digest, length: number): number {
  if (length === 0 || cumulative === undefined) return length
  return cumulative[length - 1]
}

/**
 * Returns the least value with at least `rank` values of the multiset at or below it. `rank` is from 1 to the
 * weight.
 */
export function valueOfRank({ values, cumulative }: Digest, rank: number): number {
  if (cumulative === undefined) return values[rank - 1]
  return values[countBelow(cumulative, rank)]
}

/** Returns the exact digest of `values[0 .. length)`. */
export function sortedDigest(values: Float64Array, length: number): Digest {
  return { values: sortNumbers(values.subarray(0, length)).slice(), cumulative: undefined }
}

/** Returns the digest of counted integers: exact unless there are very many different integers. */
export function countedDigest({ values, cumulative }: CountedIntegers): Digest {
  if (values.length <= MAX_EXACT) return { values: values.slice(), cumulative: cumulative.slice() }
  const limit = largestWeight(cumulative.at(-1)!)
  const kept: number[] = []
  for (let i = 0, represented = 0; i < values.length; i++) {
    // The greatest of some adjacent integers represents all of these integers.
    if (i < values.length - 1 && cumulative[i + 1] - represented <= limit) continue
    kept.push(i)
    represented = cumulative[i]
  }
  const pick = (from: Float64Array) => Float64Array.from(kept, (i) => from[i])
  return { values: pick(values), cumulative: pick(cumulative) }
}

/**
 * Returns a digest of `values[0 .. length)`. A value in the digest has a weight of at most 1/1024 of `among`, the size
 * of a multiset that may include further values.
 */
export function sampledDigest(values: Float64Array, length: number, among = length): Digest {
  const sorted = sortNumbers(values.subarray(0, length))
  const weight = largestWeight(among)
  const kept = Math.ceil(length / weight)
  const [sample, cumulative] = [new Float64Array(kept), new Float64Array(kept)]
  for (let i = 0; i < kept; i++) {
    const end = Math.min(length, (i + 1) * weight)
    sample[i] = sorted[end - 1]
    cumulative[i] = end
  }
  return { values: sample, cumulative }
}

const largestWeight = (among: number) => Math.max(1, Math.floor(among * LARGEST_SHARE))
