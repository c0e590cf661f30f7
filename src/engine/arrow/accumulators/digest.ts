import { countBelow } from '../../../base/search.js'
import { COUNTED_INTEGERS, type Histogram } from './histogram.js'

/**
 * A digest: some values of a multiset in ascending order, and for each the number of values of the multiset
 * at or below it. All of them occur in the multiset. The digest is exact if it contains every value.
 *
 * It is implemented here, and the package `tdigest` is used only to check it in tests, for three reasons that
 * `bench/digest.mjs` measures: it returns values that occurred (`tdigest` interpolates between means, which
 * for two distant values is a value that did not occur), counted integers stay exact, and a million values
 * take between a half and a fortieth of the time. `tdigest` has the smaller rank error on smooth
 * distributions; here it is bounded for every distribution. docs/performance.md has the figures.
 */
export interface Digest {
  values: Float64Array
  /** Cumulative weights; undefined if each value has the weight 1. */
  cumulative: Float64Array | undefined
}

/**
 * The largest weight of a value, as a share of its multiset: 0.1 percentage points of rank. Equal values may
 * exceed it.
 */
const LARGEST_SHARE = 1 / 1024
/**
 * The largest number of bins, as a power of two: their counts and samples fit the CPU cache together with the
 * values.
 */
const MAX_BIN_BITS = 12
/** Bins per largest weight, if the values were spread evenly over the bins. */
const BINS_PER_LIMIT = 4
/** Up to this many values are sorted, which takes less time than setting up bins. */
const SORTED_LENGTH = 512

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
  return cumulative[length - 1]!
}

/**
 * Returns the least value with at least `rank` values of the multiset at or below it. `rank` is from 1 to the
 * weight.
 */
export function valueOfRank({ values, cumulative }: Digest, rank: number): number {
  if (cumulative === undefined) return values[rank - 1]!
  return values[countBelow(cumulative, rank)]!
}

/** Returns the exact digest of `values[0 .. length)`. */
export function sortedDigest(values: Float64Array, length: number): Digest {
  return { values: values.slice(0, length).sort(), cumulative: undefined }
}

/** Returns the exact digest of the counted integers of a histogram, which must have some. */
export function countedDigest({ integers, least, greatest }: Histogram): Digest {
  const output = createOutput()
  emitCounted(output, integers.subarray(least, greatest + 1), INTEGERS.subarray(least, greatest + 1))
  return close(output)
}

/** The integer of each position of a histogram's counts. */
const INTEGERS = Float64Array.from({ length: COUNTED_INTEGERS }, (_, integer) => integer)

/**
 * Returns a digest of `values[0 .. length)`, which it may reorder, in linear time. A value in it has a weight
 * of at most 1/1024 of `among`, the size of a multiset that may include further values.
 *
 * The values are counted in bins of equal leading bits: a double's leading 32 bits, read as an integer,
 * ascend with it, so bins are about equally wide in proportion to the value. Each bin is represented by one
 * of its values. A bin that is too heavy for that is divided into finer bins, unless all of its values are
 * equal.
 */
export function binnedDigest(values: Float64Array, length: number, among = length): Digest {
  const output = createOutput()
  digestInto(output, values.subarray(0, length), Math.max(1, Math.floor(among * LARGEST_SHARE)))
  return close(output)
}

/** A digest under construction. */
interface Output {
  values: Float64Array
  cumulative: Float64Array
  length: number
}

/** More values than most digests have. */
const FIRST_LENGTH = 8192
/** The memory that each digest is constructed in, reused. */
let scratch: Pick<Output, 'values' | 'cumulative'> = allocate(FIRST_LENGTH)

function allocate(length: number): typeof scratch {
  return { values: new Float64Array(length), cumulative: new Float64Array(length) }
}

const createOutput = (): Output => ({ values: scratch.values, cumulative: scratch.cumulative, length: 0 })

/** Returns the number of values that the output represents so far. */
const belowOf = ({ cumulative, length }: Output) => (length === 0 ? 0 : cumulative[length - 1]!)

function close({ values, cumulative, length }: Output): Digest {
  return { values: values.slice(0, length), cumulative: cumulative.slice(0, length) }
}

function emit(output: Output, value: number, weight: number): void {
  reserve(output, 1)
  output.cumulative[output.length] = belowOf(output) + weight
  output.values[output.length++] = value
}

/** Appends ascending values with their counts; values with the count 0 are skipped. */
function emitCounted(output: Output, counts: Uint32Array, samples: Float64Array): void {
  reserve(output, counts.length)
  output.length = writeCounted(counts, samples, output.values, output.cumulative, output.length, belowOf(output))
}

/** A separate function for its loop, like those of histogram.ts. Returns the new length. */
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

function reserve(output: Output, more: number): void {
  const needed = output.length + more
  if (needed <= output.values.length) return
  scratch = allocate(Math.max(needed, 2 * output.length))
  scratch.values.set(output.values)
  scratch.cumulative.set(output.cumulative)
  Object.assign(output, scratch)
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

/** Appends the values of a heavy bin: as one value if they are all equal, else by finer bins. */
function digestHeavy(output: Output, values: Float64Array, limit: number): void {
  const first = values[0]!
  if (values.every((value) => value === first)) emit(output, first, values.length)
  else digestInto(output, values, limit)
}

/** Appends every `limit`-th of the sorted values, with the weight of those that it represents. */
function emitSorted(output: Output, sorted: Float64Array, limit: number): void {
  for (let start = 0; start < sorted.length; start += limit) {
    const end = Math.min(start + limit, sorted.length)
    emit(output, sorted[end - 1]!, end - start)
  }
}

interface Bins {
  /** The bin of a double is the key of its leading word, minus `least`, shifted right by `shift`. */
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

/** Returns the bins with more than `limit` values, ascending, with their values. */
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

/** Converts the leading word of a double (little-endian) to an integer that ascends with the double. */
function keyOf(word: number): number {
  return word ^ ((word >> 31) & 0x7fffffff)
}
