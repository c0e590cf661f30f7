import { expect, it } from 'vitest'
import { checkWhileBusy } from '../support/checks.js'

it('a check finds nothing next to a service that also compacts', async () => {
  // Compaction begins ten seconds after a burst.
  expect(await checkWhileBusy({ forMs: 120_000, checks: 20, pauseMs: 15_000 })).toBeGreaterThan(0)
})
