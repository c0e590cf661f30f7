import { expect } from 'vitest'
import { GIB } from '../../src/base/units.js'
import { ownSourceNames } from '../../src/common/sources.js'
import type { ArrowEngine, ArrowEngineOptions } from '../../src/engine/store/engine.js'
import type { Row } from '../../src/plan/answer.js'
import type { Plan } from '../../src/plan/plan.js'
import { type Outcome, runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { createModelFiles, type ModelFiles } from '../support/model-files.js'
import { addPathColumns } from '../support/path-columns.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { type Answer, compareRows, randomPlan, randomRecords } from '../support/random-plans.js'
import type { TestRecord } from '../support/records.js'
import { createTestSealer } from '../support/sealer.js'
import { testSeed } from '../support/seed.js'

/** Runs random plans over random rows on the embedded engine, and compares the answers with the oracle's. */

const PLANS_AN_ENGINE = 8
/** The share of engines that have more rows than exact percentiles. */
const LARGE_SHARE = 0.2

const QUERY_ERRORS: ReadonlySet<unknown> = new Set(['invalid_sql', 'invalid_pattern', 'too_much_memory'])

/** Returns the rows of a plan, or the code of the query's error. Throws any other error. */
export async function answerOf(engine: Pick<ArrowEngine, 'run'>, plan: Plan): Promise<Answer> {
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
export async function fill(engine: ArrowEngine, records: readonly TestRecord[], random: Random): Promise<void> {
  for (let start = 0; start < records.length; ) {
    const end = start + 1 + below(random, 80)
    await appendAll(engine, records.slice(start, end), 1 + below(random, 40))
    if (random() < 0.3) await engine.seal()
    start = end
  }
}

/** Expects the answer to a plan. If the answer is wrong, `shown` tells how to get the answer again. */
export async function expectAnswer(
  engine: Pick<ArrowEngine, 'run'>,
  plan: Plan,
  expected: Outcome,
  shown: string,
): Promise<void> {
  try {
    compareRows(await answerOf(engine, plan), expected, plan)
  } catch (error) {
    throw new Error(`${shown}: ${(error as Error).message}`, { cause: error })
  }
}

/** Runs a plan on an engine twice: the second run reads the partials that the first has cached. */
export async function expectTwice(
  engine: ArrowEngine,
  plan: Plan,
  records: readonly TestRecord[],
  shown: string,
): Promise<void> {
  const expected = runPlan(plan, records)
  for (const time of ['first', 'second']) await expectAnswer(engine, plan, expected, `${shown}, ${time} time`)
}

/** Calls `check` with a separate generator for each engine, until the engines have run `plans` plans. */
async function eachEngine(plans: number, check: (random: Random, shown: string) => Promise<void>): Promise<void> {
  const seed = testSeed()
  for (let run = 0; run < plans / PLANS_AN_ENGINE; run++) await check(mulberry32(seed + run), `seed ${seed + run}`)
}

/** Expects the answers of the oracle however rows are split and sealed. */
export const expectPlans = (plans: number): Promise<void> =>
  eachEngine(plans, async (random, shown) => {
    const engine = openEngine(randomLimits(random))
    const records = randomRecords(random, below(random, random() < LARGE_SHARE ? 600 : 100))
    const half = below(random, records.length + 1)
    await fill(engine, records.slice(0, half), random)
    for (let i = 0; i < PLANS_AN_ENGINE; i++) {
      if (i === PLANS_AN_ENGINE / 2) await fill(engine, records.slice(half), random)
      const held = i < PLANS_AN_ENGINE / 2 ? records.slice(0, half) : records
      await expectTwice(engine, randomPlan(random), held, `${shown}, plan ${i}`)
    }
    await engine.close()
  })

/** Opens an engine with rows in files. */
export async function openOnDisk(files: ModelFiles, options: Partial<ArrowEngineOptions>): Promise<ArrowEngine> {
  const engine = openEngine({ ...options, disk: { directory: 'data', files, release: async () => {} } })
  await engine.recover()
  return engine
}

/** Expects the answers after a restart too, with room for all columns or for none. */
export const expectPlansAfterRestart = (plans: number): Promise<void> =>
  eachEngine(plans, async (random, shown) => {
    const limits = { ...randomLimits(random), rowsLimitBytes: oneOf(random, [GIB, 1]) }
    const files = createModelFiles()
    const records = randomRecords(random, below(random, 200))
    await fill(await openOnDisk(files, limits), records, random)
    const restarted = files.restart()
    const share = oneOf(random, [0, 0.6, 1])
    await addPathColumns(restarted, () => random() < share)
    const engine = await openOnDisk(restarted, limits)
    for (let i = 0; i < PLANS_AN_ENGINE; i++) {
      await expectTwice(engine, randomPlan(random), records, `${shown}, plan ${i}`)
    }
  })

/** Files that count how often each file of columns is opened. */
function countingFiles(files: ModelFiles): { counting: ModelFiles; opens: Map<string, number> } {
  const opens = new Map<string, number>()
  const openToRead: ModelFiles['openToRead'] = (path) => {
    if (path.endsWith('hot.arrow')) opens.set(path, (opens.get(path) ?? 0) + 1)
    return files.openToRead(path)
  }
  return { counting: { ...files, openToRead }, opens }
}

const SOURCES = ['edge_logs', 'function_edge_logs', 'postgres_logs', ...ownSourceNames()]
const COUNT_ALL: Plan = [
  { op: 'scan', sources: SOURCES, fromUs: -1e15, throughUs: 1e16 },
  { op: 'group', keys: [], aggregates: [{ name: 'n', value: { fn: 'count', args: [] } }] },
]

/** The bytes of the columns of all segments, after a query has loaded the columns. */
async function bytesOfColumns(files: ModelFiles): Promise<number> {
  const engine = await openOnDisk(files, { rowsLimitBytes: GIB })
  await answerOf(engine, COUNT_ALL)
  return engine.stats().reduce((bytes, { hotBytes, coldBytes }) => bytes + hotBytes + coldBytes, 0)
}

/** A sealer that takes no memory, so that a limit is a limit of columns alone. */
const SEALER = { ...createTestSealer(), bytes: () => 0 }

/**
 * Expects the answers to two plans at a time, with room for a part of the columns. Columns are evicted between and
 * during queries.
 */
export const expectPlansWhileEvicting = (plans: number): Promise<void> =>
  eachEngine(plans, async (random, shown) => {
    const records = randomRecords(random, 20 + below(random, 200))
    const first = createModelFiles()
    const filled = await openOnDisk(first, { sealRows: 5 + below(random, 60) })
    await fill(filled, records, random)
    await filled.seal()
    const second = first.restart()
    const rowsLimitBytes = (0.1 + 0.7 * random()) * (await bytesOfColumns(second))
    const { counting, opens } = countingFiles(second.restart())
    const options = { rowsLimitBytes, sealer: SEALER, partialCacheBytes: oneOf(random, [0, 2_000]) }
    const engine = await openOnDisk(counting, options)
    opens.clear()
    await expectEvictions(engine, opens)
    for (let i = 0; i < PLANS_AN_ENGINE; i += 2) {
      const two = [randomPlan(random), randomPlan(random)]
      await Promise.all(two.map((plan, j) => expectTwice(engine, plan, records, `${shown}, plan ${i + j}`)))
    }
  })

/** Reads the columns of all segments twice, and expects that some had to be loaded again. */
async function expectEvictions(engine: ArrowEngine, opens: ReadonlyMap<string, number>): Promise<void> {
  for (let i = 0; i < 2; i++) {
    engine.clearPartialCache()
    await answerOf(engine, COUNT_ALL)
  }
  const loads = [...opens.values()].reduce((sum, times) => sum + times, 0)
  expect(loads).toBeGreaterThan(opens.size)
}

/** Expects of each plan the rows that were there when the plan began, while other rows are appended and sealed. */
export const expectPlansWhileRowsArrive = (plans: number): Promise<void> =>
  eachEngine(plans, async (random, shown) => {
    const files = createModelFiles()
    const limits = { ...randomLimits(random), rowsLimitBytes: oneOf(random, [GIB, 30_000, 1]) }
    const engine = random() < 0.5 ? openEngine(randomLimits(random)) : await openOnDisk(files, limits)
    const records = randomRecords(random, 50 + below(random, 200))
    const step = Math.ceil(records.length / PLANS_AN_ENGINE)
    let held = below(random, step)
    await fill(engine, records.slice(0, held), random)
    for (let i = 0; i < PLANS_AN_ENGINE; i += 2) {
      const answers = [i, i + 1].map((number) => {
        const plan = randomPlan(random)
        const expected = runPlan(plan, records.slice(0, held))
        return expectAnswer(engine, plan, expected, `${shown}, plan ${number}`)
      })
      const more = records.slice(held, held + 2 * step)
      held += more.length
      await Promise.all([...answers, fill(engine, more, random)])
    }
    expect(await answerOf(engine, COUNT_ALL)).toEqual([{ n: records.length }])
    await engine.close()
  })
