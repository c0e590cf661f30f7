import { describe, expect, it } from 'vitest'
import { classCounts } from '../../src/page/plot/class-counts.js'
import { type ChartData, runningBucket, withoutSeries } from '../../src/page/plot/marks.js'
import { rangeLabel } from '../../src/page/shared/range-label.js'
import { inWords } from '../../src/page/shared/times.js'

const data = (nowS?: number, bucketS = 10): ChartData => ({
  axis: { timesS: Float64Array.of(100, 110, 120), bucketS },
  values: [Float64Array.of(1, 2, 3), Float64Array.of(4, 5, 6)],
  ...(nowS !== undefined && { nowS }),
})

describe('the series of a chart', () => {
  it('have nothing to draw where they are hidden', () => {
    const plain = ({ values }: ChartData) => values.map((line) => [...line])
    expect(plain(withoutSeries(data(), 'bars', new Set([1])))).toEqual([
      [1, 2, 3],
      [0, 0, 0],
    ])
    expect(plain(withoutSeries(data(), 'lines', new Set([0, 1]))).flat()).toEqual(Array(6).fill(Number.NaN))
    expect(withoutSeries(data(), 'bars', new Set())).toEqual(data())
  })

  it('have a last bucket that is not over until its end', () => {
    expect([125, 129.9, 130, 200].map((nowS) => runningBucket(data(nowS)))).toEqual([2, 2, undefined, undefined])
    expect(runningBucket(data())).toBe(undefined)
    expect(runningBucket(data(125, 0))).toBe(undefined)
  })

  it('are sums of the classes that have the same name', () => {
    const row = (second: number, name: string | null, count: number) => {
      return { timestamp: second * 1e6, bucket_us: 10e6, class: name, count }
    }
    const rows = [row(20, '4xx', 1), row(20, '5xx', 2), row(20, null, 4), row(40, '5xx', 8)]
    const isError = (name: string | null) => name === '4xx' || name === '5xx'
    const { axis, counts } = classCounts(rows, { fromUs: 20e6, toUs: 50e6 }, 0, isError)!
    expect([...axis.timesS]).toEqual([20, 30, 40])
    expect([...counts].map(([name, values]) => [name, ...values])).toEqual([
      [true, 3, 0, 8],
      [false, 4, 0, 0],
    ])
    expect(classCounts([], { fromUs: 0, toUs: 1 }, 0, isError)).toBe(undefined)
  })
})

it.each([
  [1, 'second'],
  [30, '30 seconds'],
  [60, 'minute'],
  [90, '90 seconds'],
  [1_800, '30 minutes'],
  [3_600, 'hour'],
  [43_200, '12 hours'],
  [86_400, 'day'],
  [172_800, '2 days'],
])('%d s in words are %s', (seconds, words) => expect(inWords(seconds)).toBe(words))

it('a range has a short text', () => {
  expect(rangeLabel({ preset: '1hr' })).toBe('Last hour')
  expect(rangeLabel({ fromUs: 0, toUs: undefined })).toMatch(/^Since \d{4}-/)
})
