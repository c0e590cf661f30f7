/**
 * Compares the digest of `quantileAccumulator` with the package `tdigest` on the same values: time and rank error. Each
 * process measures a single digest on a single distribution.
 *
 *   node bench/digest.mjs logweir | tdigest 'whole milliseconds'
 *
 * A million values are split into ten parts, each with a separate state, as segments have. The ten states are merged,
 * and four percentiles are read from the result. The rank error is the distance between the wanted rank and the ranks
 * of the returned value among the sorted values, in percentage points.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createHistograms } from '../dist/engine/execute/accumulators/histogram.js'
import { quantileAccumulator, quantileOf } from '../dist/engine/execute/accumulators/quantile.js'
import { median } from './process.mjs'

const { TDigest } = createRequire(import.meta.url)('tdigest')

const VALUES = 1_000_000
const PARTS = 10
const RUNS = 7
const PERCENTS = { p50: 50, p95: 95, p99: 99, p999: 99.9 }

/** Plausible execution times of a million calls, and values that are hard for a digest. */
export const DISTRIBUTIONS = {
  'whole milliseconds': (next) => Math.floor(Math.exp(4 + normal(next))),
  'log-normal': (next) => Math.exp(4 + 2 * normal(next)),
  uniform: (next) => next() * 1000,
  'two values, 97 to 3': (next) => (next() < 0.97 ? 3 : 2000),
  'near-equal, one in 1,000 far away': (next) => (next() < 0.001 ? 1e300 : 100 + next() * 1e-10),
}

/**
 * Both digests: `fill` builds a state from a part, `merge` combines states, `valueAt` returns the value at a
 * percentile.
 */
const DIGESTS = {
  logweir: {
    partOf: (values) => values,
    fill(values) {
      const state = quantileAccumulator.create()
      quantileAccumulator.update(state, HISTOGRAMS.ofNumbers({ values, length: values.length }))
      quantileAccumulator.shrink(state)
      return state
    },
    merge(states) {
      const merged = quantileAccumulator.create()
      for (const state of states) quantileAccumulator.merge(merged, state)
      return merged
    },
    valueAt: quantileOf,
  },
  tdigest: {
    // `push` accepts arrays only.
    partOf: (values) => Array.from(values),
    fill(values) {
      const digest = new TDigest()
      digest.push(values)
      digest.compress()
      return digest
    },
    merge(digests) {
      const merged = new TDigest()
      for (const digest of digests) merged.push_centroid(digest.toArray())
      merged.compress()
      return merged
    },
    valueAt: (digest, percent) => digest.percentile(percent / 100),
  },
}
const HISTOGRAMS = createHistograms()

const isMain = process.argv[1] === fileURLToPath(import.meta.url)
if (isMain) {
  const [digest, distribution] = process.argv.slice(2)
  console.log(JSON.stringify(measure(DIGESTS[digest], DISTRIBUTIONS[distribution])))
}

/** Returns the milliseconds for a million values, all steps included, and the rank error of each percentile. */
function measure({ partOf, fill, merge, valueAt }, draw) {
  const values = drawValues(draw)
  const parts = Array.from({ length: PARTS }, (_, i) =>
    partOf(values.slice((i * VALUES) / PARTS, ((i + 1) * VALUES) / PARTS)),
  )
  const times = []
  let answers
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now()
    const merged = merge(parts.map(fill))
    answers = Object.values(PERCENTS).map((percent) => valueAt(merged, percent))
    times.push(performance.now() - startMs)
  }
  const sorted = values.sort()
  const errors = Object.entries(PERCENTS).map(([key, percent], i) => [
    `${key}ErrorPoints`,
    rankErrorPoints(sorted, percent, answers[i]),
  ])
  return { msPerMillion: median(times), firstMs: times[0], ...Object.fromEntries(errors) }
}

function drawValues(draw) {
  let state = 7
  // mulberry32: both digests get the same values.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Float64Array.from({ length: VALUES }, () => draw(next))
}

function normal(next) {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}

/**
 * Returns 0 if `value` has the wanted rank. A value that is not among `sorted` has the rank of the next smaller value.
 */
function rankErrorPoints(sorted, percent, value) {
  const wanted = Math.ceil((percent * sorted.length) / 100)
  const below = countWhere(sorted, (other) => other < value)
  const atMost = countWhere(sorted, (other) => other <= value)
  return (100 * Math.max(0, below + (below < atMost ? 1 : 0) - wanted, wanted - atMost)) / sorted.length
}

/** Returns how many of the sorted values pass the test. Binary search: the values that pass must precede the others. */
function countWhere(sorted, passes) {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(sorted[middle])) low = middle + 1
    else high = middle
  }
  return low
}
