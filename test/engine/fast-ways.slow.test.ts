import { describe, it } from 'vitest'
import { FAST_WAYS, KEPT_WAYS } from './fast-ways.js'
import { expectSameRows, expectSameWhenKept } from './same-rows.js'

const RUNS = 80
const TIMEOUT_MS = 600_000

describe(`on ${RUNS} engines, a plan has the same rows without the fast way`, () => {
  for (const way of FAST_WAYS) it(way.title, () => expectSameRows(way, RUNS), TIMEOUT_MS)
  for (const way of KEPT_WAYS) it(way.title, () => expectSameWhenKept(way, RUNS), TIMEOUT_MS)
})
