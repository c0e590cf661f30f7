import { afterEach, expect, it, vi } from 'vitest'
import { MIB } from '../../../../src/base/units.js'
import { makeRow, workOf } from '../../../../src/engine/execute/expressions/row-work.js'
import { computed, constant, type Vector } from '../../../../src/engine/execute/expressions/vector.js'

afterEach(() => void vi.restoreAllMocks())

it('the values of a slow row are made with a look at the clock behind each, if none takes a whole slice', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const vectors = Array.from({ length: 50 }, (): Vector => {
    const at = () => {
      nowMs += 9
      return null
    }
    return computed(at)
  })
  const looks: number[] = []
  await makeRow(vectors, 0, () => {
    looks.push(nowMs)
    return undefined
  })
  expect(looks).toEqual(vectors.map((_, i) => 9 * (i + 1)))
})

it('rows take longer with longer values in memory, and with more expressions', () => {
  const column = (): Vector =>
    computed(
      () => null,
      () => 0,
    )
  const long = { longestAt: (position: number) => (position === 7 ? MIB : 0) }
  const one = workOf([column()], long)
  const many = workOf(Array.from({ length: 5 }, column), long)
  expect([one.isSlow(7, 0), many.isSlow(7, 0), many.isSlow(6, 0), many.isSlow(6, MIB)]).toEqual([
    false,
    true,
    false,
    true,
  ])
  expect([one.endOf(0, 100, 0), one.endOf(0, 100, MIB), many.endOf(0, 100, 0), many.endOf(7, 100, 0)]).toEqual([
    100, 3, 7, 8,
  ])
  expect(workOf([constant(1)], { longestAt: undefined }).endOf(0, 100, MIB)).toBe(3)
})
