import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExactSum, exactSums } from '../../../../src/engine/clickhouse/query/exact-sums.js'
import type { Cell } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import { exactMean } from '../../../oracle/exact-mean.js'

/** The allowed error of a mean, relative to its size: the last two bits. */
const RELATIVE_ERROR = 2 ** -51
/** Subnormal doubles have fewer bits, so the error is absolute. */
const SMALLEST = 2 ** -1074

/**
 * Returns the rows of `exactSumsQuery` for the values of one bucket. 64-bit integers are texts, as a server sends them.
 */
function sumsOf(bucket: number, values: readonly number[]): Cell[][] {
  const groups = new Map<number, { upper: bigint; lower: bigint; count: number }>()
  for (const value of values) {
    const bits = new BigUint64Array(Float64Array.of(value).buffer)[0]!
    const exponent = Number((bits >> 52n) & 0x7ffn)
    const mantissa = (bits & 0xf_ffff_ffff_ffffn) | (exponent === 0 ? 0n : 1n << 52n)
    const sign = bits >> 63n === 1n ? -1n : 1n
    const group = groups.get(exponent) ?? { upper: 0n, lower: 0n, count: 0 }
    group.upper += sign * (mantissa >> 26n)
    group.lower += sign * (mantissa & 0x3ff_ffffn)
    group.count += 1
    groups.set(exponent, group)
  }
  return [...groups].map(([exponent, { upper, lower, count }]) => [
    `${bucket}`,
    `${exponent}`,
    `${upper}`,
    `${lower}`,
    `${count}`,
  ])
}

function expectMean(values: readonly number[]): void {
  const exact = exactMean(values)
  const mean = exactSums(sumsOf(7, values), 1).get('["7"]')!.mean
  expect(Math.abs(mean - exact)).toBeLessThanOrEqual(Math.max(RELATIVE_ERROR * Math.abs(exact), 2 * SMALLEST))
}

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
const tiny = fc.double({ min: -1e-300, max: 1e-300, noNaN: true })
const huge = fc.double({ min: 1e300, max: 1.79e308, noNaN: true })

describe('exact sums and means', () => {
  it.each([
    ['any doubles', fc.array(finite, { minLength: 1, maxLength: 50 })],
    ['tiny ones, many of them not normal', fc.array(tiny, { minLength: 1, maxLength: 50 })],
    ['huge ones, whose sum no double holds', fc.array(huge, { minLength: 1, maxLength: 50 })],
    [
      'ones that cancel out, but for a little',
      fc
        .tuple(fc.array(finite, { minLength: 1, maxLength: 20 }), finite)
        .map(([values, rest]) => [...values, ...values.map((value) => -value), rest]),
    ],
  ])('are those of %s', (_, values) => {
    fc.assert(fc.property(values, expectMean), { numRuns: 500 })
  })

  it.each([
    [[0], 0],
    [[-0], 0],
    [[0.1, 0.2, 0.3], 0.2],
    [[1e16, 1, -1e16], 1 / 3],
    [[Number.MAX_VALUE, Number.MAX_VALUE], Number.MAX_VALUE],
    [[-Number.MAX_VALUE, -Number.MAX_VALUE], -Number.MAX_VALUE],
    [[Number.MIN_VALUE], Number.MIN_VALUE],
    [[2 ** -1022, 2 ** -1022], 2 ** -1022],
    [[2 ** -1022, 2 ** -1023], 1.5 * 2 ** -1023],
  ])('of %j is %d', (values, mean) => {
    const [[bucket, { mean: found }]] = [...exactSums(sumsOf(-3, values), 1)] as [[string, ExactSum]]
    expect(bucket).toBe('["-3"]')
    expect(found === 0 ? 0 : found).toBe(mean)
  })

  it('are those of each bucket alone', () => {
    const rows = [...sumsOf(1, [1, 2e300]), ...sumsOf(2, [5]), ...sumsOf(-1, [-7, 0.5])]
    expect(exactSums(rows.reverse(), 1)).toEqual(
      new Map([
        ['["-1"]', { sum: -6.5, mean: -3.25 }],
        ['["2"]', { sum: 5, mean: 5 }],
        ['["1"]', { sum: 2e300, mean: 1e300 }],
      ]),
    )
    expect(exactSums([], 1).size).toBe(0)
  })
})
