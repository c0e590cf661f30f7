import fc from 'fast-check'
import { expect, it } from 'vitest'
import { textValue } from '../../src/engine/clickhouse/server/values.js'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind, oracle } from '../oracle/oracle.js'
import { arbitraryNowUs, arbitraryQuestionOfAny, arbitraryRecords } from '../support/arbitrary.js'
import { ask } from '../support/engine.js'
import { runs } from '../support/runs.js'
import { onEachTarget, withRecords } from './on-targets.js'

const RUNS = runs(50)
const TEXTS = 10_000
const TEXTS_AT_ONCE = 500

const arbitraryRun = arbitraryNowUs.chain((nowUs) =>
  fc.record({
    nowUs: fc.constant(nowUs),
    records: arbitraryRecords(nowUs, 80),
    batchRows: fc.integer({ min: 1, max: 40 }),
    questions: fc.array(arbitraryQuestionOfAny(nowUs), { minLength: 8, maxLength: 8 }),
  }),
)

onEachTarget('random records and questions on %s', (target) => {
  it(
    'are answered as by the oracle',
    () =>
      fc.assert(
        fc.asyncProperty(arbitraryRun, async ({ nowUs, records, batchRows, questions }) => {
          await withRecords(target(), records, batchRows, async (engine) => {
            for (const { endpoint, params } of questions) {
              const times = numbersBehind(endpoint, records, params, nowUs)
              expectRows(await ask(engine, endpoint, params, nowUs), oracle(endpoint, records, params, nowUs), times)
            }
          })
        }),
        { numRuns: RUNS },
      ),
    5 * 300_000 + RUNS * 5_000,
  )

  it('random texts come back as they went in', async () => {
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 30 }), TEXTS)
    for (let from = 0; from < TEXTS; from += TEXTS_AT_ONCE) {
      const some = texts.slice(from, from + TEXTS_AT_ONCE)
      const [row] = await target().servers[0]!.select(`SELECT ${some.map(textValue).join(', ')}`)
      expect(row).toEqual(some)
    }
  })
})
