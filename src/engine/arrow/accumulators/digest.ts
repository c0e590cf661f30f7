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

/** Integers below this are counted one by one: what milliseconds mostly are. */
const COUNTED_INTEGERS = 8192
const integerCounts = new Uint32Array(COUNTED_INTEGERS)
let otherValues = new Float64Array(0)

/**
 * Digests of `values[0 .. length)` in linear time, whose rank error together is below 0.1 percentage points: an exact one of
 * the small integers among them, and a binned one of all others.
 */
export function digestsOf(values: Float64Array, length: number): Digest[] {
  integerCounts.fill(0)
  if (length > otherValues.length) otherValues = new Float64Array(length)
  let others = 0
  for (let i = 0; i < length; i++) {
    const value = values[i]!
    const integer = value & (COUNTED_INTEGERS - 1)
    // Without a branch, which would be mispredicted at every few values.
    const isInteger = integer === value ? 1 : 0
    integerCounts[integer]! += isInteger
    otherValues[others] = value
    others += 1 - isInteger
  }
  const digests = [others > 0 ? binnedDigest(otherValues, others, length) : undefined, countedDigest(length - others)]
  return digests.filter((digest) => digest !== undefined)
}

/** The digest of the `count` integers that were counted. */
function countedDigest(count: number): Digest | undefined {
  if (count === 0) return undefined
  const output: Output = { values: [], cumulative: [], below: 0 }
  for (let integer = 0; output.below < count; integer++) {
    if (integerCounts[integer]! > 0) emit(output, integer, integerCounts[integer]!)
  }
  return close(output)
}

/**
 * A digest of `values[0 .. length)`, which it may reorder, in linear time. A value in it stands for at most 1/1024 of `among`
 * values, of which these are a part.
 *
 * The values are counted in bins of equal leading bits: a double's leading 32 bits, read as an integer, ascend with it,
 * so bins are about equally wide in proportion to the value. A bin keeps one of its values. A bin too heavy to be stood
 * for by one value, unless all in it are equal, is cut into finer bins in its turn.
 */
export function binnedDigest(values: Float64Array, length: number, among = length): Digest {
  const output: Output = { values: [], cumulative: [], below: 0 }
  digestInto(output, values.subarray(0, length), Math.max(1, Math.floor(among * LARGEST_SHARE)))
  return close(output)
}

/** A digest that is being written, and how many values it stands for so far. */
interface Output {
  values: number[]
  cumulative: number[]
  below: number
}

function close({ values, cumulative }: Output): Digest {
  return { values: Float64Array.from(values), cumulative: Float64Array.from(cumulative) }
}

function emit(output: Output, value: number, weight: number): void {
  output.below += weight
  output.values.push(value)
  output.cumulative.push(output.below)
}

function digestInto(output: Output, values: Float64Array, limit: number): void {
  const bins = countBins(values)
  if (bins.size === 1) {
    emitSorted(output, values.sort(), limit)
    return
  }
  const heavy = gatherHeavy(values, bins, limit)
  for (let bin = 0; bin < bins.size; bin++) {
    if (isHeavy(bins, bin, limit)) digestInto(output, heavy.get(bin)!, limit)
    else if (bins.counts[bin]! > 0) emit(output, bins.samples[bin]!, bins.counts[bin]!)
  }
}

/** Values that no leading bits tell apart: sorted, one of each `limit` of them. */
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

function countBins(values: Float64Array): Bins {
  const words = wordsOf(values)
  const { least, shift, size } = binning(words)
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

function binning(words: Uint32Array): Pick<Bins, 'least' | 'shift' | 'size'> {
  let least = 0xffffffff
  let greatest = 0
  for (let i = 1; i < words.length; i += 2) {
    const key = keyOf(words[i]!)
    if (key < least) least = key
    if (key > greatest) greatest = key
  }
  const binBits = Math.min(MAX_BIN_BITS, 32 - Math.clz32(words.length))
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
