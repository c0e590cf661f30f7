import { describe, expect, it } from 'vitest'
import { createNameChecks } from '../../src/endpoints/unknown-names.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Plan } from '../../src/plan/plan.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { mutated } from '../support/mutated-sql.js'
import { below, mulberry32, oneOf } from '../support/random.js'
import { randomRecords } from '../support/random-plans.js'
import { randomSql } from '../support/random-sql.js'
import { edge, type TestRecord } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'

const TEXTS = runs(10_000)
const TEXTS_AN_ENGINE = 200
const OWN = 'a'
/** Part of every name of a field that only other projects have. */
const MARK = 'zq'

/** Names that are near to fields of other projects, and to fields of the own project. */
const TYPED = ['secret', 'secre', 'tokn', 'token', 'visible', 'visble', 'request.pth', 'items', 'level', 'deep.keyy']

/** A record of another project, with fields near to the names that the texts have. */
function foreign(random: () => number, i: number): TestRecord {
  const name = () => `${oneOf(random, TYPED).replace('.', '_')}${MARK}`
  const metadata = { [name()]: 1, deep: { [name()]: 'x' }, [`${MARK}list`]: [{ [name()]: 1 }] }
  return edge({ id: `f${i}`, project: oneOf(random, ['b', 'c', 'ab']), timestampUs: i, metadata })
}

/** A text of which some names are misspelt. */
function textOf(random: () => number): string {
  const plain = random() < 0.5 ? randomSql(random) : mutated(randomSql(random), random)
  if (random() < 0.5) return plain
  const [one, other] = [oneOf(random, TYPED), oneOf(random, TYPED)]
  return oneOf(random, [
    `select ${one}${MARK}, ${other} from edge_logs where ${other} is null`,
    `select ${one} as ${other.replace('.', '_')} from edge_logs where ${other.replace('.', '_')} is null`,
    `select count(*) as n from edge_logs, unnest(metadata) as m, unnest(m.${one}) as e group by ${other}`,
    `select id from edge_logs where id in (select ${one} from edge_logs where project = 'b') or ${other} like 'x'`,
    `select ${one} from (select metadata from edge_logs) union all select ${other} from postgres_logs`,
  ])
}

describe('the warnings of a token that is bound to a project', () => {
  it(
    'name no field that only other projects have',
    async () => {
      const seed = testSeed()
      let named = 0
      for (let from = 0; from < TEXTS; from += TEXTS_AN_ENGINE) {
        const random = mulberry32(seed + from)
        const own = edge({ project: OWN, metadata: { visible: 1, request: { path: '/' }, deep: { key: 1 } } })
        const records = [own, ...randomRecords(random, below(random, 60))]
        const others = Array.from({ length: 60 }, (_, i) => foreign(random, i))
        const engine = openEngine({ sealRows: 40 })
        await appendAll(
          engine,
          [...records, ...others].sort(() => random() - 0.5),
          30,
        )
        const checks = createNameChecks()
        for (let i = 0; i < Math.min(TEXTS_AN_ENGINE, TEXTS - from); i++) {
          const text = textOf(random)
          const shown = `seed ${seed + from}, text ${i}: ${text}`
          const warnings = await warningsOf(text)
          named += warnings.length
          for (const warning of warnings) {
            const meant = /Did you mean (.*)\?$/.exec(warning)?.[1]
            expect(meant ?? '', `${shown}\n${warning}`).not.toContain(MARK)
            const words: string[] = warning.match(/\S*zq\S*/g) ?? []
            // The own words of the text may be repeated.
            for (const word of words) expect(text, shown).toContain(word.replace(/[.,?…]+$/, ''))
          }
        }
        await engine.close()

        async function warningsOf(text: string): Promise<string[]> {
          let plan: Plan
          try {
            plan = ofProject(readSql(text).plan({}, 0), OWN)
            await readAll(await engine.run(plan))
          } catch (error) {
            if ((error as { code?: string }).code === undefined) throw error
            return []
          }
          const signal = new AbortController().signal
          return checks.warnings({ plan, project: OWN, ranMs: 1_000, signal, run: (one) => engine.run(one) })
        }
      }
      expect(named).toBeGreaterThan(TEXTS / 20)
    },
    300_000 + TEXTS * 50,
  )
})
