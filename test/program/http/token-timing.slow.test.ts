import { expect, it } from 'vitest'
import { LEAK_T } from '../../support/welch.js'
import { leastTokenT } from '../support/token-timing.js'

it('S2: the time of a refusal tells nothing of the token in 20,000 requests for each prefix', async () => {
  expect(await leastTokenT(20_000)).toBeLessThan(LEAK_T)
})
