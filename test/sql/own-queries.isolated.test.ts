import '../support/know-own-source.js'
import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'

// Loaded after the own source is configured: random records and queries have the sources that the process knows.
const { expectQueries } = await import('./queries.js')
const { expectIsolation } = await import('./isolation.js')
const { expectAnswersOrFaults } = await import('./fuzz.js')

const QUERIES = runs(500)
const TEXTS = runs(2_500)
const TIMEOUT_MS = 300_000 + TEXTS * 200

describe('random queries in SQL over three of the nine sources and an own source', () => {
  it('have the rows, or the error, that the oracle says', () => expectQueries(QUERIES), TIMEOUT_MS)

  it('have the same answer with and without rows of other projects', () => expectIsolation(QUERIES), TIMEOUT_MS)

  it('are answered or refused with an error of the query if mutated', () => expectAnswersOrFaults(TEXTS), TIMEOUT_MS)
})
