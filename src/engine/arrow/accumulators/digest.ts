import { countBelow } from '../../../base/search.js'
import type { Tally } from './tally.js'

/**
 * A digest: some of a multiset's values in ascending order, and how many values of the multiset lie at or below each.
 * Every value in it is one that was really there. Exact where it holds each value (`cumulative` undefined: weight 1).
 */
export interface Digest {
  values: Float64Array
  /** Cumulative weights; undefined where each value weighs 1. */
  cumulative: Float64Array | undefined
}

/** One value stands for at most this share of its multiset, unless they are all equal: 0.1 percentage points of rank. */
const LARGEST_SHARE = 1 / 1024
/** Bins at the most, as a power of two: their counts and values fit the cache beside the values. */
const MAX_BIN_BITS = 12
/** If the values were spread evenly over the bins, so many bins together would hold what one value may stand for. */
const BINS_PER_LIMIT = 4
/** So many values are sorted in less time than bins are set up. */
const SORTED_LENGTH = 512

/** How many values a digest stands for. */
export function weightOf({ values, cumulative }: Digest): number {
  return cumulative === undefined ? values.length : (cumulative.at(-1) ?? 0)
}

/** Bytes of memory that a digest takes, about. */
export function bytesOfDigest({ values, cumulative }: Digest): number {
  return 240 + values.byteLength + (cumulative?.byteLength ?? 0)
}

/** How many values of the multiset lie at or below the digest's first `length` values. */
export function cumulativeAt({ cumulative }: Digest, length: number): number {
  if (length === 0 || cumulative === undefined) return length
  return cumulative[length - 1]!
}

/** The least value at or below which lie `rank` values of the multiset; `rank` is one of them. */
export function valueOfRank({ values, cumulative }: Digest, rank: number): number {
  if (cumulative === undefined) return values[rank - 1]!
  return values[countBelow(cumulative, rank)]!
}

/** The exact digest of `values[0 .. length)`. */
export function sortedDigest(values: Float64Array, length: number): Digest {
  return { values: values.slice(0, length).sort(), cumulative: undefined }
}

/** The exact digest of the integers that were counted, of which there must be some. */
export function countedDigest({ integers, least, greatest }: Tally): Digest {
  const output = createOutput()
  for (let integer = least; integer <= greatest; integer++) {
    if (integers[integer]! > 0) emit(output, integer, integers[integer]!)
  }
  return close(output)
}

/**
 * A digest of `values[0 .. length)`, which it may reorder, in linear time. A value in it stands for at most 1/1024 of
 * `among` values, of which these may be a part.
 *
 * The values are counted in bins of equal leading bits: a double's leading 32 bits, read as an integer, ascend with it,
 * so bins are about equally wide in proportion to the value. A bin keeps one of its values. A bin too heavy to be stood
 * for by one value, unless all in it are equal, is cut into finer bins in its turn.
 */
export function binnedDigest(values: Float64Array, length: number, among = length): Digest {
  const output = createOutput()
  digestInto(output, values.subarray(0, length), Math.max(1, Math.floor(among * LARGEST_SHARE)))
  return close(output)
}

/** A digest that is being written, and how many values it stands for so far. */
interface Output {
  values: Float64Array
  cumulative: Float64Array
  length: number
  below: number
}

/** More than most digests have. */
const FIRST_LENGTH = 8192
/** Memory that one digest after the other is written in. */
let written: Pick<Output, 'values' | 'cumulative'> = roomFor(FIRST_LENGTH)

function roomFor(length: number): typeof written {
  return { values: new Float64Array(length), cumulative: new Float64Array(length) }
}

const createOutput = (): Output => ({ ...written, length: 0, below: 0 })

function close({ values, cumulative, length }: Output): Digest {
  return { values: values.slice(0, length), cumulative: cumulative.slice(0, length) }
}

