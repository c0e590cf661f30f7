import { expect, it } from 'vitest'
import { testSeed } from '../../support/seed.js'
import { sizeOfStack } from '../support/stack-size.js'

it('an idle service takes little memory, and events in open heads no more disk than as JSON', async () => {
  const { sentBytes, storedBytes, idleBytes } = await sizeOfStack(20_000, testSeed())
  expect(idleBytes).toBeLessThanOrEqual(100e6)
  expect(storedBytes).toBeGreaterThan(0)
  expect(storedBytes).toBeLessThanOrEqual(1.1 * sentBytes)
})
