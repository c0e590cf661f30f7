import { expect } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { fill } from '../engine/plans.js'
import { openEngine, readAll } from '../support/engine.js'
import { mutated } from '../support/mutated-sql.js'
import { below, mulberry32 } from '../support/random.js'
import { randomRecords } from '../support/random-plans.js'
import { randomSql } from '../support/random-sql.js'
import { testSeed } from '../support/seed.js'
import { planOf } from './queries.js'

/** Compares the answers for one project with and without rows of other projects. */

const TEXTS_AN_ENGINE = 20
const PROJECT = 'a'

const HAS_ROWS = 'select count(*) as n from edge_logs'

/** The contract does not decide the rows of a limit, and the order inside of aggregates. Both may differ. */
export const OPEN = /limit|offset|any_value|array_agg|string_agg|approx_/i

/** Expects `texts` random texts to have the same answer for one project, whatever rows other projects have. */
export async function expectIsolation(texts: number): Promise<void> {
  const seed = testSeed()
  for (let run = 0; run < texts / TEXTS_AN_ENGINE; run++) {
    let compared = 0
    const random = mulberry32(seed + run)
    const records = randomRecords(random, below(random, 120))
    const [shared, own] = [openEngine({ sealRows: 30 }), openEngine({ sealRows: 1 + below(random, 30) })]
    await fill(shared, records, random)
    await fill(
      own,
      records.filter(({ project }) => project === PROJECT),
      random,
    )
    for (let i = 0; i < TEXTS_AN_ENGINE; i++) {
      const plain = random() < 0.7 ? randomSql(random) : mutated(randomSql(random), random)
      const text = i === 0 ? HAS_ROWS : random() < 0.3 ? `explain ${plain}` : plain
      const [one, other] = [await outcomeOf(shared, text), await outcomeOf(own, text)]
      const shown = `seed ${seed + run}, text ${i}: ${text}`
      if (OPEN.test(text)) expect(typeof one, shown).toBe(typeof other)
      else expect(one, shown).toEqual(other)
      if (typeof one !== 'string') compared++
    }
    expect(compared).toBeGreaterThan(0)
    await Promise.all([shared.close(), own.close()])
  }
}

/** The rows, sorted, or the error with the message. */
async function outcomeOf(engine: ArrowEngine, text: string): Promise<readonly string[] | string> {
  try {
    const rows = await readAll(await engine.run(planOf(text, { project: PROJECT })))
    return rows.map((row) => JSON.stringify(row, rounded)).sort()
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === undefined) throw error
    return `${code}: ${message}`
  }
}

/** Sums may differ in their last digits. */
export const rounded = (_: string, value: unknown) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value
