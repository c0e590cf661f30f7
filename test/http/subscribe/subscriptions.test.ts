import { expect, test } from 'vitest'
import { endpoint } from '../../../src/endpoints/endpoint.js'
import { text } from '../../../src/endpoints/params.js'
import { count, equals, scan } from '../../../src/plan/builder.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { checkedEndpoint } from '../../../src/user-endpoints/checked-endpoint.js'
import { sqlEndpoint } from '../../../src/user-endpoints/sql-endpoint.js'
import { readReply } from '../support.js'
import { at, BY_PATH, createSubscribeApp, dataOf, namesOf, RECENT, sqlPath } from './support.js'

test('a grouping is sent whole, and then by its changes', async () => {
  const { follow, bring, pass } = createSubscribeApp()
  await bring(at('/a'), at('/b'), at('/c'))
  const client = await follow(sqlPath(BY_PATH))
  await bring(at('/b'), at('/d'))
  await pass(300)
  expect(dataOf(client)).toEqual([
    {
      result: [
        { path: '/a', n: 1 },
        { path: '/b', n: 1 },
        { path: '/c', n: 1 },
      ],
      key: ['path'],
    },
    {
      upsert: [
        { path: '/b', n: 2 },
        { path: '/d', n: 1 },
      ],
      delete: [],
    },
  ])
  expect(namesOf(client)).toEqual(['snapshot', 'change'])
  expect(client.events.map(({ id }) => id)).toEqual(client.events.map(({ data }) => data.watermark))
  expect(client.events[0]!.id).toMatch(/^[0-9a-f]+\.1/)
  expect(client.retryMs()).toBe(2_000)
})

test('the headers of a stream: no store, no tag, no compression', async () => {
  const { request, bring } = createSubscribeApp()
  await bring(at('/a'))
  for (const method of ['GET', 'HEAD']) {
    const response = await request(sqlPath(BY_PATH), { 'Accept-Encoding': 'gzip' }, { method })
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.any(String),
      'cache-control': 'no-store',
      'content-type': 'text/event-stream; charset=utf-8',
      vary: 'Accept',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    await response.body?.cancel()
  }
})

test.each([
  ['usage.api-counts', 'project=a'],
  ['functions.invocation-stats', 'project=a&function_id=f'],
  ['logs.all', 'project=a'],
  ['logs.explore', 'project=a&source=edge_logs'],
  ['logs.histogram', 'project=a&source=edge_logs'],
  ['logs.fields', 'project=a&source=edge_logs'],
])('%s can be followed, and shows what a request shows', async (name, query) => {
  const { follow, bring, pass, ask } = createSubscribeApp()
  const path = `/api/endpoints/query/${name}?${query}`
  await bring(at('/a'))
  const client = await follow(path)
  expect([namesOf(client), client.rows()]).toEqual([['snapshot'], await ask(path)])
  await bring(at('/b'), at('/b'))
  await pass(2_500)
  expect(client.rows()).toEqual(await ask(path))
  if (name.startsWith('logs.')) expect(client.events.length).toBeGreaterThan(1)
})

test('a query in a file is followed, by its parameters, with changes up to its most rows', async () => {
  const text = [
    '-- max rows: 50',
    '-- param project: text, required',
    '-- param least: number, otherwise 1',
    'select request.path, count(*) as n from edge_logs group by path having count(*) >= @least',
  ]
  const own = checkedEndpoint(sqlEndpoint(text.join('\n'), 'own.paths', readSql))
  const { follow, bring, pass, evaluations } = createSubscribeApp({ endpoints: [own] })
  await bring(at('/a'), at('/b'), at('/b'))
  const [one, same, two] = [
    await follow('/api/endpoints/query/own.paths?project=a'),
    await follow(`/api/endpoints/query/${own.id}?least=1&project=a`),
    await follow('/api/endpoints/query/own.paths?project=a&least=2'),
  ]
  expect(await evaluations()).toBe(2)
  await bring(at('/a'))
  await pass(300)
  expect([one, same, two].map(namesOf)).toEqual([
    ['snapshot', 'change'],
    ['snapshot', 'change'],
    ['snapshot', 'change'],
  ])
  expect(two.rows()).toEqual(['{"path":"/b","n":2}', '{"path":"/a","n":2}'])
})

test('a module is followed as any query', async () => {
  const made = endpoint({
    id: '00000000-0000-4000-8000-000000000002',
    name: 'own.module',
    maxRows: 10,
    cache: 'disabled',
    params: { project: text('the project') },
    query: 'in a module',
    plan: ({ project }) =>
      scan('edge_logs', { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY })
        .filter(equals('project', project))
        .group('event_message')
        .aggregate({ n: count() })
        .limit(10),
  })
  const { follow, bring, pass } = createSubscribeApp({ endpoints: [checkedEndpoint(made)] })
  await bring(...['one', 'two', 'three', 'four'].map((event_message) => ({ event_message })))
  const client = await follow('/api/endpoints/query/own.module?project=a')
  await bring({ event_message: 'two' }, { event_message: 'two', project: 'b' })
  await pass(300)
  expect(dataOf(client)[1]).toEqual({ upsert: [{ event_message: 'two', n: 2 }], delete: [] })
})

