import { it } from 'vitest'
import { expectPlansBounded, expectUnmoved } from '../support/many-groups.js'

const KEYS = 1_000_000

it(`M2: a query that meets ${KEYS} distinct values is answered in time, and its memory comes back`, async () => {
  await expectUnmoved(KEYS)
})

it(`M2: plans with ${KEYS} distinct keys are answered in time or refused, in bounded memory`, async () => {
  await expectPlansBounded(KEYS)
})
