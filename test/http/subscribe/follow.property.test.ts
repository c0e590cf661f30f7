import { expect, it } from 'vitest'
import { runs } from '../../support/runs.js'
import { expectFollowed } from './follow-random.js'

const PLANS = runs(200)
const STEPS = 50

it(
  'a client that applies snapshots and changes has the rows of an uncached request at each watermark',
  async () => {
    const { watermarks, changes, resumed } = await expectFollowed(PLANS, STEPS)
    expect(watermarks).toBeGreaterThan(PLANS * STEPS * 0.5)
    expect(changes).toBeGreaterThan(PLANS)
    expect(resumed).toBeGreaterThan(PLANS / 20)
  },
  120_000 + PLANS * 10_000,
)
