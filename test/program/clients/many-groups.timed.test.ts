import { it } from 'vitest'
import { expectPlansUnmoved, expectUnmoved } from '../support/many-groups.js'

const KEYS = 100_000

it(`M2: a query that meets ${KEYS} distinct values is answered in time, and its memory comes back`, async () => {
  await expectUnmoved(KEYS)
})

it(`M2: plans with ${KEYS} distinct combinations of keys are answered or refused, and their memory comes back`, async () => {
  await expectPlansUnmoved(KEYS)
}, 180_000)
