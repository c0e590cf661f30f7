import { expect, it } from 'vitest'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import { answerOf, expectCase, projectOf } from '../sql/answer.js'
import type { SqlCase } from '../sql/cases/case.js'
import { ALL_RECORDS, SQL_CASES } from '../sql/cases/index.js'
import { ofOwn, ownSourceCases } from '../sql/own-cases.js'
import { appendAll } from '../support/engine.js'
import { OWN_SOURCE } from '../support/own-source.js'
import { onEachTarget } from './on-targets.js'
import type { Target } from './targets.js'

const BATCH_ROWS = 400
/** Cases that run concurrently. */
const AT_ONCE = 4

/** Cases that read records: the others never reach a server. */
const CASES = Object.values(SQL_CASES)
  .flat()
  .filter(({ sql, ofManyProjects, error }) => /\bfrom\b/i.test(sql) && !ofManyProjects && !isOfUnknownSource(error))
const OWN_CASES = ownSourceCases(CASES)
/** The own source has the records of edge_logs too. */
const RECORDS = [...ALL_RECORDS, ...ofOwn(ALL_RECORDS).filter(({ source }) => source === OWN_SOURCE)]

/** Such an error names all sources, also the own source. */
function isOfUnknownSource(error: SqlCase['error']): boolean {
  return error?.message.startsWith('There is no source') ?? false
}

const isOld = (target: Target) => target.location.cluster !== undefined

/** Runs a case for its project. Returns whether the server was too old, else expects the answer of the case. */
async function isTooOld(engine: ClickHouseEngine, one: SqlCase): Promise<boolean> {
  const answer = await answerOf(engine, one, projectOf(one))
  if ('error' in answer && answer.error.code === 'unsupported_by_engine') return true
  expectCase(one, answer)
  return false
}

onEachTarget('the cases of SQL on %s', (target) => {
  it('have the rows, or the errors, that the embedded engine has', async () => {
    const engine = await target().open()
    try {
      await appendAll(engine, RECORDS, BATCH_ROWS)
      await engine.settled()
      let refused = 0
      const failures: string[] = []
      const left = [...CASES, ...OWN_CASES].values()
      const runAll = async () => {
        for (const one of left) {
          try {
            if (await isTooOld(engine, one)) refused++
          } catch (error) {
            failures.push(`${one.name}: ${one.sql}\n${(error as Error).message}`)
          }
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, runAll))
      expect(failures).toEqual([])
      expect(OWN_CASES.length).toBeGreaterThan(100)
      if (isOld(target())) expect(refused).toBeLessThan(0.6 * CASES.length + OWN_CASES.length)
      else expect(refused).toBe(0)
    } finally {
      await engine.close()
      await target().clear()
    }
  })
})
