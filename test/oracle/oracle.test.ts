import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectRows, isMean, isQuantile } from './compare.js'
import { exactMean, nearestDouble } from './exact-mean.js'
import type { PlainRow } from './oracle.js'
import { bucketStart, isoUs } from './time.js'

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

describe('the exact mean', () => {
  it('is right where doubles are not', () => {
    expect(exactMean([1e16, 3, -1e16])).toBe(1)
    expect(exactMean([Number.MAX_VALUE, Number.MAX_VALUE])).toBe(Number.MAX_VALUE)
    expect(exactMean([0.1, 0.2, 0.3])).toBe(0.2)
    expect(exactMean([1, 2])).toBe(1.5)
    expect(exactMean([-1, 0, 0])).toBe(-1 / 3)
    expect(exactMean([5e-324])).toBe(5e-324)
    expect(exactMean([0, -0])).toBe(0)
  })

  it('of one value, and of a value and itself, is the value', () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(exactMean([value]) + 0).toBe(value + 0)
        expect(exactMean([value, value, value]) + 0).toBe(value + 0)
      }),
    )
  })

  it('divides as doubles do where both sides are doubles', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 1 }), (a, b) => {
        expect(nearestDouble(BigInt(a), BigInt(b))).toBe((a + 0) / b + 0)
      }),
    )
  })
})

describe('what the comparison forgives', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  const thousand = Array.from({ length: 1000 }, (_, i) => i + 1)

  it('an average 1e-12 off, not 2e-12', () => {
    expect([isMean(1 + 9e-13, 1), isMean(1 + 2e-12, 1), isMean(0, 0), isMean(1e-300, 0)]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  it('a percentile half a point off, of more than 100 values', () => {
    const verdict = (value: number) => isQuantile(value, 95, thousand)
    expect([944.9, 945, 950, 950.5, 955.5, 956, 957].map(verdict)).toEqual([false, true, true, true, true, true, false])
    expect(isQuantile(96, 95, hundred)).toBe(false)
    expect(isQuantile(1000.5, 99, [...thousand.slice(0, 100), 1000, 1000])).toBe(false)
  })

  it('nothing else', () => {
    const row: PlainRow = { timestamp: 1, count: 1000, p95_execution_time: 950, avg_execution_time: 1 }
    const times = new Map([[1, thousand]])
    expectRows([{ ...row, p95_execution_time: 951, avg_execution_time: 1 + 1e-13 }], [row], times)
    const wrongs: PlainRow[] = [
      { count: 1001 },
      { timestamp: 2 },
      { p95_execution_time: 990 },
      { p95_execution_time: null },
      { x: 1 },
    ]
    for (const wrong of wrongs) {
      expect(() => expectRows([{ ...row, ...wrong }], [row], times)).toThrow()
    }
    expect(() => expectRows([], [row], times)).toThrow()
    expect(() => expectRows([row, row], [row], times)).toThrow()
  })
})

describe('the oracle’s calendar', () => {
  it('knows the start of a bucket, before the epoch too', () => {
    expect(bucketStart(86_399_999_999, 'day')).toBe(0)
    expect(bucketStart(-1, 'second')).toBe(-1_000_000)
    expect(bucketStart(-1, 'hour')).toBe(-3_600_000_000)
    expect(bucketStart(3_661_000_001, 'minute')).toBe(3_660_000_000)
  })

  it('reads times by Date', () => {
    expect(isoUs('1970-01-01T00:00:00.0000019Z')).toBe(1n)
    expect(isoUs('2024-02-29')).toBe(1_709_164_800_000_000n)
    expect(isoUs('1970-01-01T01:00+01')).toBe(0n)
    for (const text of ['2023-02-29', '2026-01-01T24:00', '2026-01-01T00:00:60', '2026-01-01T00:00+24', 'now']) {
      expect(isoUs(text)).toBeUndefined()
    }
  })
})
