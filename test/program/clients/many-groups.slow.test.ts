import { it } from 'vitest'
import { expectPlansBounded, expectUnmoved } from '../support/many-groups.js'

const KEYS = 1_000_000

it(`M2: a query that meets ${KEYS} distinct values is answered in time, and its memory comes back`, async () => {
  await expectUnmoved(KEYS)
})

for (const over of ['columns', 'fields'] as const) {
  const title = `M2: plans over ${over} with ${KEYS} distinct keys are answered in time or refused, in bounded memory`
  it(title, () => expectPlansBounded(KEYS, over))
}
