import { describe, it } from 'vitest'
import { GIB } from '../../src/base/units.js'
import type { ArrowEngine, ArrowEngineOptions } from '../../src/engine/arrow/engine.js'
import type { Row } from '../../src/plan/answer.js'
import type { Plan } from '../../src/plan/plan.js'
import { runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { createModelFiles } from '../support/model-files.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { type Answer, compareRows, randomPlan, randomRecords } from '../support/random-plans.js'
import type { TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'

/** Plans of each property; LOGWEIR_TEST_RUNS asks for more. */
const RUNS = Number(process.env.LOGWEIR_TEST_RUNS ?? 200)
const TIMEOUT_MS = 60_000 + RUNS * 1_000
const PLANS_AN_ENGINE = 8
/** The share of engines that have more rows than exact percentiles. */
const LARGE_SHARE = 0.2

const QUERY_ERRORS: ReadonlySet<unknown> = new Set(['invalid_sql', 'invalid_pattern', 'too_much_memory'])

/** The rows of a plan, or the code of the error that it raises. Any error that is not of the query is thrown. */
async function answerOf(engine: ArrowEngine, plan: Plan): Promise<Answer> {
  try {
    const rows: Row[] = []
    for await (const row of await engine.run(plan)) rows.push(row)
    return rows
  } catch (error) {
    const { code } = error as { code?: string }
    if (!QUERY_ERRORS.has(code)) throw error
    return { error: code! }
  }
}

const randomLimits = (random: Random): Partial<ArrowEngineOptions> => ({
  ...(random() < 0.6 && { sealRows: 1 + below(random, 60) }),
  ...(random() < 0.3 && { sealBytes: 500 + below(random, 20_000) }),
  ...(random() < 0.5 && { partialCacheBytes: oneOf(random, [0, 2_000]) }),
})

/** Appends records in random batches, and seals now and then. */
async function fill(engine: ArrowEngine, records: readonly TestRecord[], random: Random): Promise<void> {
  for (let start = 0; start < records.length; ) {
    const end = start + 1 + below(random, 80)
    await appendAll(engine, records.slice(start, end), 1 + below(random, 40))
    if (random() < 0.3) await engine.seal()
    start = end
  }
}

/** Runs a plan on an engine, twice: the second time of what the first has kept. */
async function check(engine: ArrowEngine, plan: Plan, records: readonly TestRecord[], shown: string): Promise<void> {
  const expected = runPlan(plan, records)
  for (const time of ['first', 'second']) {
    try {
      compareRows(await answerOf(engine, plan), expected, plan)
    } catch (error) {
      throw new Error(`${shown}, ${time} time: ${(error as Error).message}`, { cause: error })
    }
  }
}

describe('random plans on the embedded engine', () => {
  it(
    'have the rows, or the error, that the oracle says, however rows are split and sealed',
    async () => {
      const seed = testSeed()
      for (let run = 0; run < RUNS / PLANS_AN_ENGINE; run++) {
        const random = mulberry32(seed + run)
        const engine = openEngine(randomLimits(random))
        const records = randomRecords(random, below(random, random() < LARGE_SHARE ? 600 : 100))
        const half = below(random, records.length + 1)
        await fill(engine, records.slice(0, half), random)
        for (let i = 0; i < PLANS_AN_ENGINE; i++) {
          if (i === PLANS_AN_ENGINE / 2) await fill(engine, records.slice(half), random)
          const held = i < PLANS_AN_ENGINE / 2 ? records.slice(0, half) : records
          await check(engine, randomPlan(random), held, `seed ${seed + run}, plan ${i}`)
        }
        await engine.close()
      }
    },
    TIMEOUT_MS,
  )

  it(
    'have them after a restart too, with room for all columns or for none',
    async () => {
      const seed = testSeed()
      for (let run = 0; run < RUNS / PLANS_AN_ENGINE / 4; run++) {
        const random = mulberry32(seed + run)
        const limits = { ...randomLimits(random), rowsLimitBytes: oneOf(random, [GIB, 1]) }
        let files = createModelFiles()
        const open = async () => {
          const engine = openEngine({ ...limits, disk: { directory: 'data', files, release: async () => {} } })
          await engine.recover()
          return engine
        }
        const records = randomRecords(random, below(random, 200))
        await fill(await open(), records, random)
        files = files.restart()
        const engine = await open()
        for (let i = 0; i < PLANS_AN_ENGINE; i++) {
          await check(engine, randomPlan(random), records, `seed ${seed + run}, plan ${i}`)
        }
      }
    },
    TIMEOUT_MS,
  )
})
