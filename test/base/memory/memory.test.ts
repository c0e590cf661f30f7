import { totalmem } from 'node:os'
import { expect, it } from 'vitest'
import { limitWarning, MIN_LIMIT_BYTES, memoryBytes, smallerLimit } from '../../../src/base/memory/memory.js'
import { GIB, MIB } from '../../../src/base/units.js'

it.each([
  [100, undefined, 100],
  [100, 0, 100],
  [100, 2 ** 64, 100],
  [100, 40, 40],
])('of %d bytes and a limit of %j the process may have %d', (total, constrained, expected) => {
  expect(smallerLimit(total, constrained)).toBe(expected)
})

it('is never more than the machine has', () => {
  expect(memoryBytes()).toBeGreaterThan(0)
  expect(memoryBytes()).toBeLessThanOrEqual(totalmem())
})

it('a limit that the process cannot keep is warned of, with the least that it can', () => {
  expect(limitWarning(64 * MIB)).toBe(
    'The memory limit of 64 MiB is too low: it limits the rows to 32 MiB, ' +
      'but under load the process takes some 200 MiB more. Set --memory-limit to 256M or more.',
  )
  expect(limitWarning(1.5 * MIB)).toContain('limit of 1.5 MiB is too low: it limits the rows to 0.75 MiB')
  expect(limitWarning(MIN_LIMIT_BYTES - 1)).toContain('is too low')
  for (const limitBytes of [MIN_LIMIT_BYTES, 512 * MIB, GIB]) expect(limitWarning(limitBytes)).toBeUndefined()
})
