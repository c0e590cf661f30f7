import { expect, it } from 'vitest'
import { slownessNow } from '../../support/cpu-ms.js'
import { expectManyRows } from './many-rows.js'

/** Seconds on a quiet machine. */
const MOST_S = 20

it('evaluates 20,160 instants over 10,000,000 rows in time', { timeout: 1_200_000 }, async () => {
  const slowness = slownessNow()
  const tookMs = await expectManyRows(10_000_000)
  expect(tookMs / 1_000 / Math.max(slowness, slownessNow())).toBeLessThan(MOST_S)
})
