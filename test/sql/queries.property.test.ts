import { describe, it } from 'vitest'
import { expectQueries } from './queries.js'

/** LOGWEIR_TEST_RUNS sets another number. */
const QUERIES = Number(process.env.LOGWEIR_TEST_RUNS ?? 1_000)

describe('random queries in SQL', () => {
  it('have the rows, or the error, that the oracle says', () => expectQueries(QUERIES), 60_000 + QUERIES * 200)
})
