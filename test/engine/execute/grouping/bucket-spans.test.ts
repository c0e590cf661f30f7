import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Batch } from '../../../../src/engine/execute/columns/batch.js'
import { none, range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { bucketSpans, type Spans } from '../../../../src/engine/execute/grouping/bucket-spans.js'
import { type TimeUnit, truncateUs } from '../../../../src/plan/values/times.js'
import { Timestamp } from '../../../../src/plan/values/values.js'
import { edge } from '../../../support/records.js'
import { openBatch, rowsOf, sealedBatch } from '../../store/support.js'

const SIZES_US = { second: 1e6, minute: 60e6, hour: 3600e6, day: 86_400e6 } as const
const DAY_US = SIZES_US.day

const truncate = (batch: Batch, selection: Selection, unit: keyof typeof SIZES_US) =>
  bucketSpans(batch, selection, bucketOf(unit, SIZES_US[unit]))
const bucketOf = (unit: TimeUnit, lengthUs: number) => ({
  endOf: (us: number) => us + lengthUs,
  startOf: (us: number) => Number(truncateUs(us, unit)),
  valueOf: (us: number) => new Timestamp(us),
})

const records = (timesUs: readonly number[]) => timesUs.map((timestampUs) => edge({ timestampUs }))

/** The bucket of each position, according to the spans. */
function bucketsOf({ bucketsUs, ends }: Spans): number[] {
  expect(ends.length).toBe(bucketsUs.length)
  return bucketsUs.flatMap((bucketUs, i) => Array<number>(ends[i]! - (ends[i - 1] ?? 0)).fill(bucketUs))
}

const unit = fc.constantFrom('second', 'minute', 'hour', 'day')
/** Times of one day, crowded at the edges of buckets. */
const timeUs = fc
  .tuple(fc.constantFrom(1e6, 60e6, 3600e6), fc.nat(22), fc.integer({ min: 0, max: 2 }))
  .map(([sizeUs, n, off]) => 20_000 * DAY_US + n * sizeUs + off - 1)
  .filter((us) => us >= 20_000 * DAY_US)

describe('truncating', () => {
  it('puts each position into its bucket, in time order or not, of a range or of indices', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(timeUs, { minLength: 1, maxLength: 40 }),
        unit,
        fc.nat(3),
        async (timesUs, by, skip) => {
          for (const batch of [openBatch(records(timesUs)), await sealedBatch(records(timesUs))]) {
            const whole: Selection = { ...range(0, batch.rows, false), timeOrdered: batch.times.baseUs !== 0 }
            const rows = rowsOf(whole).filter((row) => row % (skip + 2) !== 1)
            const some: Selection = { kind: 'indices', indices: Uint32Array.from(rows), timeOrdered: false }
            const part = range(Math.min(skip, batch.rows - 1), batch.rows, whole.timeOrdered)
            for (const selection of [whole, some, part]) {
              const times = rowsOf(selection).map(
                (row) => batch.times.baseUs + batch.times.offsets[row]! * batch.times.unitUs,
              )
              const expected = times.map((us) => us - (us % SIZES_US[by]))
              expect(bucketsOf(truncate(batch, selection, by))).toEqual(expected)
            }
          }
        },
      ),
    )
  })

  it('gives one span a bucket where rows ascend in time', async () => {
    const batch = await sealedBatch(records([3e6, 1e6, 2_999_999, 1_000_001, 2e6]))
    expect(truncate(batch, batch.projectRows('a'), 'second')).toEqual({ bucketsUs: [1e6, 2e6, 3e6], ends: [2, 4, 5] })
  })

  it('gives one span a change of bucket where they do not', () => {
    const batch = openBatch(records([1e6, 1_999_999, 3e6, 1e6, 0]))
    expect(truncate(batch, range(0, 5, false), 'second')).toEqual({ bucketsUs: [1e6, 3e6, 1e6, 0], ends: [2, 3, 4, 5] })
  })

  it('cuts times before 1970 down, not towards it', () => {
    const batch = openBatch(records([-1, 0, -1e6, -1_000_001]))
    expect(bucketsOf(truncate(batch, range(0, 4, false), 'second'))).toEqual([-1e6, 0, -1e6, -2e6])
    expect(bucketsOf(truncate(batch, range(0, 4, false), 'day'))).toEqual([-DAY_US, 0, -DAY_US, -DAY_US])
  })

  it('gives weeks their first day', async () => {
    const monday = 4 * DAY_US
    const days = [0, 2, 3, 4, 9, 10, 11].map((day) => day * DAY_US + 5)
    const batch = openBatch(records(days))
    const spans = (unit: 'week' | 'isoweek') =>
      bucketsOf(bucketSpans(batch, range(0, 7, true), bucketOf(unit, 7 * DAY_US))).map((us) => us / DAY_US)
    expect(spans('isoweek')).toEqual([-3, -3, -3, 4, 4, 4, 11])
    expect(spans('week')).toEqual([-4, -4, 3, 3, 3, 10, 10])
    expect(new Date(monday / 1000).getUTCDay()).toBe(1)
  })

  it('gives no span without rows', () => {
    expect(truncate(openBatch(records([1])), none, 'day')).toEqual({ bucketsUs: [], ends: [] })
  })

  it('looks at no row where the batch lies in one bucket', () => {
    const batch = openBatch(records([1e6, 2e6, 5e6]))
    const blind = { ...batch, times: { ...batch.times, offsets: new Float64Array(3).fill(Number.NaN) } }
    expect(truncate(blind, range(1, 3, false), 'minute')).toEqual({ bucketsUs: [0], ends: [2] })
  })
})
