import { describe, it } from 'vitest'
import { runs } from '../support/runs.js'
import { expectIsolation } from './isolation.js'

const TEXTS = runs(1_000)

describe('the answer to a text of SQL for one project', () => {
  it('is the same with and without rows of other projects', () => expectIsolation(TEXTS), 300_000 + TEXTS * 200)
})
