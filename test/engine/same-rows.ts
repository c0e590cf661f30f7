import type { ArrowEngine } from '../../src/engine/store/engine.js'
import type { Plan } from '../../src/plan/plan.js'
import { runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { manyRecords } from '../support/many-records.js'
import { below, mulberry32, type Random } from '../support/random.js'
import type { TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import type { FastWay } from './fast-ways.js'
import { expectAnswer } from './plans.js'

const PLANS_AN_ENGINE = 2
const KEPT_PLANS = 8

interface Filled {
  engine: ArrowEngine
  records: readonly TestRecord[]
}

/** The engines that were filled so far, by seed, for all properties. */
const filled = new Map<number, Promise<Filled>>()

function engineOf(seed: number, run: number): Promise<Filled> {
  const known = filled.get(seed) ?? fillEngine(mulberry32(seed), LAYOUTS[run % LAYOUTS.length]!)
  filled.set(seed, known)
  return known
}

/** A segment for each day and rows in an open head, some segments, many segments of fewer rows, or one open head. */
const LAYOUTS: readonly { rows: number; sealRows: number; sealedShare: number }[] = [
  { rows: 6_000, sealRows: 1e6, sealedShare: 0.9 },
  { rows: 3_000, sealRows: 1_300, sealedShare: 1 },
  { rows: 600, sealRows: 70, sealedShare: 0.9 },
  { rows: 3_000, sealRows: 1e6, sealedShare: 0 },
]

async function fillEngine(random: Random, { rows, sealRows, sealedShare }: (typeof LAYOUTS)[number]): Promise<Filled> {
  const records = manyRecords(random, rows)
  const engine = openEngine({ sealRows })
  await appendAll(engine, records.slice(0, rows * sealedShare), 200)
  if (sealedShare > 0) await engine.seal()
  await appendAll(engine, records.slice(rows * sealedShare), 50)
  return { engine, records }
}

/**
 * Calls `check` for `runs` engines. Properties with different first engines use all layouts together, even with one run
 * each. The seed decides which property uses which layout.
 */
async function eachRun(
  runs: number,
  firstEngine: number,
  check: (filled: Filled, random: Random, shown: string) => Promise<void>,
) {
  const seed = testSeed()
  const engines = Math.max(runs, LAYOUTS.length)
  for (let run = firstEngine; run < firstEngine + runs; run++) {
    const engine = (seed + run) % engines
    await check(await engineOf(seed + engine, engine), mulberry32(seed + run + 1), `seed ${seed}, run ${run}`)
  }
}

/** Expects the rows of the oracle of plans that take a fast way, and of the same plans in words that cannot. */
export const expectSameRows = (
  { plans = PLANS_AN_ENGINE, plan, slowly }: FastWay,
  runs: number,
  firstEngine = 0,
): Promise<void> =>
  eachRun(runs, firstEngine, async ({ engine, records }, random, shown) => {
    for (let i = 0; i < plans; i++) {
      const fast = plan(random)
      const expected = runPlan(fast, records)
      await expectAnswer(engine, fast, expected, `${shown}, plan ${i}, fast`)
      await expectAnswer(engine, slowly(fast), expected, `${shown}, plan ${i}, slowly`)
    }
  })

/** Expects the rows of consecutive plans, which leave results for the next, and again after the results are gone. */
export const expectSameWhenKept = ({ plan }: Pick<FastWay, 'plan'>, runs: number, firstEngine = 0): Promise<void> =>
  eachRun(runs, firstEngine, async ({ engine, records }, random, shown) => {
    const plans: Plan[] = Array.from({ length: KEPT_PLANS }, () => plan(random))
    const expected = plans.map((one) => runPlan(one, records))
    const all = [...plans.keys()]
    for (const i of [...all, ...all]) await expectAnswer(engine, plans[i]!, expected[i]!, `${shown}, plan ${i}, kept`)
    const last = below(random, plans.length)
    engine.clearPartialCache()
    await expectAnswer(engine, plans[last]!, expected[last]!, `${shown}, plan ${last}, recomputed`)
  })
