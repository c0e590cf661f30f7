import { expect, it } from 'vitest'
import type { ClickHouseEngine } from '../../src/engine/clickhouse/engine.js'
import type { Plan } from '../../src/plan/plan.js'
import { CASES, RECORDS } from '../engine/field-cases.js'
import { answerOf, expectAnswer } from '../engine/plans.js'
import { RANK_CASES, tiedRecords } from '../engine/rank-cases.js'
import type { Outcome } from '../oracle/plan/run.js'
import { runPlan } from '../oracle/plan/run.js'
import { below, mulberry32, oneOf } from '../support/random.js'
import { randomPlan, randomRecords, showPlan } from '../support/random-plans.js'
import type { TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget, withRecords } from './on-targets.js'
import type { Target } from './targets.js'

/** Random plans, and as many plans of fields. */
const RUNS = runs(400)
const PLANS_OF_RECORDS = 20
/** Every how many of the plans of fields are run. */
const STEP = Math.max(1, Math.round(CASES.length / RUNS))

/**
 * Records without the empty text as project or function. In ClickHouse's columns an empty text also means an absent
 * value, see docs/scale-out.md.
 */
const withoutEmptyTexts = (records: readonly TestRecord[]): TestRecord[] =>
  records.map((record) => ({
    ...record,
    project: record.project === '' ? 'c' : record.project,
    metadata: record.metadata?.replace('"function_id":""', '"function_id":"h"'),
  }))

const isOld = (target: Target) => target.location.cluster !== undefined

/**
 * Expects the oracle's answer. An old server refuses fields without a column: returns whether the server refused.
 * `shown` tells how to get the plan again.
 */
async function expectOrRefused(
  target: Target,
  engine: ClickHouseEngine,
  plan: Plan,
  expected: Outcome,
  shown: string,
): Promise<boolean> {
  let isRefused = false
  const run: ClickHouseEngine['run'] = async (one, options) => {
    try {
      return await engine.run(one, options)
    } catch (error) {
      isRefused = isOld(target) && (error as { code?: string }).code === 'unsupported_by_engine'
      throw error
    }
  }
  try {
    await expectAnswer({ run }, plan, expected, shown)
  } catch (error) {
    if (!isRefused) throw error
  }
  return isRefused
}

onEachTarget('plans on %s have the rows, or the error, that the oracle says', (target) => {
  it(
    'at random',
    async () => {
      const seed = testSeed()
      let refused = 0
      for (let run = 0; run < RUNS / PLANS_OF_RECORDS; run++) {
        const random = mulberry32(seed + run)
        const records = withoutEmptyTexts(randomRecords(random, below(random, 120)))
        await withRecords(target(), records, 1 + below(random, 40), async () => {
          const engine = await target().open({ partRows: oneOf(random, [{}, { hot: 10, cold: 5 }]) })
          for (let i = 0; i < PLANS_OF_RECORDS; i++) {
            const plan = randomPlan(random)
            const shown = `seed ${seed + run}, plan ${i}: ${showPlan(plan)}`
            if (await expectOrRefused(target(), engine, plan, runPlan(plan, records), shown)) refused++
          }
          await engine.close()
        })
      }
      expect(refused).toBeLessThan(RUNS)
    },
    300_000 + RUNS * 2_000,
  )

  it('that rank rows of equal times', async () => {
    const records = tiedRecords(3_000)
    let refused = 0
    await withRecords(target(), records, 700, async (engine) => {
      for (const { title, plan, rowsOf } of RANK_CASES) {
        const answer = answerOf(engine, plan).catch((error: { code?: string }) => {
          if (!isOld(target()) || error.code !== 'unsupported_by_engine') throw error
          refused++
        })
        const rows = await answer
        if (rows !== undefined) expect(rows, title).toEqual(rowsOf(records))
      }
    })
    expect(refused).toBeLessThanOrEqual(RANK_CASES.length / 4)
  })

  it(
    'of fields with columns and without, whatever their values',
    async () => {
      await withRecords(target(), RECORDS, 40, async (engine) => {
        for (const { plan, expected, isTwin, source } of CASES.filter((_, i) => (i + testSeed()) % STEP === 0)) {
          const isRefused = await expectOrRefused(target(), engine, plan, expected(), showPlan(plan))
          const hasColumn = !isTwin && source !== 'postgrest_logs' && source !== 'pgbouncer_logs'
          if (hasColumn) expect(isRefused, showPlan(plan)).toBe(false)
        }
      })
    },
    300_000 + RUNS * 2_000,
  )
})
