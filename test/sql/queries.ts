import { expect } from 'vitest'
import { GIB } from '../../src/base/units.js'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { limited } from '../../src/plan/limited.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Plan } from '../../src/plan/plan.js'
import { withinTime } from '../../src/plan/within-time.js'
import { readSql } from '../../src/sql/read-sql.js'
import { answerOf, fill, openOnDisk } from '../engine/plans.js'
import { runSql, type SqlOptions } from '../oracle/sql/run.js'
import { openEngine } from '../support/engine.js'
import { createModelFiles } from '../support/model-files.js'
import { addPathColumns } from '../support/path-columns.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { compareRows, randomRecords } from '../support/random-plans.js'
import { randomSql } from '../support/random-sql.js'
import type { TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'

/** Runs random queries in SQL over random rows, and compares the answers with the oracle's. */

const NOW_US = Date.UTC(2026, 10, 25, 10, 37, 42) * 1000
const QUERIES_AN_ENGINE = 10
const MAX_ROWS = 1000

/** The answer of the oracle: the outcome, or the code of an error in the text. */
type SqlResult = ReturnType<typeof runSql> | { error: string }

type Bounds = Pick<SqlOptions, 'project' | 'fromUs' | 'throughUs'>

/** The plan of a text as a caller's request runs it. */
export function planOf(text: string, { project, fromUs, throughUs }: Bounds = {}): Plan {
  const plan = limited(readSql(text).plan({}, NOW_US), MAX_ROWS)
  const range = {
    fromUs: fromUs === undefined ? Number.NEGATIVE_INFINITY : fromUs + 1,
    throughUs: throughUs ?? Number.POSITIVE_INFINITY,
  }
  const inTime = withinTime(plan, range)
  return project === undefined ? inTime : ofProject(inTime, project)
}

/** Now and then a project and a range of time, which apply below the text. */
function randomBounds(random: Random): Bounds {
  return {
    ...(random() < 0.4 && { project: oneOf(random, ['a', 'b', 'none']) }),
    ...(random() < 0.1 && { fromUs: NOW_US - 3_600_000_000 }),
    ...(random() < 0.1 && { throughUs: NOW_US - 1_000_000 }),
  }
}

/** Expects the answer that the oracle has for a text. */
async function expectQuery(
  engine: Pick<ArrowEngine, 'run'>,
  text: string,
  records: readonly TestRecord[],
  bounds: Bounds,
  shown: string,
): Promise<void> {
  try {
    const expected = expectedOf(text, records, bounds)
    const plan = compiledOf(text, bounds)
    if ('error' in expected || 'error' in plan) expect(plan).toEqual(expected)
    else compareRows(await answerOf(engine, plan), expected.outcome, expected.plan)
  } catch (error) {
    throw new Error(`${shown}, ${JSON.stringify(bounds)}: ${text}\n${(error as Error).stack}`, { cause: error })
  }
}

/** The code of an error, in the form of an answer. */
function errorOf(error: unknown): { error: string } {
  const { code } = error as { code?: string }
  if (code === undefined) throw error
  return { error: code }
}

function expectedOf(text: string, records: readonly TestRecord[], bounds: Bounds): SqlResult {
  try {
    return runSql(text, records, { nowUs: NOW_US, maxRows: MAX_ROWS, ...bounds })
  } catch (error) {
    return errorOf(error)
  }
}

function compiledOf(text: string, bounds: Bounds): Plan | { error: string } {
  try {
    return planOf(text, bounds)
  } catch (error) {
    return errorOf(error)
  }
}

/** Expects the answers of the oracle, however rows are split and sealed. */
export async function expectQueries(queries: number): Promise<void> {
  const seed = testSeed()
  for (let run = 0; run < queries / QUERIES_AN_ENGINE; run++) {
    const random = mulberry32(seed + run)
    const records = randomRecords(random, below(random, 100))
    const engine = await filledEngine(records, random)
    for (let i = 0; i < QUERIES_AN_ENGINE; i++) {
      await expectQuery(engine, randomSql(random), records, randomBounds(random), `seed ${seed + run}, query ${i}`)
    }
    await engine.close()
  }
}

/** An engine in memory, or an engine on disk after a restart, with room for all columns or for none. */
async function filledEngine(records: readonly TestRecord[], random: Random): Promise<ArrowEngine> {
  const sealing = random() < 0.6 ? { sealRows: 1 + below(random, 60) } : {}
  if (random() < 0.6) {
    const engine = openEngine(sealing)
    await fill(engine, records, random)
    return engine
  }
  const files = createModelFiles()
  const limits = { ...sealing, rowsLimitBytes: oneOf(random, [GIB, 1]) }
  await fill(await openOnDisk(files, limits), records, random)
  const restarted = files.restart()
  const share = oneOf(random, [0, 0.6, 1])
  await addPathColumns(restarted, () => random() < share)
  return openOnDisk(restarted, limits)
}
