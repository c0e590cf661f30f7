import { describe, expect, it } from 'vitest'
import type { HistogramRow } from '../../../src/page/api/explore.js'
import { histogramOf } from '../../../src/page/explore/view/histogram-data.js'
import { severityOf } from '../../../src/page/record/severity.js'

const bucket = (second: number, name: string | null, count: number): HistogramRow => ({
  timestamp: second * 1e6,
  bucket_us: 10e6,
  class: name,
  count,
})
const plain = (...args: Parameters<typeof histogramOf>) => {
  const data = histogramOf(...args)!
  return {
    times: [...data.axis.timesS],
    bucketS: data.axis.bucketS,
    series: Object.fromEntries(data.series.map(({ label }, i) => [label, [...data.values[i]!]])),
  }
}

describe('the histogram', () => {
  it('has all buckets of the range, and a series per class, the most severe first', () => {
    const rows = [bucket(20, '2xx', 5), bucket(20, '5xx', 1), bucket(40, null, 2), bucket(40, '4xx', 3)]
    const found = plain(rows, { fromUs: 15e6, toUs: 60e6 }, 999e6)
    expect(found).toEqual({
      times: [10, 20, 30, 40, 50],
      bucketS: 10,
      series: { '5xx': [0, 1, 0, 0, 0], '4xx': [0, 0, 0, 3, 0], '2xx': [0, 5, 0, 0, 0], without: [0, 0, 0, 2, 0] },
    })
    expect(Object.keys(found.series)).toEqual(['5xx', '4xx', '2xx', 'without'])
    const ofNoClass = plain([bucket(20, null, 4)], { fromUs: 20e6, toUs: 30e6 }, 999e6)
    expect(ofNoClass.series).toEqual({ rows: [4] })
  })

  it('lasts until now without an end, and further if rows do', () => {
    const rows = [bucket(20, 'info', 5)]
    expect(plain(rows, { fromUs: 20e6, toUs: undefined }, 41e6).times).toEqual([20, 30, 40])
    expect(plain(rows, { fromUs: 0, toUs: undefined }, 5e6).times).toEqual([0, 10, 20])
    expect(histogramOf([], { fromUs: 0, toUs: undefined }, 5e6)).toBeUndefined()
  })
})

describe('the severity', () => {
  it.each([
    [200, 'info'],
    ['404', 'warn'],
    [599, 'error'],
    ['4xx', 'warn'],
    ['ERROR', 'error'],
    ['Warning', 'warn'],
    ['FATAL', 'fatal'],
    ['LOG', 'info'],
    ['other', 'none'],
    [1_000, 'none'],
    [null, 'none'],
    ['constructor', 'none'],
  ])('of %j is %s', (value, severity) => expect(severityOf(value)).toBe(severity))
})