test('the cache of answers is neither read nor filled', async () => {
  const { follow, get, bring, clock, metrics } = createSubscribeApp()
  const path = '/api/endpoints/query/usage.api-counts?project=a&interval=hourly'
  const request = { url: 'https://a/rest/v1', path: '/rest/v1' }
  const cached = async () => (await metrics.cacheEntries.get()).values[0]!.value
  await bring({ metadata: { request } })
  const first = await follow(path)
  expect(await cached()).toBe(0)
  expect((await get(path)).headers.get('cache-status')).toBe('logweir; fwd=miss; stored')
  await bring({ metadata: { request } })
  clock.advance(300)
  const second = await follow(path)
  expect((await get(path)).headers.get('cache-status')).toMatch('hit')
  const counts = [first, second].map(({ events }) => (events[0]!.data.result as { total_rest_requests: number }[])[0])
  expect(counts.map((row) => row!.total_rest_requests)).toEqual([1, 2])
})

test('POST is followed as GET is', async () => {
  const { request, bring } = createSubscribeApp()
  await bring(at('/a'))
  const init = { method: 'POST', body: JSON.stringify({ project: 'a', sql: BY_PATH }) }
  const response = await request('/api/endpoints/query/logs.all', { 'Content-Type': 'application/json' }, init)
  const { value } = await response.body!.getReader().read()
  expect([response.status, new TextDecoder().decode(value)]).toEqual([200, 'retry: 2000\n: logweir\n\n'])
})

test('errors before the first event are ordinary answers', async () => {
  const { request } = createSubscribeApp()
  const replies = [
    request(sqlPath('select from')),
    request(sqlPath(BY_PATH, '')),
    request('/api/endpoints/query/nothing'),
    request(sqlPath('select nope(1) from edge_logs'), {}, { method: 'HEAD' }),
  ]
  const read = await Promise.all(replies.map((reply) => readReply(reply, 'content-type')))
  expect(read.map(({ status }) => status)).toEqual([400, 400, 404, 400])
  expect(read[0]).toMatchObject({ 'content-type': 'application/json; charset=utf-8', body: /"code":"invalid_sql"/ })
})

test.each([
  ['no grouping', 'select id from edge_logs order by id'],
  ['no keys', 'select count(*) as n from edge_logs'],
  ['a limit', `${BY_PATH} order by path limit 5`],
  ['another order', `${BY_PATH} order by n`],
])('%s: snapshots only, without a key', async (_, sql) => {
  const { follow, bring, pass, ask } = createSubscribeApp()
  await bring(at('/a'))
  const client = await follow(sqlPath(sql))
  await bring(at('/b'))
  await pass(2_500)
  expect(namesOf(client)).toEqual(['snapshot', 'snapshot'])
  expect(client.events.map(({ data }) => Object.keys(data))).toEqual([
    ['result', 'watermark'],
    ['result', 'watermark'],
  ])
  expect(client.rows()).toEqual(await ask(sqlPath(sql)))
})

test('a change that is longer than the whole answer is sent as the whole', async () => {
  const { follow, bring, pass } = createSubscribeApp()
  await bring(at('/a'), at('/b'))
  const client = await follow(sqlPath(`${BY_PATH} having n = 1`))
  // Both rows go: two keys to delete are longer than no rows at all.
  await bring(at('/a'), at('/b'))
  await pass(300)
  expect(dataOf(client).at(-1)).toEqual({ result: [], key: ['path'] })
  // And the next event is a change of that.
  await bring(at('/c'), at('/d'))
  await pass(300)
  expect(client.rows()).toHaveLength(2)
})

test('a row that leaves a moving window is deleted, although nothing arrives', async () => {
  const { follow, bring, pass } = createSubscribeApp()
  await bring(...['/a', '/b', '/c', '/d'].map((path) => at(path)))
  await pass(60_000)
  await bring(...['/c', '/d', '/e', '/f'].map((path) => at(path)))
  const client = await follow(sqlPath(RECENT))
  expect(client.rows()).toHaveLength(6)
  await pass(251_000)
  expect(dataOf(client).slice(1)).toEqual([
    {
      upsert: [
        { path: '/c', n: 1 },
        { path: '/d', n: 1 },
      ],
      delete: [['/a'], ['/b']],
    },
  ])
  // The second event has another watermark than the first.
  expect(new Set(client.events.map(({ id }) => id)).size).toBe(2)
})

test('a window that moves is evaluated every 10 s if nothing arrives, and at once if rows do', async () => {
  const { follow, bring, pass, evaluations } = createSubscribeApp()
  await bring(at('/a'))
  const client = await follow(sqlPath(RECENT))
  await pass(100_000)
  expect(await evaluations()).toBe(11)
  expect(namesOf(client)).toEqual(['snapshot'])
  await pass(3_000)
  await bring(at('/a'))
  await pass(50)
  expect(client.rows()).toEqual(['{"path":"/a","n":2}'])
})

