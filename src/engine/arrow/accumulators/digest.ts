import { countBelow } from '../../../base/search.js'
import { COUNTED_INTEGERS, type Histogram } from './histogram.js'

/**
 * A digest: some of a multiset's values in ascending order, and how many values of the multiset lie at or below each.
 * Every value in it is one that was really there. Exact where it holds each value (`cumulative` undefined: weight 1).
 *
 * It is our own, and the package `tdigest` is its judge in tests, for three reasons that `bench/digest.mjs` measures:
 * it returns values that occurred (`tdigest` interpolates between means, which for two values far apart is a value that
 * no call had), counted integers stay exact, and a million values take half to a fortieth of the time. `tdigest` has
 * the smaller rank error on smooth distributions; here it is bounded for every distribution. docs/performance.md has
 * the figures.
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
export function countedDigest({ integers, least, greatest }: Histogram): Digest {
  const output = createOutput()
  emitCounted(output, integers.subarray(least, greatest + 1), INTEGERS.subarray(least, greatest + 1))
  return close(output)
}

/** What stands in each place of a histogram's counts. */
const INTEGERS = Float64Array.from({ length: COUNTED_INTEGERS }, (_, integer) => integer)

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

/** A digest that is being written. */
interface Output {
  values: Float64Array
  cumulative: Float64Array
  length: number
}

/** More than most digests have. */
const FIRST_LENGTH = 8192
/** Memory that one digest after the other is written in. */
let written: Pick<Output, 'values' | 'cumulative'> = roomFor(FIRST_LENGTH)

function roomFor(length: number): typeof written {
  return { values: new Float64Array(length), cumulative: new Float64Array(length) }
}

const createOutput = (): Output => ({ values: written.values, cumulative: written.cumulative, length: 0 })

/** How many values it stands for so far. */
const belowOf = ({ cumulative, length }: Output) => (length === 0 ? 0 : cumulative[length - 1]!)

function close({ values, cumulative, length }: Output): Digest {
  return { values: values.slice(0, length), cumulative: cumulative.slice(0, length) }
}

function emit(output: Output, value: number, weight: number): void {
  makeRoom(output, 1)
  output.cumulative[output.length] = belowOf(output) + weight
  output.values[output.length++] = value
}

/** How often each of some ascending values occurs; 0 where there is none. */
function emitCounted(output: Output, counts: Uint32Array, samples: Float64Array): void {
  makeRoom(output, counts.length)
  output.length = writeCounted(counts, samples, output.values, output.cumulative, output.length, belowOf(output))
}

/** A loop of its own, as those of histogram.ts. Returns the new length. */
function writeCounted(
  counts: Uint32Array,
  samples: Float64Array,
  values: Float64Array,
  cumulative: Float64Array,
  length: number,
  below: number,
): number {
  for (let place = 0; place < counts.length; place++) {
    const count = counts[place]!
    if (count === 0) continue
    values[length] = samples[place]!
    cumulative[length++] = below += count
  }
  return length
}

function makeRoom(output: Output, more: number): void {
  const needed = output.length + more
  if (needed <= output.values.length) return
  written = roomFor(Math.max(needed, 2 * output.length))
  written.values.set(output.values)
  written.cumulative.set(output.cumulative)
  Object.assign(output, written)
}

function digestInto(output: Output, values: Float64Array, limit: number): void {
  const bins = values.length > SORTED_LENGTH ? countBins(values, limit) : undefined
  if (bins === undefined || bins.counts.length === 1) {
    emitSorted(output, values.sort(), limit)
    return
  }
  const emitLight = (from: number, to: number) =>
    emitCounted(output, bins.counts.subarray(from, to), bins.samples.subarray(from, to))
  let from = 0
  for (const [bin, heavy] of gatherHeavy(values, bins, limit)) {
    emitLight(from, bin)
    digestHeavy(output, heavy, limit)
    from = bin + 1
  }
  emitLight(from, bins.counts.length)
}

/** Values of one bin, too many for one of them to stand for unless they are all equal. */
function digestHeavy(output: Output, values: Float64Array, limit: number): void {
  const first = values[0]!
  if (values.every((value) => value === first)) emit(output, first, values.length)
  else digestInto(output, values, limit)
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
  counts: Uint32Array
  /** One value of each bin. */
  samples: Float64Array
}

function countBins(values: Float64Array, limit: number): Bins {
  const words = wordsOf(values)
  const { least, shift, size } = binning(words, limit)
  const counts = new Uint32Array(size)
  const samples = new Float64Array(size)
  for (let i = 0; i < values.length; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    counts[bin]!++
    samples[bin] = values[i]!
  }
  return { least, shift, counts, samples }
}

function binning(words: Int32Array, limit: number): { least: number; shift: number; size: number } {
  let least = 0x7fffffff
  let greatest = -0x80000000
  for (let i = 1; i < words.length; i += 2) {
    const key = keyOf(words[i]!)
    if (key < least) least = key
    if (key > greatest) greatest = key
  }
  const binBits = Math.min(MAX_BIN_BITS, 32 - Math.clz32((words.length / 2 / limit) * BINS_PER_LIMIT))
  const shift = Math.max(0, 32 - Math.clz32(greatest - least) - binBits)
  return { least, shift, size: ((greatest - least) >>> shift) + 1 }
}

/** The bins that hold more than `limit`, ascending, with their values. */
function gatherHeavy(
  values: Float64Array,
  { least, shift, counts }: Bins,
  limit: number,
): [bin: number, values: Float64Array][] {
  const cursors = new Int32Array(counts.length).fill(-1)
  const bins: number[] = []
  let total = 0
  for (let bin = 0; bin < counts.length; bin++) {
    if (counts[bin]! <= limit) continue
    cursors[bin] = total
    total += counts[bin]!
    bins.push(bin)
  }
  const gathered = new Float64Array(total)
  const words = wordsOf(values)
  for (let i = 0; i < values.length && total > 0; i++) {
    const bin = (keyOf(words[2 * i + 1]!) - least) >>> shift
    if (cursors[bin]! >= 0) gathered[cursors[bin]!++] = values[i]!
  }
  return bins.map((bin) => [bin, gathered.subarray(cursors[bin]! - counts[bin]!, cursors[bin])])
}

function wordsOf(values: Float64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2)
}

/** The leading word of a double (little-endian) as an integer that ascends with the double. */
function keyOf(word: number): number {
  return word ^ ((word >> 31) & 0x7fffffff)
}
