import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'
import { FAST_WAYS, KEPT_WAYS } from './fast-ways.js'
import { expectSameRows, expectSameWhenKept } from './same-rows.js'

/** Engines of each property. */
const RUNS = runs(10)
const TIMEOUT_MS = 300_000 + RUNS * 10_000

describe('a plan has the same rows without the fast way', () => {
  FAST_WAYS.forEach((way, i) => void it(way.title, () => expectSameRows(way, RUNS, i), TIMEOUT_MS))
  KEPT_WAYS.forEach((way, i) => void it(way.title, () => expectSameWhenKept(way, RUNS, i), TIMEOUT_MS))
})
