import { expect, it } from 'vitest'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import { answerOf, expectCase, projectOf } from '../sql/answer.js'
import type { SqlCase } from '../sql/cases/case.js'
import { FIELD_BATCHES, LITERAL_CASES } from '../sql/reference/cases.js'
import { appendAll } from '../support/engine.js'
import { onEachTarget } from './on-targets.js'

const BATCH_ROWS = 400
/** Cases that run concurrently. */
const AT_ONCE = 4

/** Cases that read records and have an answer: the others never reach a server, or are errors of the text. */
const CASES = [...FIELD_BATCHES, ...LITERAL_CASES].filter(
  ({ records, error }) => records.length > 0 && error === undefined,
)
const RECORDS = [...new Set(CASES.flatMap(({ records }) => records))]

/** Runs a case for its project. Expects the answer unless the server is too old for fields without columns. */
async function expectAnswer(engine: ClickHouseEngine, one: SqlCase): Promise<void> {
  const answer = await answerOf(engine, one, projectOf(one))
  if ('error' in answer && answer.error.code === 'unsupported_by_engine') return
  expectCase(one, answer)
}

onEachTarget('the reference of SQL on %s', (target) => {
  it('has the answers that the embedded engine has', async () => {
    const engine = await target().open()
    try {
      await appendAll(engine, RECORDS, BATCH_ROWS)
      await engine.settled()
      const failures: string[] = []
      const left = CASES.values()
      const runAll = async () => {
        for (const one of left) {
          try {
            await expectAnswer(engine, one)
          } catch (error) {
            failures.push(`${one.name}: ${one.sql}\n${(error as Error).message}`)
          }
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, runAll))
      expect(failures).toEqual([])
    } finally {
      await engine.close()
      await target().clear()
    }
  })
})
