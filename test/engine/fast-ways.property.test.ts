import { describe, it } from 'vitest'
import { FAST_WAYS, KEPT_WAYS } from './fast-ways.js'
import { expectSameRows, expectSameWhenKept } from './same-rows.js'

/** Engines of each property: one for 50 random plans, whose number LOGWEIR_TEST_RUNS sets. */
const RUNS = Math.ceil(Number(process.env.LOGWEIR_TEST_RUNS ?? 200) / 50)
const TIMEOUT_MS = 60_000 + RUNS * 10_000

describe('a plan has the same rows without the fast way', () => {
  for (const way of FAST_WAYS) it(way.title, () => expectSameRows(way, RUNS), TIMEOUT_MS)
  for (const way of KEPT_WAYS) it(way.title, () => expectSameWhenKept(way, RUNS), TIMEOUT_MS)
})
