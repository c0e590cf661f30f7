import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeAt } from '../../../../src/engine/execute/columns/batch.js'
import { narrowCodes, narrowTimes } from '../../../../src/engine/execute/columns/narrow.js'

const NOW_US = Date.UTC(2026, 10, 20) * 1000 + 123_457
const SPAN = 2 ** 32

describe('codes', () => {
  it.each([
    [1, 1],
    [255, 1],
    [256, 1],
    [257, 2],
    [65_536, 2],
    [65_537, 4],
  ])('of %d entries take %d bytes each and hold every code', (count, bytes) => {
    const codes = narrowCodes(Uint32Array.of(0, 1, count - 1), count)
    expect(codes.BYTES_PER_ELEMENT).toBe(bytes)
    expect([...codes]).toEqual([0, 1, count - 1])
  })
})

const narrowed = (timesUs: readonly number[]) =>
  narrowTimes(Float64Array.from(timesUs), Math.min(...timesUs), Math.max(...timesUs))

describe('timestamps', () => {
  it.each([
    ['a single one', [NOW_US], 4, 1],
    ['a span just below 2^32 µs', [NOW_US, NOW_US + SPAN - 1], 4, 1],
    ['a span of 2^32 µs with an odd microsecond', [NOW_US, NOW_US + 1, NOW_US + SPAN], 8, 1],
    ['a span of 2^32 µs in milliseconds', [NOW_US, NOW_US + SPAN - (SPAN % 1000) + 1000], 4, 1000],
    ['a span just below 2^32 ms', [NOW_US + 5000, NOW_US, NOW_US + (SPAN - 1) * 1000], 4, 1000],
    ['a span of 2^32 ms', [NOW_US, NOW_US + SPAN * 1000], 8, 1],
    ['a time before 1970', [-5, 7, -NOW_US], 8, 1],
  ])('of %s come back', (_, timesUs, bytes, unitUs) => {
    const times = narrowed(timesUs)
    expect([times.offsets.BYTES_PER_ELEMENT, times.unitUs]).toEqual([bytes, unitUs])
    expect(timesUs.map((_, row) => timeAt(times, row))).toEqual(timesUs)
  })

  it('come back whatever they are', () => {
    const step = fc.constantFrom(1, 1000, 10 ** 6)
    const timesUs = step.chain((unit) =>
      fc.array(
        fc.maxSafeInteger().map((n) => Math.trunc(n / 2 / unit) * unit),
        { minLength: 1 },
      ),
    )
    fc.assert(
      fc.property(timesUs, (values) => {
        const times = narrowed(values)
        expect(values.map((_, row) => timeAt(times, row) + 0)).toEqual(values.map((value) => value + 0))
      }),
    )
  })
})
