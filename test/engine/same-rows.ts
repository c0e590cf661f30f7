import type { ArrowEngine } from '../../src/engine/arrow/engine.js'
import type { Plan } from '../../src/plan/plan.js'
import { runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { manyRecords } from '../support/many-records.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import type { TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import type { FastWay } from './fast-ways.js'
import { expectAnswer } from './plans.js'

const PLANS_AN_ENGINE = 3

interface Filled {
  engine: ArrowEngine
  records: readonly TestRecord[]
}

/** The engines that were filled so far, by seed, for all properties. */
const filled = new Map<number, Promise<Filled>>()

function engineOf(seed: number): Promise<Filled> {
  const known = filled.get(seed) ?? fillEngine(mulberry32(seed))
  filled.set(seed, known)
  return known
}

/** Rows in one segment for each day, in some segments, or in part unsealed. */
async function fillEngine(random: Random): Promise<Filled> {
  const records = manyRecords(random, oneOf(random, [300, 3_000, 3_000, 3_000]))
  const engine = openEngine({ sealRows: oneOf(random, [1e6, 1e6, 1_300, 150]) })
  await appendAll(engine, records, 200)
  if (random() < 0.8) await engine.seal()
  return { engine, records }
}

async function eachRun(runs: number, check: (filled: Filled, random: Random, shown: string) => Promise<void>) {
  const first = testSeed()
  for (let seed = first; seed < first + runs; seed++) {
    await check(await engineOf(seed), mulberry32(seed + 1), `seed ${seed}`)
  }
}

/** Expects the rows of the oracle of plans that take a fast way, and of the same plans in words that cannot. */
export const expectSameRows = ({ plan, slowly }: FastWay, runs: number): Promise<void> =>
  eachRun(runs, async ({ engine, records }, random, shown) => {
    for (let i = 0; i < PLANS_AN_ENGINE; i++) {
      const fast = plan(random)
      const expected = runPlan(fast, records)
      await expectAnswer(engine, fast, expected, `${shown}, plan ${i}, fast`)
      await expectAnswer(engine, slowly(fast), expected, `${shown}, plan ${i}, slowly`)
    }
  })

/** Expects them of plans that follow each other, all of which leave results for the next, and after these are gone. */
export const expectSameWhenKept = ({ plan }: Pick<FastWay, 'plan'>, runs: number): Promise<void> =>
  eachRun(runs, async ({ engine, records }, random, shown) => {
    const plans: Plan[] = Array.from({ length: 2 * PLANS_AN_ENGINE }, () => plan(random))
    const expected = plans.map((one) => runPlan(one, records))
    const all = [...plans.keys()]
    for (const i of [...all, ...all]) await expectAnswer(engine, plans[i]!, expected[i]!, `${shown}, plan ${i}, kept`)
    const last = below(random, plans.length)
    engine.clearPartialCache()
    await expectAnswer(engine, plans[last]!, expected[last]!, `${shown}, plan ${last}, anew`)
  })
