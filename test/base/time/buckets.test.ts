import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUCKET_US, bucketEnd, datetime, truncate } from '../../../src/base/time/buckets.js'
import { bucketStart } from '../../oracle/time.js'

const UNITS = ['second', 'minute', 'hour', 'day'] as const
/** Times in the years 1722 to 2217. */
const timestamp = fc.integer({ min: -7_800_000_000_000_000, max: 7_800_000_000_000_000 })

describe.each(UNITS)('a bucket of a %s', (unit) => {
  it('starts where the calendar says', () => {
    fc.assert(
      fc.property(timestamp, (timestampUs) => {
        expect(truncate(timestampUs, unit) + 0).toBe(bucketStart(timestampUs, unit))
      }),
    )
  })

  it('ends one microsecond before the next starts', () => {
    fc.assert(
      fc.property(timestamp, (timestampUs) => {
        const endUs = bucketEnd(timestampUs, unit)
        expect(truncate(endUs, unit)).toBe(truncate(timestampUs, unit))
        expect(truncate(endUs + 1, unit)).toBe(truncate(timestampUs, unit) + BUCKET_US[unit])
      }),
    )
  })
})

it('a datetime is written to the second, in UTC', () => {
  expect(datetime(0)).toBe('1970-01-01T00:00:00')
  expect(datetime(999_999)).toBe('1970-01-01T00:00:00')
  expect(datetime(-1)).toBe('1969-12-31T23:59:59')
  expect(datetime(Date.UTC(2024, 1, 29, 23, 59, 59) * 1000)).toBe('2024-02-29T23:59:59')
})
