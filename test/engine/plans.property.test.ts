import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'
import { expectPlans, expectPlansAfterRestart, expectPlansWhileEvicting, expectPlansWhileRowsArrive } from './plans.js'

/** Plans of the first property, and of the others. */
const PLANS = runs(500)
const FEWER_PLANS = Math.ceil(PLANS / 4)
const TIMEOUT_MS = 300_000 + PLANS * 1_000

describe('random plans on the embedded engine have the rows, or the error, that the oracle says', () => {
  it('however rows are split and sealed', () => expectPlans(PLANS), TIMEOUT_MS)

  it('after a restart, with room for all columns or for none', () => expectPlansAfterRestart(FEWER_PLANS), TIMEOUT_MS)

  it('two at a time, while columns are evicted', () => expectPlansWhileEvicting(FEWER_PLANS), TIMEOUT_MS)

  it('two at a time, while rows are appended and sealed', () => expectPlansWhileRowsArrive(FEWER_PLANS), TIMEOUT_MS)
})
