import { expect, it } from 'vitest'
import { LEAK_T } from '../../support/welch.js'
import { leastTokenT } from '../support/token-timing.js'

it('S2: the time of a refusal tells nothing of how many characters of the token are right', async () => {
  expect(await leastTokenT(2_000)).toBeLessThan(LEAK_T)
})
