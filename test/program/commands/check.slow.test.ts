import { expect, it } from 'vitest'
import { checkWhileBusy } from '../support/checks.js'

it('a check finds nothing next to a service that also compacts', async () => {
  // Compaction begins ten seconds after a burst.
  const { checks, evicted } = await checkWhileBusy({ forMs: 120_000, pauseMs: 15_000 })
  expect(checks).toBeGreaterThan(20)
  expect(evicted).toBeGreaterThan(0)
})
