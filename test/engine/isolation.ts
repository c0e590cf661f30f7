import { expect } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import type { Row } from '../../src/plan/answer.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { NamedExpression, Operator, Plan } from '../../src/plan/plan.js'
import { runPlan } from '../oracle/plan/run.js'
import { appendAll, openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../support/random.js'
import { type Answer, compareRows, randomPlan, randomRecords } from '../support/random-plans.js'
import { edge, type TestRecord } from '../support/records.js'
import { testSeed } from '../support/seed.js'

/** Compares plans of one project with and without rows of others for which the plans fail. */

const PLANS_AN_ENGINE = 10
const OWN = 'a'
const OTHER = 'b'

/** A plan that fails for a row of {@link OTHER} which every engine has. */
const FAILS: Plan = [
  { op: 'scan', sources: ['edge_logs'], fromUs: -1e15, throughUs: 1e16 },
  { op: 'select', columns: [{ name: 'n', value: call('cast_int64', column('event_message')) }] },
]

/** A text that no plan holds. In an error the text is a stored value. */
const SECRET = 'leaked-4711'
const LONG = `${SECRET}${'x'.repeat(600_000)}`
const GOOD = ['1', '2', '3', '4', '5', '6', '7']
const BAD = [SECRET, '0', '', '9876543219876543219', '-1', '1e999', `${SECRET}9`]

/** Expressions of a text without error for {@link GOOD}. Each fails for some of {@link BAD}, or for a long text. */
function failuresOf(text: Expression): Expression[] {
  const integer = call('cast_int64', text)
  return [
    integer,
    call('cast_float64', text),
    call('cast_bool', call('concat', literal('tru'), call('substr', literal('eeeeeee'), integer, literal(1)))),
    call('cast_timestamp', call('concat', literal('2026-11-0'), text)),
    call('div', literal(1), call('cast_float64', text)),
    call('mod', literal(100), integer),
    call('mul', integer, literal(2n ** 60n)),
    call('add', integer, literal(2n ** 62n)),
    call('offset', call('split', literal('0,1,2,3,4,5,6,7'), literal(',')), integer),
    call('parse_timestamp', literal('%Y-%m-0%d'), call('concat', literal('2026-11-0'), text)),
    call('length', call('concat', text, text)),
  ]
}

/** The columns with values that fail: a cold column, a column with a dictionary, and a column of numbers. */
const BAD_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  edge_logs: ['event_message', 'url', 'status_code'],
  function_edge_logs: ['event_message', 'function_id', 'execution_time_ms'],
}

/** Evaluates an expression for the error alone. The value is the value of the column. */
const guarded = (name: string, failing: Expression): NamedExpression => ({
  name,
  value: call('if', call('is_null', failing), column(name), column(name)),
})

/** A plan with columns that fail, and sometimes a filter that fails, right behind each scan. */
function failing(plan: Plan, random: Random): Plan {
  const [first, ...later] = plan
  const others = later.map((operator) =>
    operator.op === 'isIn' ? { ...operator, plan: failing(operator.plan, random) } : operator,
  )
  if (first?.op === 'union') return [{ ...first, plans: first.plans.map((one) => failing(one, random)) }, ...others]
  const { sources } = first as Operator & { op: 'scan' }
  const bad = (sources.length === 1 && BAD_COLUMNS[sources[0]!]) || ['event_message']
  const oneFailing = () => oneOf(random, failuresOf(call('cast_string', column(oneOf(random, bad)))))
  // A rank needs the stored timestamp.
  const isRanked = later.some((operator) => operator.op === 'orderBy' && operator.rank !== undefined)
  const columns = [...bad, ...(isRanked ? [] : ['timestamp']), 'project'].filter(() => random() < 0.4)
  const added: Operator[] = [
    { op: 'extend', columns: columns.map((name) => guarded(name, oneFailing())) },
    ...(random() < 0.3 ? [{ op: 'filter', where: call('not', call('is_null', oneFailing())) } as const] : []),
  ]
  return [first!, ...added, ...others]
}

/** Records of several projects. Only projects other than OWN have values that fail. */
function twoProjects(random: Random, length: number): TestRecord[] {
  return randomRecords(random, length).map((record) => {
    const isOwn = random() < 0.5
    const text = () => oneOf(random, isOwn || random() < 0.2 ? GOOD : BAD)
    const metadata = JSON.stringify({
      function_id: text(),
      execution_time_ms: isOwn ? 1 + below(random, 7) : oneOf(random, [0, -1, 5, 1e300]),
      request: { url: text(), path: '/rest/v1' },
      response: { status_code: isOwn ? 1 + below(random, 7) : oneOf(random, [0, 8, 5]) },
    })
    const event_message = !isOwn && random() < 0.01 ? LONG : text()
    return { ...record, project: isOwn ? OWN : oneOf(random, [OTHER, OTHER, null, '']), event_message, metadata }
  })
}

type Told = { answer: Answer; message?: string }

async function answerOf(engine: ArrowEngine, plan: Plan): Promise<Told> {
  try {
    const rows: Row[] = []
    for await (const row of await engine.run(plan)) rows.push(row)
    return { answer: rows }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code === undefined) throw error
    return { answer: { error: code }, message }
  }
}

async function fill(records: readonly TestRecord[], random: Random): Promise<ArrowEngine> {
  const engine = openEngine({ ...(random() < 0.7 && { sealRows: 1 + below(random, 80) }) })
  await appendAll(engine, records, 1 + below(random, 40))
  if (random() < 0.3) await engine.seal()
  return engine
}

/**
 * Expects `runs` plans of one project to answer as if the rows of other projects, for which the plans fail, were not
 * stored.
 */
export async function expectIsolatedPlans(runs: number): Promise<void> {
  const seed = testSeed()
  for (let run = 0; run < runs / PLANS_AN_ENGINE; run++) {
    const random = mulberry32(seed + run)
    let fails = 0
    const records = [...twoProjects(random, 1 + below(random, 200)), edge({ project: OTHER, event_message: SECRET })]
    const own = records.filter(({ project }) => project === OWN)
    const [both, alone] = [await fill(records, random), await fill(own, random)]
    for (let i = 0; i < PLANS_AN_ENGINE; i++) {
      const plan = i === 0 ? FAILS : failing(randomPlan(random), random)
      const bound = ofProject(plan, OWN)
      const expected = runPlan(bound, own)
      try {
        const [first, second] = [await answerOf(both, bound), await answerOf(both, bound)]
        const wanted = await answerOf(alone, bound)
        for (const { answer } of [first, second, wanted]) compareRows(answer, expected, bound)
        if (expected.must.size + expected.may.size === 0) expect(first.message).toBe(undefined)
      } catch (error) {
        throw new Error(`seed ${seed + run}, plan ${i}: ${(error as Error).message}`, { cause: error })
      }
      const other = await answerOf(both, ofProject(plan, OTHER))
      if (other.message !== undefined) fails++
      for (const value of [SECRET, '987654321', '1e999', 'xxxx']) expect(other.message ?? '').not.toContain(value)
    }
    expect(fails).toBeGreaterThan(0)
    await both.close()
    await alone.close()
  }
}
