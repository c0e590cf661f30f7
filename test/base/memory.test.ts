import { totalmem } from 'node:os'
import { expect, it } from 'vitest'
import { leastOf, memoryBytes } from '../../src/base/memory.js'

it.each([
  [100, undefined, 100],
  [100, 0, 100],
  [100, 2 ** 64, 100],
  [100, 40, 40],
])('of %d bytes and a limit of %j the process may have %d', (total, constrained, expected) => {
  expect(leastOf(total, constrained)).toBe(expected)
})

it('is never more than the machine has', () => {
  expect(memoryBytes()).toBeGreaterThan(0)
  expect(memoryBytes()).toBeLessThanOrEqual(totalmem())
})
