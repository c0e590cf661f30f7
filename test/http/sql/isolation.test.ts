import { afterAll, expect, test } from 'vitest'
import { ownSourceNames } from '../../../src/common/sources.js'
import { endpointsOf } from '../../../src/endpoints/index.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge, type TestRecord } from '../../support/records.js'
import { createTestApp, TOKEN } from '../support.js'
import { sqlPath } from './support.js'

const NOW_US = Date.UTC(2026, 10, 20, 10, 30) * 1_000
const SECRET = 'leaked-4711'
/** The sources of the records. The first is an own source, if the process has one. */
const SOURCES = [...ownSourceNames(), 'edge_logs', 'postgres_logs'].slice(0, 2)
const ofSources = (sql: string) =>
  sql.replaceAll(/\b(?:edge|postgres)_logs\b/g, (name) => SOURCES[name === 'edge_logs' ? 0 : 1]!)

/** Record `i` of the project `a`. The status is a number, and the times are a minute apart. */
const own = (i: number): TestRecord => ({
  ...edge({
    id: `own-${100 + i}`,
    timestampUs: NOW_US - i * 60_000_000,
    event_message: `message ${i % 3}`,
    metadata: { request: { method: 'GET', path: `/rest/${i % 4}` }, response: { status_code: 200 + (i % 5) }, n: i },
  }),
  source: SOURCES[i % 2]!,
})

/** A record of another project, with values on which the queries below fail or which would show in an answer. */
const other = (i: number): TestRecord => ({
  ...edge({
    id: `${SECRET}-${i}`,
    timestampUs: NOW_US - i * 7_000_000,
    project: ['b', null, 'A', 'a '][i % 4]!,
    event_message: `${SECRET} `.repeat(i % 50),
    metadata: {
      request: { method: SECRET, path: SECRET },
      response: { status_code: i % 2 === 0 ? SECRET : 599 },
      n: SECRET,
      [`key${i}`]: SECRET,
    },
  }),
  source: SOURCES[i % 2]!,
})

const range = (length: number) => Array.from({ length }, (_, i) => i)

/** An app over the given records, partly in sealed segments. Returns the whole response without the measured time. */
async function open(records: readonly TestRecord[], sealRows: number) {
  const clock = createFakeClock(NOW_US)
  const engine = openEngine({ clock, sealRows })
  await appendAll(engine, records, 10)
  const endpoints = endpointsOf({ loadCompiler: () => import('../../../src/sql/read-sql.js') })
  const tokens = [TOKEN, { token: 'bound', projects: new Set(['a']) }]
  const { get, app } = createTestApp({ engine, clock, endpoints, tokens })
  afterAll(async () => {
    app.close()
    await engine.close()
  })
  return async (path: string, headers = {}) => {
    const response = await get(path, { headers })
    const { 'server-timing': timing, ...others } = Object.fromEntries(response.headers)
    return {
      status: response.status,
      headers: { ...others, 'server-timing': timing?.replace(/dur=[\d.]+/, 'dur') },
      body: await response.text(),
    }
  }
}

const alone = await open(range(40).map(own), 1_000)
const among = await open(
  range(400).flatMap((i) => (i % 10 === 0 ? [own(i / 10), other(i)] : [other(i)])),
  64,
)

const QUERIES = [
  'select id, timestamp, project, event_message, metadata from edge_logs order by id',
  'select * from postgres_logs order by timestamp desc, id limit 7',
  'select count(*), count(distinct id), min(id), max(id) from edge_logs',
  'select project, count(*) as n from edge_logs group by project order by n',
  "select count(*) as n from edge_logs where project = 'b'",
  "select count(*) as n from edge_logs where project is null or project != 'a'",
  "select id from edge_logs where event_message like '%leaked%' or id like 'leaked%'",
  'select cast(response.status_code as int64) as s, sum(cast(n as int64)) as n from edge_logs group by s order by s',
  'select id, 100 / (599 - cast(response.status_code as int64)) as x from edge_logs order by id',
  'select id from edge_logs order by cast(n as int64) desc limit 3',
  'select id from edge_logs where cast(n as int64) > 10 order by id',
  "select id, split(request.path, '/')[offset(2)] as part from edge_logs order by id",
  'select approx_count_distinct(event_message) as a, approx_quantiles(n, 4)[offset(2)] as q from edge_logs',
  'select r.method, count(*) as n from edge_logs, unnest(metadata) m, unnest(m.request) r group by 1',
  'select id from edge_logs union all select id from postgres_logs order by id',
  'select id from edge_logs where event_message in (select event_message from postgres_logs) order by id',
  'select k, count(*) as n from (select id in (select id from edge_logs) as k from postgres_logs) group by k',
  'with t as (select n from edge_logs) select sum(cast(n as int64)) as n from t where n is not null',
  'select timestamp_trunc(timestamp, hour) as t, count(*) as n from edge_logs group by t order by t',
  'select max(timestamp) as t from edge_logs',
  'select current_timestamp() as t',
  'select 1 as x',
  'explain select id from edge_logs where id in (select id from postgres_logs)',
  'explain select count(*) from edge_logs where cast(n as int64) >= 0 group by request.path',
].map(ofSources)

/** Queries that fail, over the rows of the project too. */
const FAILING = [
  'select cast(event_message as int64) as x from edge_logs',
  'select 1 / (cast(n as int64) - 10) as x from edge_logs',
  'select id from nowhere',
  'select id fro edge_logs',
  'select nofunction(id) from edge_logs',
].map(ofSources)

test.each([...QUERIES, ...FAILING])('rows of other projects change nothing of the answer to: %s', async (sql) => {
  for (const more of [
    'project=a',
    'project=a&iso_timestamp_start=2026-11-20T10:00:00Z&iso_timestamp_end=2026-11-20T10:20:00Z',
    'project=none',
  ]) {
    const wanted = await alone(sqlPath(sql, more))
    const got = await among(sqlPath(sql, more))
    expect(got).toEqual(wanted)
    expect(JSON.stringify(got)).not.toContain(SECRET)
    if (more !== 'project=none') expect(await among(sqlPath(sql, more), { 'X-API-KEY': 'bound' })).toEqual(wanted)
  }
})

test('the first ones of these queries have rows, the others fail', async () => {
  const statusesOf = (queries: readonly string[]) =>
    Promise.all(queries.map(async (sql) => [sql, (await among(sqlPath(sql))).status]))
  expect(await statusesOf(QUERIES)).toEqual(QUERIES.map((sql) => [sql, 200]))
  expect(await statusesOf(FAILING)).toEqual(FAILING.map((sql) => [sql, 400]))
  const of = async (sql: string, more?: string) => JSON.parse((await among(sqlPath(sql, more))).body).result
  expect((await of(QUERIES[0]!)).length).toBe(20)
  expect(await of(QUERIES[2]!)).toEqual([{ f0_: 20, f1_: 20, f2_: 'own-100', f3_: 'own-138' }])
  expect(await of(QUERIES[4]!)).toEqual([{ n: 0 }])
  // The start is excluded and the end included. Every second minute has an edge request.
  const between = 'project=a&iso_timestamp_start=2026-11-20T10:10:00Z&iso_timestamp_end=2026-11-20T10:20:00Z'
  expect(
    (await of(ofSources('select id from edge_logs order by id'), between)).map((row: { id: string }) => row.id),
  ).toEqual(['own-110', 'own-112', 'own-114', 'own-116', 'own-118'])
})
