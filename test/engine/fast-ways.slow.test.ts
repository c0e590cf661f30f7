import { describe, it } from 'vitest'
import { FAST_WAYS, KEPT_WAYS } from './fast-ways.js'
import { expectSameRows, expectSameWhenKept } from './same-rows.js'

const RUNS = 60
const TIMEOUT_MS = 600_000

describe('a plan has the same rows without the fast way', () => {
  it.each(FAST_WAYS)(`$title, on ${RUNS} engines`, (way) => expectSameRows(way, RUNS), TIMEOUT_MS)
  it.each(KEPT_WAYS)(`$title, on ${RUNS} engines`, (way) => expectSameWhenKept(way, RUNS), TIMEOUT_MS)
})
