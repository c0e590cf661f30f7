import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { textValue } from '../../src/engine/clickhouse/values.js'
import { expectRows } from '../oracle/compare.js'
import { executionTimes } from '../oracle/invocation-stats.js'
import { oracle } from '../oracle/oracle.js'
import { arbitraryNowUs, arbitraryQuestion, arbitraryRecords } from '../support/arbitrary.js'
import { appendAll, ask } from '../support/engine.js'
import { describeWhere } from './needs.js'
import { TARGETS, type Target } from './targets.js'

/** Runs of each property; LOGWEIR_TEST_RUNS asks for more. */
const RUNS = Number(process.env.LOGWEIR_TEST_RUNS ?? 40)
const TEXTS = 10_000
const TEXTS_AT_ONCE = 500

const arbitraryRun = arbitraryNowUs.chain((nowUs) =>
  fc.record({
    nowUs: fc.constant(nowUs),
    records: arbitraryRecords(nowUs, 80),
    batchRows: fc.integer({ min: 1, max: 40 }),
    questions: fc.array(arbitraryQuestion(nowUs), { minLength: 8, maxLength: 8 }),
  }),
)

for (const { name, found, needed, why, start } of TARGETS) {
  describeWhere(found, needed, why, `random records and questions on ${name}`, () => {
    let target: Target
    beforeAll(async () => {
      target = await start()
    })
    afterAll(() => target?.stop())

    it(
      'are answered as by the oracle',
      () =>
        fc.assert(
          fc.asyncProperty(arbitraryRun, async ({ nowUs, records, batchRows, questions }) => {
            const engine = await target.open()
            try {
              await appendAll(engine, records, batchRows)
              await engine.settled()
              for (const { endpoint, params } of questions) {
                const times =
                  endpoint === 'functions.invocation-stats' ? executionTimes(records, params, nowUs) : undefined
                expectRows(await ask(engine, endpoint, params, nowUs), oracle(endpoint, records, params, nowUs), times)
              }
            } finally {
              await engine.close()
              await target.clear(new Set(records.map(({ source }) => source)))
            }
          }),
          { numRuns: RUNS },
        ),
      60_000 + RUNS * 5_000,
    )

    it('random texts come back as they went in', async () => {
      const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 30 }), TEXTS)
      for (let from = 0; from < TEXTS; from += TEXTS_AT_ONCE) {
        const some = texts.slice(from, from + TEXTS_AT_ONCE)
        const [row] = await target.servers[0]!.select(`SELECT ${some.map(textValue).join(', ')}`)
        expect(row).toEqual(some)
      }
    })
  })
}
