import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countingSort, identity, sortByTime } from '../../../../src/engine/store/sealing/sort.js'

/** Array.prototype.sort is stable. */
const stableOrder = (keys: readonly number[], order = [...keys.keys()]) => order.sort((a, b) => keys[a]! - keys[b]!)

const byTime = (times: readonly number[]) => {
  const room = Float64Array.of(...times, -1, -1)
  return [...sortByTime(room, times.length, Math.min(...times), Math.max(...times))]
}

describe('sorting by time', () => {
  const BASE_US = Date.UTC(2026, 10, 20) * 1000
  const span = fc.constantFrom(1, 5, 65_535, 65_536, 65_537, 2 ** 32, 86_400e6, 2 ** 47)

  it('is what a stable sort does', () => {
    const times = span.chain((most) => fc.array(fc.maxSafeInteger().map((n) => BASE_US + (Math.abs(n) % (most + 1)))))
    fc.assert(
      fc.property(times, (given) => {
        if (given.length > 0) expect(byTime(given)).toEqual(stableOrder(given))
      }),
    )
  })

  it.each([
    ['ascending ones', [1, 1, 2, 9]],
    ['equal ones', [4, 4, 4]],
    ['descending ones', [9, 5, 5, 1]],
    ['ones before 1970', [-5, 3, -7, -5, 0]],
    ['ones that differ in the lowest digit alone', [65_536, 65_537, 65_535, 65_536]],
    ['ones that differ in the highest digit alone', [2 ** 47, 0, 2 ** 46, 2 ** 47, 0]],
    ['a single one', [7]],
  ])('orders %s', (_, times) => {
    expect(byTime(times)).toEqual(stableOrder(times))
  })
})

describe('the counting sort', () => {
  it('reorders an order, and keeps the places of equal keys', () => {
    const keys = fc.array(fc.nat(7), { maxLength: 60 })
    const shuffled = keys.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray([...given.keys()], { minLength: given.length })),
    )
    fc.assert(
      fc.property(shuffled, ([given, order]) => {
        const before = Uint32Array.from(order)
        expect([...countingSort(before, Uint32Array.from(given), 8)]).toEqual(stableOrder(given, order.slice()))
        expect([...before]).toEqual(order)
      }),
    )
  })

  it('orders a part of the rows', () => {
    expect([...countingSort(Uint32Array.of(4, 0, 2), Uint32Array.of(1, 9, 0, 9, 1), 2)]).toEqual([2, 4, 0])
  })
})

it('the identity is every row where it stands', () => {
  expect([...identity(4)]).toEqual([0, 1, 2, 3])
  expect([...identity(0)]).toEqual([])
})
