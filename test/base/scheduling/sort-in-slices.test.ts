import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { sortInSlices } from '../../../src/base/scheduling/sort-in-slices.js'

afterEach(() => void vi.restoreAllMocks())

const byKey = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0]

it('sorts as Array.sort does, equal items in their order, whatever their number', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 3_000 }), async (length, kinds) => {
      const items = Array.from({ length }, (_, i) => [(i * 7919) % kinds, i] as const)
      expect(await sortInSlices([...items], byKey, () => undefined)).toEqual(items.toSorted(byKey))
    }),
    { numRuns: 50 },
  ))

it('yields between runs and while it merges them', async () => {
  let looks = 0
  const look = () => {
    looks++
    return looks % 3 === 0 ? Promise.resolve() : undefined
  }
  const items = Array.from({ length: 10_000 }, (_, i) => 10_000 - i)
  expect(await sortInSlices([...items], (a, b) => a - b, look)).toEqual(items.toReversed())
  expect(looks).toBeGreaterThan(100)
})

it('looks at the clock often if a comparison takes long', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  let lookedMs = 0
  let longestMs = 0
  const look = () => {
    longestMs = Math.max(longestMs, nowMs - lookedMs)
    lookedMs = nowMs
    return undefined
  }
  const slow = (a: number, b: number) => {
    nowMs++
    return a - b
  }
  const items = Array.from({ length: 3_000 }, (_, i) => (i * 7919) % 3_001)
  expect(await sortInSlices(items, slow, look)).toEqual(items.toSorted((a, b) => a - b))
  expect(longestMs).toBeLessThan(50)
})
