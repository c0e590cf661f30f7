import { expect, it } from 'vitest'
import { testSeed } from '../../support/seed.js'
import { sizeOfStack } from '../support/stack-size.js'

it('1,000,000 events of a stack take at most 110 MB on disk and 300 MB of memory', async () => {
  const { storedBytes, peakBytes } = await sizeOfStack(1_000_000, testSeed())
  expect(storedBytes).toBeLessThanOrEqual(110)
  expect(peakBytes).toBeLessThanOrEqual(300e6)
})
