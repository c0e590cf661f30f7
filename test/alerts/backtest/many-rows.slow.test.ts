import { expect, it } from 'vitest'
import { withSlowness } from '../../support/cpu-ms.js'
import { expectManyRows } from './many-rows.js'

/** Seconds on a quiet machine. */
const MOST_S = 20

it('evaluates 20,160 instants over 10,000,000 rows in time', { timeout: 1_200_000 }, async () => {
  const { result: tookMs, slowness } = await withSlowness(() => expectManyRows(10_000_000))
  expect(tookMs / 1_000 / slowness).toBeLessThan(MOST_S)
})
