import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  countedDigest,
  cumulativeAt,
  type Digest,
  sampledDigest,
  sortedDigest,
  weightOf,
} from '../../../../src/engine/execute/accumulators/digest.js'
import { createCounter } from '../../../../src/engine/execute/columns/counting.js'
import { arbitrarySample, DISTRIBUTIONS, draw } from './distributions.js'

/** The promise of a digest: one value represents at most 1/1024 of the ranks. */
const LARGEST_SHARE = 1 / 1024

/** Expects that the cumulative weight of each value is the number of sample values up to the value, within a slack. */
function expectSound({ values, cumulative }: Digest, sorted: Float64Array) {
  const total = sorted.length
  expect(cumulative!.at(-1)).toBe(total)
  const slack = Math.max(1, total * LARGEST_SHARE)
  let [below, atOrBelow, represented] = [0, 0, 0]
  for (let i = 0; i < values.length; i++) {
    const [value, upTo] = [values[i]!, cumulative![i]!]
    if (i > 0 && (value < values[i - 1]! || upTo <= represented)) expect.fail(`not ascending at ${i}`)
    while (below < total && sorted[below]! < value) below++
    if (sorted[below] !== value) expect.fail(`${value} is not in the sample`)
    while (atOrBelow < total && sorted[atOrBelow]! <= value) atOrBelow++
    if (upTo < below + 1 || represented >= atOrBelow) expect.fail(`${value} has the ranks of other values`)
    if (upTo - atOrBelow > slack || below - represented > slack) expect.fail(`${value} represents too many values`)
    represented = upTo
  }
}

describe('a digest of a sample', () => {
  it('holds values of the sample, each standing for few others', () => {
    fc.assert(
      fc.property(arbitrarySample(1, 20_000), (sample) => {
        const values = draw(sample)
        expectSound(sampledDigest(values, values.length), draw(sample).sort())
      }),
    )
  })

  it.each(Object.keys(DISTRIBUTIONS))('is sound for 300,000 values: %s', (distribution) => {
    const sample = draw({ distribution, order: 'drawn', length: 300_000, seed: 1 })
    const digest = sampledDigest(sample.slice(), sample.length)
    expectSound(digest, sample.sort())
  })

  it('reads no value behind the length', () => {
    const values = Float64Array.of(3, 1, 2, 1e300, Number.NaN)
    expect(weightOf(sampledDigest(values, 3))).toBe(3)
    expect([...sampledDigest(values, 3).values]).toEqual([1, 2, 3])
  })
})

describe('a digest of counted integers', () => {
  it.each([
    ['few', 8_192],
    ['very many', 50_000],
  ])('of %s different ones is sound', (_, different) => {
    const counts = Uint32Array.from({ length: different }, (_, i) => 1 + ((i * 7919) % 13))
    const sorted = Float64Array.from([...counts].flatMap((count, i) => Array<number>(count).fill(i)))
    const { values, cumulative } = createCounter().count(Uint16Array.from(sorted))
    const digest = countedDigest({ values, cumulative, sum: 0 })
    expectSound(digest, sorted)
    expect(digest.values.length).toBeLessThanOrEqual(Math.min(different, 8_192))
    if (different <= 8_192) expect(digest.values).toEqual(Float64Array.from(counts.keys()))
  })
})

describe('a sorted digest', () => {
  it('holds every value, each of weight 1', () => {
    const values = Float64Array.of(3, -1, 10, 2, Number.NaN)
    const digest = sortedDigest(values, 4)
    expect([...digest.values]).toEqual([-1, 2, 3, 10])
    expect(weightOf(digest)).toBe(4)
    expect([0, 1, 4].map((length) => cumulativeAt(digest, length))).toEqual([0, 1, 4])
    expect([...values.subarray(0, 4)]).toEqual([3, -1, 10, 2])
  })
})

it('the weight of a digest is that of all its values, and none weighs nothing', () => {
  const digest = { values: Float64Array.of(1, 5), cumulative: Float64Array.of(4, 10) }
  expect(weightOf(digest)).toBe(10)
  expect([0, 1, 2].map((length) => cumulativeAt(digest, length))).toEqual([0, 4, 10])
  expect(weightOf({ values: new Float64Array(0), cumulative: new Float64Array(0) })).toBe(0)
  expect(weightOf(sortedDigest(new Float64Array(0), 0))).toBe(0)
})
