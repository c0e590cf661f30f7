import { describe, it } from 'vitest'
import { FAST_WAYS, KEPT_WAYS } from './fast-ways.js'
import { expectSameRows, expectSameWhenKept } from './same-rows.js'

/** Engines of each property; LOGWEIR_TEST_RUNS sets another number. */
const RUNS = Number(process.env.LOGWEIR_TEST_RUNS ?? 4)
const TIMEOUT_MS = 60_000 + RUNS * 10_000

describe('a plan has the same rows without the fast way', () => {
  it.each(FAST_WAYS)('$title', (way) => expectSameRows(way, RUNS), TIMEOUT_MS)
  it.each(KEPT_WAYS)('$title', (way) => expectSameWhenKept(way, RUNS), TIMEOUT_MS)
})
