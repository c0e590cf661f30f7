import { expect, it } from 'vitest'
import { costlyRuns } from '../../support/runs.js'
import { expectFollowed } from './follow-random.js'

/** Half of the plans change nothing, so that some are needed for a change. */
const PLANS = Math.max(12, costlyRuns(200))
const STEPS = 50

it(
  'a client that applies snapshots and changes has the rows of an uncached request at each watermark',
  async () => {
    const { watermarks, changes, resumed } = await expectFollowed(PLANS, STEPS)
    expect(watermarks).toBeGreaterThan(PLANS * STEPS * 0.5)
    expect(changes).toBeGreaterThan(PLANS / 4)
    expect(resumed).toBeGreaterThan(PLANS / 20)
  },
  120_000 + PLANS * 10_000,
)
