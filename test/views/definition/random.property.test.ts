import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { DAY_US } from '../../../src/base/units.js'
import type { Row } from '../../../src/plan/answer.js'
import { ofProject } from '../../../src/plan/of-project.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { type ViewDefinition, viewDefinition, viewOf } from '../../../src/views/definition/definition.js'
import { runPlan } from '../../oracle/plan/run.js'
import { runSql } from '../../oracle/sql/run.js'
import { openEngine } from '../../support/engine.js'
import { mutated } from '../../support/mutated-sql.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { compareRows, randomRecords } from '../../support/random-plans.js'
import { type Atom, type SqlScope, sqlExpression } from '../../support/random-sql-expressions.js'
import type { SqlType } from '../../support/random-sql-literals.js'
import type { TestRecord } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const NOW_US = Date.UTC(2026, 10, 25, 11) * 1000
const ATOMS: readonly Atom[] = [
  { text: 'timestamp', type: 'time' },
  { text: 'event_message', type: 'text' },
  { text: 'project', type: 'text' },
  ...['execution_time_ms', 'response.status_code', 'request.path', 'request', 'level', 'list.n', 'none.x'].map(
    (text): Atom => ({ text, type: 'any' }),
  ),
]
const KEY_TYPES: readonly SqlType[] = ['bool', 'int', 'num', 'text', 'time', 'date', 'any']

/** An expression of a type. Shallow expressions are seldom refused. */
const expressionOf = (random: Random, type: SqlType): string =>
  sqlExpression({ random, atoms: ATOMS } satisfies SqlScope, type, below(random, 3))

const AGGREGATES: readonly ((random: Random) => string)[] = [
  () => 'count(*)',
  (random) => `count(${expressionOf(random, 'any')})`,
  (random) => `countif(${expressionOf(random, 'bool')})`,
  (random) => `sum(${expressionOf(random, oneOf(random, ['num', 'int', 'any']))})`,
  (random) => `avg(${expressionOf(random, oneOf(random, ['num', 'int', 'any']))})`,
  (random) => `min(${expressionOf(random, oneOf(random, KEY_TYPES))})`,
  (random) => `max(${expressionOf(random, oneOf(random, KEY_TYPES))})`,
  (random) => `approx_quantiles(${expressionOf(random, 'num')}, 4)`,
  (random) => `approx_count_distinct(${expressionOf(random, 'any')})`,
]

const TABLES = [
  'edge_logs',
  'function_edge_logs',
  '(select * from edge_logs union all select * from postgres_logs)',
  '(select timestamp, project as request, metadata, event_message from edge_logs where request.path is not null)',
]

function randomView(random: Random): string {
  const unit = oneOf(random, ['minute', 'hour', 'day'])
  const keys = Array.from({ length: below(random, 3) }, (_, i) => {
    return `${expressionOf(random, oneOf(random, KEY_TYPES))} as k${i}`
  })
  const aggregates = Array.from(
    { length: 1 + below(random, 2) },
    (_, i) => `${oneOf(random, AGGREGATES)(random)} as a${i}`,
  )
  const where = below(random, 2) === 0 ? '' : `where ${expressionOf(random, 'bool')}`
  const having = below(random, 3) === 0 ? 'having count(*) > 1' : ''
  return `select timestamp_trunc(timestamp, ${unit}) as bucket, ${[...keys, ...aggregates].join(', ')}
    from ${oneOf(random, TABLES)}
    ${where} group by bucket${keys.map((_, i) => `, k${i}`).join('')} ${having}`
}

/** The definition, or the error. */
function defined(text: string): ViewDefinition | LogweirError {
  try {
    return viewDefinition(text, { name: 'v', keepUs: DAY_US, place: { line: 1, column: 1 } })
  } catch (error) {
    if (error instanceof LogweirError) return error
    throw error
  }
}

async function groupsOf(definition: ViewDefinition, records: readonly TestRecord[], project: string) {
  const { rows, must, may } = runPlan(definition.grouping, records)
  expect([...must, ...may]).toEqual([])
  const groups = rows.map((row) => row.map(({ value }): Scalar => value))
  const engine = openEngine({
    async *readView() {
      yield groups
    },
  })
  const plan = ofProject([viewOf(definition.source), ...definition.answer(NOW_US)], project)
  const answer: Row[] = []
  for await (const row of await engine.run(plan)) answer.push(row)
  await engine.close()
  return { plan, answer }
}

describe('a random view', () => {
  const seed = testSeed()
  const views = runs(2_000)

  it(`fails in no row, or is refused with its place (seed ${seed})`, { timeout: 60_000 + 200 * views }, async () => {
    const random = mulberry32(seed)
    const records = randomRecords(random, 80, ['edge_logs', 'function_edge_logs', 'postgres_logs'])
    let accepted = 0
    for (let i = 0; i < views; i++) {
      const text = randomView(random)
      const definition = defined(text)
      if (definition instanceof LogweirError) {
        expect(definition.message, text).toMatch(/ \(line \d+, column \d+\)$/)
        continue
      }
      accepted++
      const project = oneOf(random, ['a', 'b'])
      const { outcome } = runSql(text, records, { nowUs: NOW_US, project, maxRows: 100_000 })
      expect([...outcome.must, ...outcome.may], text).toEqual([])
      const { plan, answer } = await groupsOf(definition, records, project)
      compareRows(answer, outcome, plan)
    }
    expect(accepted).toBeGreaterThan(views / 10)
  })

  it(`is refused with an error of the file, whatever is wrong (seed ${seed})`, { timeout: 60_000 + 20 * views }, () => {
    const random = mulberry32(seed)
    for (let i = 0; i < 5 * views; i++) {
      const text = mutated(randomView(random), random)
      const definition = defined(text)
      if (!(definition instanceof LogweirError)) continue
      expect(['usage', 'invalid_sql', 'unsupported_sql', 'invalid_pattern'], text).toContain(definition.code)
      expect(definition.message, text).toMatch(/ \(line \d+, column \d+\)$/)
    }
  })
})
