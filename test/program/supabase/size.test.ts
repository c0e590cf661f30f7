import { expect, it } from 'vitest'
import { testSeed } from '../../support/seed.js'
import { sizeOfStack } from '../support/stack-size.js'

it('events in open heads take no more on disk than as JSON', async () => {
  const { sentBytes, storedBytes } = await sizeOfStack(20_000, testSeed())
  expect(storedBytes).toBeGreaterThan(0)
  expect(storedBytes).toBeLessThanOrEqual(1.1 * sentBytes)
})
