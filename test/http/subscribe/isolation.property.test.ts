import { expect, it } from 'vitest'
import { endpoint } from '../../../src/endpoints/endpoint.js'
import { optionalText } from '../../../src/endpoints/params.js'
import { count, scan } from '../../../src/plan/builder.js'
import { fill } from '../../engine/plans.js'
import { createFakeClock } from '../../support/clock.js'
import { mulberry32, oneOf } from '../../support/random.js'
import { randomRecords } from '../../support/random-plans.js'
import { randomSql } from '../../support/random-sql.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { settle } from '../support.js'
import { followResponse } from './client.js'
import { createSubscribeApp, sqlPath } from './support.js'
import { openViewEngine } from './view-engine.js'

const NOW_US = Date.UTC(2026, 10, 25, 10, 37, 42) * 1_000
const SECRET = 'leaked-4711'
const TOKENS = ['free', { token: 'bound', projects: new Set(['a']) }]
/** Each is read once, and followed. */
const QUERIES = costlyRuns(5_000)
const QUERIES_AN_ENGINE = 100
/** So many that each query can be followed by both tokens. */
const LIMITS = { subscribers: 1_000, subscribedQueries: 1_000 }

const USUAL = [
  'select * from edge_logs',
  'select event_message, count(*) as n from edge_logs group by event_message',
  'select project, id, count(*) as n from edge_logs group by project, id',
  'select min(event_message) as first, max(id) as last from edge_logs',
  'select * from view.requests',
  'select event_message, sum(n) as n from view.requests group by event_message',
]

const VIEW = `-- view: keep 400d
select timestamp_trunc(timestamp, hour) as hour, event_message, id, count(*) as n
from edge_logs group by hour, event_message, id`

/** A query that reads all projects, whichever the request names: only a token that is bound to one is limited to it. */
const all = endpoint({
  id: '00000000-0000-4000-8000-000000000001',
  name: 'own.all',
  maxRows: 1_000,
  cache: 'disabled',
  params: { project: optionalText('any') },
  query: 'select event_message from edge_logs',
  plan: () =>
    scan('edge_logs', { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY })
      .group('event_message')
      .aggregate({ n: count() })
      .orderBy('event_message')
      .limit(1_000),
})

it(
  'a bound token that reads or follows a query is sent no text of another project, whoever else follows the query',
  async () => {
    const seed = testSeed()
    let events = 0
    for (let from = 0; from < QUERIES; from += QUERIES_AN_ENGINE)
      events += await followAll(seed + from, Math.min(QUERIES_AN_ENGINE, QUERIES - from))
    expect(events).toBeGreaterThan(QUERIES)
  },
  120_000 + QUERIES * 1_000,
)

/** Follows queries as both tokens while rows arrive. Returns how many events the bound token was sent. */
async function followAll(seed: number, queries: number): Promise<number> {
  const random = mulberry32(seed)
  const clock = createFakeClock(NOW_US)
  const { engine, work, endpoints } = await openViewEngine(VIEW, clock, { sealRows: 20 })
  const app = createSubscribeApp({ clock, engine, tokens: TOKENS, limits: LIMITS, endpoints: [...endpoints, all] })
  const bring = () =>
    fill(
      engine,
      randomRecords(random, 40).map((record, i) =>
        record.project === 'a' ? record : { ...record, id: `${SECRET}-${i}`, event_message: SECRET, metadata: foreign },
      ),
      random,
    )
  await bring()
  const clients = []
  for (let i = 0; i < queries; i++) {
    const sql = random() < 0.5 ? oneOf(random, USUAL) : randomSql(random)
    // Another project may be named, or none, or one that the token is not bound to.
    const ofSql = sqlPath(sql, oneOf(random, ['project=a', 'project=a', 'project=b', 'x=1', 'project=*']))
    const path = ['own.all', 'requests'].map((name) => `/api/endpoints/query/${name}?project=a`)[i] ?? ofSql
    const read = await app.get(path, { headers: { 'X-API-KEY': 'bound' } })
    expect((await read.text()).includes(SECRET), `seed ${seed}: ${path}`).toBe(false)
    for (const key of random() < 0.5 ? ['bound', 'free'] : ['free', 'bound']) {
      const response = await app.request(path, { 'X-API-KEY': key })
      if (response.status !== 200) expect(key === 'free' || !(await response.text()).includes(SECRET)).toBe(true)
      else if (key === 'bound') clients.push({ path, client: followResponse(response) })
      else void followResponse(response)
    }
  }
  for (let turn = 0; turn < 2; turn++) {
    await bring()
    await app.pass(2_500)
  }
  await settle()
  const sent = clients.flatMap(({ path, client }) => client.events.map((event) => ({ path, event })))
  const wrong = sent.filter(({ event }) => JSON.stringify(event).includes(SECRET))
  expect(wrong, `seed ${seed}`).toEqual([])
  app.app.close()
  app.app.beginStop(0)
  await settle()
  await work.stop()
  await engine.close()
  return sent.length
}

const foreign = JSON.stringify({
  level: SECRET,
  function_id: SECRET,
  execution_time_ms: SECRET,
  request: { path: SECRET, url: SECRET },
  response: { status_code: SECRET },
  list: [SECRET],
})
