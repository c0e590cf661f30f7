/**
 * A digest: some of a multiset's values in ascending order, and how many values of the multiset lie at or below each.
 * Every value in it is one that was really there. Exact where it holds each value (`cumulative` undefined: weight 1).
 */
export interface Digest {
  values: Float64Array
  /** Cumulative weights; undefined where each value weighs 1. */
  cumulative: Float64Array | undefined
}

/** A bin or a stretch of sorted values that stands for at most this share of its multiset: 0.1 percentage points of rank. */
const LARGEST_SHARE = 1 / 1024
/** Bins at the most: their counts and values fit the cache beside the values. */
const MAX_BINS = 8192

const counts = new Uint32Array(MAX_BINS)
const representatives = new Float64Array(MAX_BINS)
const heavy = new Uint8Array(MAX_BINS)

/** How many values a digest stands for. */
export function weightOf({ values, cumulative }: Digest): number {
  return cumulative === undefined ? values.length : (cumulative.at(-1) ?? 0)
}

/** How many values of the multiset lie at or below the digest's first `length` values. */
export function cumulativeAt({ cumulative }: Digest, length: number): number {
  if (length === 0 || cumulative === undefined) return length
  return cumulative[length - 1]!
}

/** The exact digest of `values[0 .. length)`. */
export function sortedDigest(values: Float64Array, length: number): Digest {
  return { values: values.slice(0, length).sort(), cumulative: undefined }
}

/**
 * A digest of `values[0 .. length)` in linear time; its rank error is below 0.1 percentage points.
 *
 * The values are counted in bins of equal leading bits: a double's leading 32 bits, read as an integer, ascend with it,
 * so bins are about equally wide in proportion to the value. A bin keeps one of its values. A bin too heavy to be
 * stood for by one value, unless all in it are equal, is sorted and cut into stretches that are not.
 */
export function binnedDigest(values: Float64Array, length: number): Digest {
  const words = new Uint32Array(values.buffer, values.byteOffset, length * 2)
  const { least, shift, bins } = binning(words, length)
  counts.fill(0, 0, bins)
  for (let i = 0; i < length; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    counts[bin]!++
    representatives[bin] = values[i]!
  }
  const spread = spreadOf(values, words, length, least, shift, bins)
  return assemble(bins, spread)
}

/** The leading word of a double (little-endian) as an unsigned integer that ascends with the double. */
function keyOf(word: number): number {
  return (word >>> 31 === 1 ? ~word : word | 0x80000000) >>> 0
}

function binning(words: Uint32Array, length: number) {
  let least = 0xffffffff
  let greatest = 0
  for (let i = 0; i < length; i++) {
    const key = keyOf(words[2 * i + 1]!)
    if (key < least) least = key
    if (key > greatest) greatest = key
  }
  const shift = Math.max(0, 32 - Math.clz32(greatest - least) - Math.log2(MAX_BINS))
  return { least, shift, bins: ((greatest - least) >>> shift) + 1 }
}

/** Bin -> its values, sorted, for each bin that is too heavy and holds different values. */
function spreadOf(
  values: Float64Array,
  words: Uint32Array,
  length: number,
  least: number,
  shift: number,
  bins: number,
): Map<number, Float64Array> {
  const limit = Math.max(1, length * LARGEST_SHARE)
  const spread = new Map<number, Float64Array>()
  let heavyBins = 0
  for (let bin = 0; bin < bins; bin++) heavyBins += heavy[bin] = counts[bin]! > limit ? 1 : 0
  if (heavyBins === 0) return spread
  for (let i = 0; i < length; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    if (heavy[bin] === 1 && values[i] !== representatives[bin]) {
      heavy[bin] = 2
      spread.set(bin, new Float64Array(counts[bin]!))
    }
  }
  if (spread.size === 0) return spread
  const filled = new Map<number, number>()
  for (let i = 0; i < length; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    if (heavy[bin] !== 2) continue
    const at = filled.get(bin) ?? 0
    spread.get(bin)![at] = values[i]!
    filled.set(bin, at + 1)
  }
  for (const sorted of spread.values()) sorted.sort()
  return spread
}

function assemble(bins: number, spread: Map<number, Float64Array>): Digest {
  const values: number[] = []
  const cumulative: number[] = []
  let total = 0
  for (let bin = 0; bin < bins; bin++) total += counts[bin]!
  const step = Math.max(1, Math.floor(total * LARGEST_SHARE))
  let below = 0
  for (let bin = 0; bin < bins; bin++) {
    if (counts[bin] === 0) continue
    const sorted = spread.get(bin)
    if (sorted === undefined) {
      values.push(representatives[bin]!)
    } else {
      for (let end = step; end < sorted.length; end += step) {
        values.push(sorted[end - 1]!)
        cumulative.push(below + end)
      }
      values.push(sorted.at(-1)!)
    }
    below += counts[bin]!
    cumulative.push(below)
  }
  return { values: Float64Array.from(values), cumulative: Float64Array.from(cumulative) }
}
