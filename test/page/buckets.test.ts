import { describe, expect, it } from 'vitest'
import { type Axis, axisOver, axisThrough, onAxis, positionAt, positionsOn } from '../../src/page/plot/buckets.js'

const minutes = (...all: number[]) => Float64Array.from(all, (minute) => minute * 60e6)

/** Returns an axis of contiguous buckets. */
const contiguous = (firstS: number, bucketS: number, count: number): Axis => ({
  timesS: Float64Array.from({ length: count }, (_, i) => firstS + i * bucketS),
  bucketS,
})

describe('an axis', () => {
  const MINUTE_US = 60e6
  const over = (timesUs: Float64Array, fromUs: number, toUs: number | undefined, nowUs: number) =>
    axisOver(timesUs, MINUTE_US, { fromUs, toUs }, nowUs)

  it('has the buckets of the range, whole ones at its ends', () => {
    expect(over(minutes(12), 10.5 * MINUTE_US, 20 * MINUTE_US, 0)).toEqual(contiguous(600, 60, 10))
    expect(over(minutes(12), 10.5 * MINUTE_US, 20 * MINUTE_US + 1, 0)).toEqual(contiguous(600, 60, 11))
  })

  it('lasts until now without an end, and further where the rows do', () => {
    expect(over(minutes(12), 10 * MINUTE_US, undefined, 15.5 * MINUTE_US)).toEqual(contiguous(600, 60, 6))
    expect(over(minutes(8, 17), 10 * MINUTE_US, undefined, 15.5 * MINUTE_US)).toEqual(contiguous(480, 60, 10))
  })

  it('holds each value where its bucket is', () => {
    const values = Float64Array.of(7, 8)
    const axis = contiguous(60, 60, 4)
    expect([...onAxis(axis, positionsOn(axis, minutes(2, 4)), values, 0)]).toEqual([0, 7, 0, 8])
  })

  it('finds the position of a time', () => {
    const axis = { timesS: Float64Array.of(1, 2, 5), bucketS: 0 }
    expect([0.5, 1, 1.5, 2, 4.9, 5, 9].map((seconds) => positionAt(axis, seconds))).toEqual([-1, 0, 0, 1, 1, 2, 2])
  })
})

describe('an axis through times', () => {
  const through = (...texts: string[]) => {
    const { timesS, bucketS } = axisThrough(Float64Array.from(texts, (text) => Date.parse(text) * 1_000))
    return { times: [...timesS].map((seconds) => new Date(seconds * 1_000).toISOString()), bucketS }
  }

  it('has the longest buckets that hold them all', () => {
    expect(axisThrough(minutes(7, 13, 13, 22))).toEqual(contiguous(7 * 60, 180, 6))
    expect(axisThrough(Float64Array.of(0, 7e6))).toEqual(contiguous(0, 7, 2))
  })

  it('has months, quarters or years where each time starts one', () => {
    const day = 86_400
    const months = ['2025-11', '2025-12', '2026-01', '2026-02'].map((month) => `${month}-01T00:00:00.000Z`)
    expect(through(months[0]!, months[1]!, months[3]!)).toEqual({ times: months, bucketS: 28 * day })
    const years = ['1969', '1971', '1973'].map((year) => `${year}-01-01T00:00:00.000Z`)
    expect(through(years[0]!, years[1]!, years[2]!)).toEqual({ times: years, bucketS: 24 * 28 * day })
    expect(through('2026-01-01T00:00:00Z', '2026-02-02T00:00:00Z').bucketS).toBe(32 * day)
  })

  it('has the times alone where no buckets of whole seconds hold them, or too many', () => {
    for (const timesUs of [
      Float64Array.of(1e6, 1e6, 2.5e6, 3.25e6),
      Float64Array.of(1e3, 1.001e6),
      Float64Array.of(0, 1e6, 1e12),
    ]) {
      const timesS = Float64Array.from(new Set(timesUs), (us) => us / 1e6)
      expect(axisThrough(timesUs)).toEqual({ timesS, bucketS: 0 })
    }
  })
})
