import { it } from 'vitest'
import { expectUnmoved } from '../support/many-groups.js'

const KEYS = 100_000

it(`M2: a query that meets ${KEYS} distinct values is answered in time, and its memory comes back`, async () => {
  await expectUnmoved(KEYS)
})