function emit(output: Output, value: number, weight: number): void {
  if (output.length === output.values.length) grow(output)
  output.below += weight
  output.values[output.length] = value
  output.cumulative[output.length++] = output.below
}

function grow(output: Output): void {
  written = roomFor(2 * output.length)
  written.values.set(output.values)
  written.cumulative.set(output.cumulative)
  Object.assign(output, written)
}

function digestInto(output: Output, values: Float64Array, limit: number): void {
  const bins = values.length > SORTED_LENGTH ? countBins(values, limit) : undefined
  if (bins === undefined || bins.size === 1) {
    emitSorted(output, values.sort(), limit)
    return
  }
  const heavy = gatherHeavy(values, bins, limit)
  for (let bin = 0; bin < bins.size; bin++) {
    if (isHeavy(bins, bin, limit)) digestInto(output, heavy.get(bin)!, limit)
    else if (bins.counts[bin]! > 0) emit(output, bins.samples[bin]!, bins.counts[bin]!)
  }
}

/** Of sorted values one of each `limit`. */
function emitSorted(output: Output, sorted: Float64Array, limit: number): void {
  for (let start = 0; start < sorted.length; start += limit) {
    const end = Math.min(start + limit, sorted.length)
    emit(output, sorted[end - 1]!, end - start)
  }
}

interface Bins {
  /** The leading word of a double, less `least` and shifted, is its bin. */
  least: number
  shift: number
  size: number
  counts: Uint32Array
  /** One value of each bin. */
  samples: Float64Array
  /** 1 where a bin holds different values. */
  mixed: Uint8Array
}

function countBins(values: Float64Array, limit: number): Bins {
  const words = wordsOf(values)
  const { least, shift, size } = binning(words, limit)
  const counts = new Uint32Array(size)
  const samples = new Float64Array(size)
  const mixed = new Uint8Array(size)
  for (let i = 0; i < values.length; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    const value = values[i]!
    if (counts[bin]!++ === 0) samples[bin] = value
    else if (samples[bin] !== value) mixed[bin] = 1
  }
  return { least, shift, size, counts, samples, mixed }
}

function binning(words: Uint32Array, limit: number): Pick<Bins, 'least' | 'shift' | 'size'> {
  let least = 0xffffffff
  let greatest = 0
  for (let i = 1; i < words.length; i += 2) {
    const key = keyOf(words[i]!)
    if (key < least) least = key
    if (key > greatest) greatest = key
  }
  const binBits = Math.min(MAX_BIN_BITS, 32 - Math.clz32((words.length / 2 / limit) * BINS_PER_LIMIT))
  const shift = Math.max(0, 32 - Math.clz32(greatest - least) - binBits)
  return { least, shift, size: ((greatest - least) >>> shift) + 1 }
}

function isHeavy({ counts, mixed }: Bins, bin: number, limit: number): boolean {
  return mixed[bin] === 1 && counts[bin]! > limit
}

/** The values of each bin that holds more than `limit` different ones. */
function gatherHeavy(values: Float64Array, bins: Bins, limit: number): Map<number, Float64Array> {
  const { least, shift, size, counts } = bins
  const cursors = new Int32Array(size).fill(-1)
  const ends: [bin: number, end: number][] = []
  let total = 0
  for (let bin = 0; bin < size; bin++) {
    if (!isHeavy(bins, bin, limit)) continue
    cursors[bin] = total
    total += counts[bin]!
    ends.push([bin, total])
  }
  const gathered = new Float64Array(total)
  const words = wordsOf(values)
  for (let i = 0; i < values.length && total > 0; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    if (cursors[bin]! >= 0) gathered[cursors[bin]!++] = values[i]!
  }
  return new Map(ends.map(([bin, end]) => [bin, gathered.subarray(end - counts[bin]!, end)]))
}

function wordsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
}

/** The leading word of a double (little-endian) as an unsigned integer that ascends with the double. */
function keyOf(word: number): number {
  return (word >>> 31 === 1 ? ~word : word | 0x80000000) >>> 0
}
