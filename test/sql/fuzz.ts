import { expect } from 'vitest'
import type { Plan } from '../../src/plan/plan.js'
import { fill } from '../engine/plans.js'
import { openEngine, readAll } from '../support/engine.js'
import { mutated } from '../support/mutated-sql.js'
import { mulberry32 } from '../support/random.js'
import { randomRecords } from '../support/random-plans.js'
import { randomSql } from '../support/random-sql.js'
import { testSeed } from '../support/seed.js'
import { planOf } from './queries.js'

/** Runs mutated texts. */

const RECORDS = 40

const PUBLIC = new Set(['invalid_sql', 'unsupported_sql', 'invalid_pattern', 'too_much_memory', 'too_many_groups'])

/** Errors of a limit for the whole query. Any other error is an error of an expression. */
const WITHOUT_PLACE = new Set(['too_much_memory', 'too_many_groups'])

/** Expects that an error of an expression, or of the compiler, has a place. */
function expectPlace({ code, message }: Error & { code?: string }, isCompiled: boolean): void {
  if (!isCompiled || !WITHOUT_PLACE.has(code!)) expect(message).toMatch(/ \(line \d+, column \d+\)$/)
}

/** Expects `texts` mutated texts to be answered, or refused with an error of the query. */
export async function expectAnswersOrFaults(texts: number): Promise<void> {
  const seed = testSeed()
  const random = mulberry32(seed)
  const engine = openEngine({ sealRows: 15 })
  await fill(engine, randomRecords(random, RECORDS), random)
  const counts = new Map<string, number>()
  for (let i = 0; i < texts; i++) {
    const text = mutated(randomSql(random), random)
    const outcome = await outcomeOf(text).catch((error: Error) => {
      throw new Error(`seed ${seed}, text ${i}: ${JSON.stringify(text)}\n${error.stack}`)
    })
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  await engine.close()
  // Both kinds of texts occur.
  expect(counts.get('rows')).toBeGreaterThan(texts / 50 - 5)
  expect(counts.get('invalid_sql')).toBeGreaterThan(texts / 5 - 10)

  async function outcomeOf(text: string): Promise<string> {
    let plan: Plan | undefined
    try {
      plan = planOf(text)
      await readAll(await engine.run(plan))
      return 'rows'
    } catch (error) {
      const { code } = error as { code?: string }
      if (!PUBLIC.has(code!)) throw error
      expectPlace(error as Error, plan !== undefined)
      return code!
    }
  }
}
