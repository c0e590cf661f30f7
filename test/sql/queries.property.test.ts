import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'
import { expectQueries } from './queries.js'

const QUERIES = runs(1_000)

describe('random queries in SQL', () => {
  it('have the rows, or the error, that the oracle says', () => expectQueries(QUERIES), 300_000 + QUERIES * 200)
})
