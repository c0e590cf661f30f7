import '../support/know-own-source.js'
import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'

// Loaded after the own source is configured: random plans scan the sources that the process knows.
const { expectPlans, expectPlansAfterRestart } = await import('./plans.js')
const { expectIsolatedPlans } = await import('./isolation.js')

const PLANS = runs(120)
const TIMEOUT_MS = 300_000 + PLANS * 1_000

describe('random plans over three of the nine sources and an own source', () => {
  it('have the rows, or the error, that the oracle says', () => expectPlans(PLANS), TIMEOUT_MS)

  it('have them after a restart', () => expectPlansAfterRestart(Math.ceil(PLANS / 4)), TIMEOUT_MS)

  it(
    'have the rows of one project, as if those of others were not stored',
    () => expectIsolatedPlans(PLANS),
    TIMEOUT_MS,
  )
})