test('nothing arrives: nothing is evaluated, and nothing but comments is sent for 5 minutes', async () => {
  const { follow, bring, pass, evaluations } = createSubscribeApp()
  await bring(at('/a'))
  const clients = await Promise.all([follow(sqlPath(BY_PATH)), follow(sqlPath('select id from edge_logs'))])
  const before = await evaluations()
  for (let i = 0; i < 20; i++) await pass(15_000)
  expect(clients.map(namesOf)).toEqual([['snapshot'], ['snapshot']])
  expect(clients.map(({ comments }) => comments.length)).toEqual([21, 21])
  expect(await evaluations()).toBe(before)
})

test('rows of other projects and sources change nothing that is sent', async () => {
  const { follow, bring, pass } = createSubscribeApp()
  await bring(at('/a'))
  const client = await follow(sqlPath(BY_PATH))
  await bring(at('/b', { project: 'b' }))
  await pass(1_000)
  expect(namesOf(client)).toEqual(['snapshot'])
})

test('queries of rows are evaluated every 2 s at most, groupings every 250 ms', async () => {
  const { follow, bring, pass, evaluations } = createSubscribeApp()
  await follow(sqlPath('select id from edge_logs'))
  await pass(2_000)
  const count = async (ms: number) => {
    const before = await evaluations()
    for (let passed = 0; passed < ms; passed += 50) {
      await bring(at('/a'))
      await pass(50)
    }
    return (await evaluations()) - before
  }
  expect(await count(4_000)).toBeLessThanOrEqual(3)
  await follow(sqlPath(BY_PATH))
  expect(await count(4_000)).toBeGreaterThanOrEqual(16)
})

test('equal queries share an evaluation, other parameters and tokens bound to the project do not', async () => {
  const tokens = ['one', 'two', { token: 'bound', projects: new Set(['a']) }].map((token) => token)
  const { follow, bring, pass, evaluations, metrics } = createSubscribeApp({ tokens })
  await bring(at('/a'))
  for (let i = 0; i < 10; i++) await follow(sqlPath(BY_PATH), undefined, { 'X-API-KEY': i % 2 ? 'one' : 'two' })
  expect(await evaluations()).toBe(1)
  await follow(sqlPath(BY_PATH, 'project=b'), undefined, { 'X-API-KEY': 'one' })
  await follow(sqlPath(BY_PATH), undefined, { 'X-API-KEY': 'bound' })
  expect(await evaluations()).toBe(3)
  await bring(at('/a'))
  await pass(50)
  await pass(250)
  expect(await evaluations()).toBe(6)
  expect((await metrics.subscribedQueries.get()).values[0]!.value).toBe(3)
  expect((await metrics.subscriptionsOpen.get()).values[0]!.value).toBe(12)
})

test('a stream ends after a day, and when the service stops', async () => {
  const { follow, bring, pass, app, request } = createSubscribeApp({ limits: { streamMs: 24_000 } })
  await bring(at('/a'))
  const old = await follow(sqlPath(BY_PATH))
  await pass(23_000)
  const young = await follow(sqlPath(BY_PATH))
  await pass(1_000)
  await old.ended
  expect(namesOf(old)).toEqual(['snapshot'])
  app.beginStop(1_000)
  await young.ended
  expect(young.events.at(-1)).toMatchObject({ name: 'dropped', data: { error: { code: 'stopping' } } })
  expect((await readReply(request(sqlPath(BY_PATH)))).status).toBe(503)
})

test('an evaluation that fails ends the streams with the code of the query', async () => {
  const { follow, bring, pass } = createSubscribeApp()
  await bring(at('/a', { id: '1' }))
  const client = await follow(sqlPath('select cast(id as int64) as i, count(*) as n from edge_logs group by i'))
  await bring(at('/a', { id: 'x' }))
  await pass(300)
  await client.ended
  expect(client.events.at(-1)).toMatchObject({
    name: 'dropped',
    id: undefined,
    data: { error: { code: 'invalid_sql' } },
  })
})

test('a query that is replaced ends its streams', async () => {
  const { follow, bring, app } = createSubscribeApp()
  await bring(at('/a'))
  const client = await follow(sqlPath(BY_PATH))
  app.replaceEndpoints([])
  await client.ended
  expect(client.events.at(-1)).toMatchObject({ name: 'dropped', data: { error: { code: 'stopping' } } })
})

test('the lag is measured from the rows to the change', async () => {
  const { follow, bring, pass, metrics } = createSubscribeApp()
  await follow(sqlPath(BY_PATH))
  await bring(at('/a'))
  await pass(400)
  const { values } = await metrics.subscriptionLagSeconds.get()
  const value = (name: string) => values.find(({ metricName }) => metricName?.endsWith(name))!.value
  expect(value('_count')).toBe(1)
  expect(value('_sum')).toBeLessThanOrEqual(0.25)
})
