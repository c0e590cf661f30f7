import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../support/runs.js'
import { arbitraryRun, askExample, EXAMPLES, FIRST_EXAMPLES } from '../user-endpoints/examples.js'
import { onEachTarget, withRecords } from './on-targets.js'

const RUNS = runs(30)

onEachTarget('the examples of own endpoints on %s', (target) => {
  it(
    'answer random records as obvious code does',
    () =>
      fc.assert(
        fc.asyncProperty(arbitraryRun, async ({ nowUs, records, batchRows, questions }) => {
          await withRecords(target(), records, batchRows, async (engine) => {
            for (const params of questions) {
              for (const example of [...EXAMPLES, ...FIRST_EXAMPLES]) {
                const expected = example.oracle(records, params, nowUs)
                expect(await askExample(engine, example, params, nowUs)).toEqual(expected)
              }
            }
          })
        }),
        { numRuns: RUNS },
      ),
    300_000 + RUNS * 5_000,
  )
})
