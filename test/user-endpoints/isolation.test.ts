import { describe, expect, it } from 'vitest'
import { count, endpoint, max, scan, sql, text } from '../../src/endpoint.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import { checkedEndpoint } from '../../src/user-endpoints/checked-endpoint.js'
import { READERS } from '../http/readers.js'
import { createTestApp } from '../http/support.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { edge, type TestRecord } from '../support/records.js'

const NOW_US = Date.UTC(2026, 10, 20, 10, 30) * 1000
/** A text that no plan holds. In an answer of the project `own` the text is a value of the other project. */
const SECRET = 'leaked-4711'

const url = column('url')
const integer = call('cast_int64', url)

/** Expressions that only values of the other project fail. */
const FAILING: Readonly<Record<string, Expression>> = {
  'a cast of a text': integer,
  'a cast of a cold text': call('cast_float64', column('event_message')),
  'a division by zero': call('div', literal(1), column('status_code')),
  'an offset out of range': call('offset', call('split', literal('a,b,c,d'), literal(',')), integer),
  'an integer overflow': call('mul', integer, literal(2n ** 61n)),
  'a time that is none': call('parse_timestamp', literal('%Y'), call('concat', literal('200'), url)),
  'a value that is too long': call('length', call('concat', column('event_message'), column('event_message'))),
}

/** Where the expression stands in a plan. */
const PLANS = {
  key: (failing: Expression) => rows().group({ key: failing }).aggregate({ n: count() }).limit(10),
  aggregate: (failing: Expression) =>
    rows()
      .group('url')
      .aggregate({ most: max(failing) })
      .orderBy('most')
      .limit(10),
  filter: (failing: Expression) =>
    rows()
      .filter(call('not', call('is_null', failing)))
      .select({ url })
      .orderBy('timestamp', 'desc')
      .limit(10),
  column: (failing: Expression) => rows().select({ failing }).orderBy('timestamp', 'desc').limit(10),
  order: (failing: Expression) => rows().select({ url }).orderBy(failing, 'desc').limit(10),
  'share of a union': (failing: Expression) => {
    const part = rows().select({ failing }).limit(5)
    return [{ op: 'union', plans: [part, part] } as const]
  },
}
const rows = () => scan('edge_logs', { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY })

const PLAN_NAMES = Object.keys(PLANS) as (keyof typeof PLANS)[]
const FAILING_NAMES = Object.keys(FAILING)

/** Each endpoint plans over all projects. The endpoint itself does not bind the plan to the caller's project. */
const ENDPOINTS = FAILING_NAMES.flatMap((failing, i) =>
  PLAN_NAMES.map((place, j) =>
    checkedEndpoint(
      endpoint({
        id: `5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e${i}a${j}0`,
        name: `own.${i}.${j}`,
        maxRows: 100,
        cache: j % 2 === 0 ? { ttlS: 60, warmS: 30 } : 'disabled',
        params: { project: text('the project') },
        query: sql`select 1`,
        plan: () => PLANS[place](FAILING[failing]!),
      }),
    ),
  ),
)

const request = (project: string | null, value: string, event_message: string, status_code: number) =>
  edge({
    project,
    timestampUs: NOW_US,
    event_message,
    metadata: { request: { url: value }, response: { status_code } },
  })

const OWN = [request('own', '1', '1.5', 200), request('own', '2', '2', 404), request('own', '2', '3', 500)]
const OTHERS = [
  request('other', SECRET, SECRET, 0),
  request('other', '77', SECRET + 'x'.repeat(600_000), 0),
  request(null, '', '', 0),
  request('other', '9876543219876543219', SECRET, 0),
]
const interleaved = OTHERS.flatMap((other, i) => [other, ...OWN.slice(i, i + 1)])

interface Outcome {
  status: number
  headers: Record<string, string>
  body: string
}

/** The outcome of every endpoint, asked twice in every format, over some records. */
async function outcomesOver(records: readonly TestRecord[], project: string, isSealed: boolean): Promise<Outcome[]> {
  const clock = createFakeClock(NOW_US)
  const engine = openEngine({ clock })
  await appendAll(engine, records)
  if (isSealed) await engine.seal()
  const tokens = [{ token: 'bound', projects: new Set(['own', 'other']) }]
  const { get, app } = createTestApp({ engine, clock, endpoints: ENDPOINTS, tokens })
  const outcomes: Outcome[] = []
  for (const { name } of ENDPOINTS) {
    for (const Accept of READERS.map(({ accept }) => accept)) {
      for (let time = 0; time < 2; time++) {
        const path = `/api/endpoints/query/${name}?project=${project}`
        const response = await get(path, { headers: { Accept, 'X-API-KEY': 'bound' } })
        const headers = Object.fromEntries(response.headers)
        const body = Buffer.from(await response.arrayBuffer()).toString('latin1')
        outcomes.push({ status: response.status, headers, body })
      }
    }
  }
  app.close()
  await engine.close()
  return outcomes
}

describe.each([
  ['open', false],
  ['sealed', true],
])('an endpoint of a user over %s rows', (_, isSealed) => {
  it('has the same status, headers and body for a project, whatever rows another one has', async () => {
    const alone = await outcomesOver(OWN, 'own', isSealed)
    expect(new Set(alone.map(({ status }) => status))).toEqual(new Set([200]))
    // The fake clock stands still, so that the durations of Server-Timing are equal too.
    expect(alone[0]!.headers['server-timing']).toBe(
      'cache;desc=miss, engine;dur=0.00, rows;desc="3", pruned;desc="0 of 1"',
    )
    for (const records of [interleaved, [...OTHERS, ...OWN], [...OWN, ...OTHERS]]) {
      expect(await outcomesOver(records, 'own', isSealed)).toEqual(alone)
    }
  })

  it('fails for the other project with an error that quotes no stored value', async () => {
    const outcomes = await outcomesOver(interleaved, 'other', isSealed)
    const failed = outcomes.filter(({ status }) => status === 400)
    expect(failed.length).toBe(outcomes.length)
    for (const { body } of failed) {
      expect(['invalid_sql', 'too_much_memory']).toContain(JSON.parse(body).code)
      for (const value of [SECRET, '77', '98765', 'xxx']) expect(body).not.toContain(value)
    }
  })
})
