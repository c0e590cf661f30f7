import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'
import { expectAnswersOrFaults } from './fuzz.js'

const TEXTS = runs(10_000)

describe('mutated texts of SQL', () => {
  it('are answered, or refused with an error of the query', () => expectAnswersOrFaults(TEXTS), 300_000 + TEXTS * 20)
})
