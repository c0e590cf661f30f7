import '../support/know-own-source.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.js'
import { appendAll, openEngine } from '../support/engine.js'
import { answerOf, expectCase, projectOf } from './answer.js'
import { ALL_RECORDS, SQL_CASES } from './cases/index.js'
import { ofOwn, ownSourceCases } from './own-cases.js'

const CASES = ownSourceCases(
  Object.values(SQL_CASES)
    .flat()
    .filter(({ ofManyProjects }) => !ofManyProjects),
)

describe('the cases of SQL over an own source', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = openEngine()
    await appendAll(engine, ofOwn(ALL_RECORDS))
  })
  afterAll(() => engine.close())

  it('are most of those over edge_logs', () => expect(CASES.length).toBeGreaterThan(100))

  it.each(CASES)('$name', async (one) => expectCase(one, await answerOf(engine, one, projectOf(one))))
})
