import { bytesOfCount } from '../../../base/memory/byte-writer.js'
import { sortNumbers } from '../columns/sort-numbers.js'
import type { Digest } from './digest.js'

/** Different values of a multiset, ascending, and how many values of the multiset each represents. */
export interface WeightedValues {
  values: Float64Array
  weights: Float64Array
}

/** Returns digests and further values as weighted values, without a loss. The arguments stay unchanged. */
export function weightedValuesOf(digests: readonly Digest[], others: Float64Array): WeightedValues {
  const sorted = { values: sortNumbers(others), weights: new Float64Array(others.length).fill(1) }
  let runs = [...digests.map(weighted), sorted].filter(({ values }) => values.length > 0)
  if (runs.length === 1) return merged(runs[0], NONE)
  while (runs.length > 1) {
    const next: WeightedValues[] = []
    for (let i = 0; i < runs.length; i += 2) next.push(merged(runs[i], runs[i + 1] ?? NONE))
    runs = next
  }
  return runs[0] ?? NONE
}

const NONE: WeightedValues = { values: new Float64Array(0), weights: new Float64Array(0) }

function weighted({ values, cumulative }: Digest): WeightedValues {
  const weights = new Float64Array(values.length).fill(1)
  if (cumulative === undefined) return { values, weights }
  for (let i = 0; i < weights.length; i++) weights[i] = cumulative[i] - (i === 0 ? 0 : cumulative[i - 1])
  return { values, weights }
}

/** Merges two ascending runs. Equal values become one. */
function merged(a: WeightedValues, b: WeightedValues): WeightedValues {
  const most = a.values.length + b.values.length
  const [values, weights] = [new Float64Array(most), new Float64Array(most)]
  let length = 0
  for (let i = 0, j = 0; i < a.values.length || j < b.values.length; ) {
    const isFirst = j === b.values.length || (i < a.values.length && a.values[i] <= b.values[j])
    const value = isFirst ? a.values[i] : b.values[j]
    if (length === 0 || values[length - 1] !== value) values[length++] = value
    weights[length - 1] += isFirst ? a.weights[i++] : b.weights[j++]
  }
  return { values: values.subarray(0, length), weights: weights.subarray(0, length) }
}

/**
 * Returns the bytes that values of these weights take: eight for each value, and those of the weights if any is not 1.
 */
export function bytesOfWeighted({ weights }: WeightedValues): number {
  let ofWeights = 0
  let isSingle = true
  for (let i = 0; i < weights.length; i++) {
    ofWeights += bytesOfCount(weights[i])
    if (weights[i] !== 1) isSingle = false
  }
  return VALUE_BYTES * weights.length + (isSingle ? 0 : ofWeights)
}

const VALUE_BYTES = 8

/**
 * Returns fewer values, which take at most `maxBytes`, of values that take more. Neighbours are replaced by the value
 * in the middle of their ranks, as few neighbours as possible. The least and the greatest value stay.
 *
 * Each rank is then wrong by at most half of the largest weight. A few light values that were added to thinned values
 * join a heavy neighbour, which stays where it is until its weight has about doubled. The errors of many generations
 * are thus a sum of halves, and not of equal parts.
 */
export function thin(all: WeightedValues, maxBytes: number): WeightedValues {
  const { weights } = all
  let most = sumOf(weights, 0, weights.length) / FIRST_TRY
  while (bytesThinned(weights, most) > maxBytes) most *= 2
  for (let step = most / 4, tries = MORE_TRIES; tries > 0; step /= 2, tries--) {
    if (bytesThinned(weights, most - step) <= maxBytes) most -= step
  }
  return thinTo(all, most)
}

/** The first largest weight is the whole multiset divided by this. */
const FIRST_TRY = 1024
/** Smaller weights that are tried once a weight is large enough. */
const MORE_TRIES = 5

/** Returns the end of the neighbours from `from` on that are replaced by one value of a weight of at most `most`. */
function endOf(weights: Float64Array, from: number, most: number): number {
  const last = weights.length - 1
  let end = from + 1
  if (from > 0) for (let weight = weights[from]; end < last && (weight += weights[end]) <= most; ) end++
  return end
}

function sumOf(weights: Float64Array, from: number, end: number): number {
  let sum = 0
  for (let i = from; i < end; i++) sum += weights[i]
  return sum
}

/** At least the bytes of the values that {@link thinTo} returns. */
function bytesThinned(weights: Float64Array, most: number): number {
  let bytes = 0
  for (let from = 0; from < weights.length; ) {
    const end = endOf(weights, from, most)
    bytes += VALUE_BYTES + bytesOfCount(sumOf(weights, from, end))
    from = end
  }
  return bytes
}

function thinTo({ values, weights }: WeightedValues, most: number): WeightedValues {
  const thinned = { values: new Float64Array(values.length), weights: new Float64Array(values.length) }
  let length = 0
  for (let from = 0; from < values.length; ) {
    const end = endOf(weights, from, most)
    const weight = sumOf(weights, from, end)
    thinned.values[length] = values[middleOf(weights, from, weight)]
    thinned.weights[length++] = weight
    from = end
  }
  return { values: thinned.values.subarray(0, length), weights: thinned.weights.subarray(0, length) }
}

/** Returns the position with the middle rank of the weight that starts at `from`. */
function middleOf(weights: Float64Array, from: number, weight: number): number {
  let position = from
  for (let below = weights[from]; below < weight / 2; below += weights[position]) position++
  return position
}
