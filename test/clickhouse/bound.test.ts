import fc from 'fast-check'
import { it } from 'vitest'
import { expectRows } from '../oracle/compare.js'
import { boundOracle, numbersBehind } from '../oracle/oracle.js'
import { arbitraryNowUs, arbitraryQuestionOfAny, arbitraryRecords } from '../support/arbitrary.js'
import { askBound } from '../support/engine.js'
import { runs } from '../support/runs.js'
import { onEachTarget, withRecords } from './on-targets.js'

const RUNS = runs(50)

const arbitraryRun = arbitraryNowUs.chain((nowUs) =>
  fc.record({
    nowUs: fc.constant(nowUs),
    records: arbitraryRecords(nowUs, 80),
    questions: fc.array(fc.tuple(arbitraryQuestionOfAny(nowUs), fc.constantFrom('a', 'b', '__proto__', '.*', 'a|b')), {
      minLength: 8,
      maxLength: 8,
    }),
  }),
)

onEachTarget('questions of bound tokens on %s', (target) => {
  it(
    'are answered of the rows of their project alone',
    () =>
      fc.assert(
        fc.asyncProperty(arbitraryRun, async ({ nowUs, records, questions }) => {
          await withRecords(target(), records, records.length, async (engine) => {
            for (const [{ endpoint, params: asked }, project] of questions) {
              const params = { ...asked, project }
              const times = numbersBehind(endpoint, records, params, nowUs)
              const wanted = boundOracle(endpoint, records, params, nowUs)
              expectRows(await askBound(engine, endpoint, params, nowUs), wanted, times)
            }
          })
        }),
        { numRuns: RUNS },
      ),
    300_000 + RUNS * 5_000,
  )
})
