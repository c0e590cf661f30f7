import { describe, expect, it } from 'vitest'
import { axisOf, onAxis } from '../../src/page/buckets.js'

describe('an axis', () => {
  const window = { interval: '15min', windowS: 900, bucketS: 60 }
  const minutes = (...all: number[]) => Float64Array.from(all, (minute) => minute * 60e6)

  it('spans the window up to now, and further where the rows do', () => {
    expect(axisOf(minutes(1_000, 1_003), window, 1_010.5 * 60)).toEqual({ firstS: 995 * 60, bucketS: 60, count: 16 })
    expect(axisOf(minutes(990, 1_003), window, 1_003 * 60)).toEqual({ firstS: 988 * 60, bucketS: 60, count: 16 })
    expect(axisOf(minutes(980, 1_003), window, 1_001 * 60)).toEqual({ firstS: 980 * 60, bucketS: 60, count: 24 })
  })

  it('goes by the clock of the service where that of this machine is far off', () => {
    for (const nowS of [0, 1e9]) {
      expect(axisOf(minutes(1_000, 1_003), window, nowS)).toEqual({ firstS: 988 * 60, bucketS: 60, count: 16 })
    }
  })

  it('holds each value where its bucket is', () => {
    const axis = { firstS: 60, bucketS: 60, count: 4 }
    const values = Float64Array.of(7, 8)
    expect([...onAxis(axis, minutes(2, 4), values, 0)]).toEqual([0, 7, 0, 8])
  })
})
