import { describe, it } from 'vitest'
import { expectPlans, expectPlansAfterRestart, expectPlansWhileEvicting, expectPlansWhileRowsArrive } from './plans.js'

const PLANS = 2_000
const TIMEOUT_MS = 600_000

describe(`${PLANS} random plans on the embedded engine have the rows, or the error, that the oracle says`, () => {
  it('however rows are split and sealed', () => expectPlans(PLANS), TIMEOUT_MS)

  it('after a restart, with room for all columns or for none', () => expectPlansAfterRestart(PLANS), TIMEOUT_MS)

  it('two at a time, while columns are evicted', () => expectPlansWhileEvicting(PLANS), TIMEOUT_MS)

  it('two at a time, while rows are appended and sealed', () => expectPlansWhileRowsArrive(PLANS), TIMEOUT_MS)
})
