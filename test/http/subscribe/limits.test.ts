import { expect, test } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { plainTokens } from '../../../src/tokens/token-registry.js'
import { createFakeClock } from '../../support/clock.js'
import { openEngine } from '../../support/engine.js'
import { readReply, settle, TOKEN } from '../support.js'
import { followResponse } from './client.js'
import { at, BY_PATH, createSubscribeApp, namesOf, sqlPath } from './support.js'

const PATH = sqlPath(BY_PATH)
const OVERLOADED = { status: 503, 'retry-after': '2', body: /"code":"overloaded"/ }
const numbered = (i: number) => sqlPath(`${BY_PATH} having n > ${-i}`)

/** Matches a reply with a body that is checked by a pattern. */
const matching = ({ body, ...rest }: { status: number; body: RegExp }) => ({
  ...rest,
  body: expect.stringMatching(body),
})

test('200 subscribers, 50 different queries', async () => {
  const { follow, request, bring, pass } = createSubscribeApp()
  await bring(at('/a'))
  const clients = []
  for (let i = 0; i < 50; i++) clients.push(await follow(numbered(i)))
  expect(await readReply(request(numbered(50)), 'retry-after')).toEqual(matching(OVERLOADED))
  for (let i = 0; i < 150; i++) clients.push(await follow(numbered(i % 50)))
  expect(await readReply(request(numbered(0)), 'retry-after')).toEqual(matching(OVERLOADED))
  // A query that was left makes room, and a client that left does too.
  for (const i of [0, 50, 100, 150]) await clients[i]!.leave()
  expect(namesOf(await follow(numbered(51)))).toEqual(['snapshot'])
  await bring(at('/a'))
  await pass(5_000)
  expect(clients.filter((client) => client.rows()[0] === '{"path":"/a","n":2}')).toHaveLength(196)
})

test('a result that is too large for the memory of all is refused', async () => {
  const { request, follow, bring } = createSubscribeApp({ limits: { resultsBytes: 4_000 } })
  await bring(...Array.from({ length: 20 }, (_, i) => at(`/${i}`)))
  expect(await readReply(request(PATH), 'retry-after')).toEqual(matching(OVERLOADED))
  expect(namesOf(await follow(sqlPath('select count(*) as n from edge_logs')))).toEqual(['snapshot'])
})

test('a result that grows beyond the memory of all ends its streams', async () => {
  const { follow, bring, pass } = createSubscribeApp({ limits: { resultsBytes: 20_000 } })
  const small = await follow(sqlPath('select count(*) as n from edge_logs'))
  const client = await follow(PATH)
  for (let i = 0; i < 40; i++) await bring(at(`/${i}`))
  await pass(30_000)
  expect(client.events.at(-1)).toMatchObject({ name: 'dropped', data: { error: { code: 'overloaded' } } })
  expect(small.rows()).toEqual(['{"n":40}'])
})

test('half of 200 subscribers never read: the others are served, within the memory', async () => {
  const limits = { resultsBytes: 500_000, chunkBytes: 4_000 }
  const { request, follow, bring, pass, metrics } = createSubscribeApp({ limits })
  const text = 'x'.repeat(300)
  const all = () => bring(...Array.from({ length: 100 }, (_, i) => at(`/${i}-${text}`)))
  await all()
  const sql = sqlPath(`${BY_PATH} order by n, path`)
  const silent = await Promise.all(Array.from({ length: 100 }, () => request(sql)))
  // One chunk is taken of each: the answer of that moment is held.
  const readers = silent.map(({ body }) => body!.getReader())
  const clients = []
  for (let i = 0; i < 100; i++) clients.push(await follow(sql))
  let most = 0
  for (let turn = 0; turn < 5; turn++) {
    for (const [i, reader] of readers.entries()) if (i % 5 === turn) for (let n = 0; n < 5; n++) void reader.read()
    await all()
    await pass(1_000)
    most = Math.max(most, (await metrics.subscriptionBytes.get()).values[0]!.value)
    expect(clients.filter(({ rows }) => rows()[0]!.endsWith(`"n":${turn + 2}}`))).toHaveLength(100)
  }
  expect(most).toBeGreaterThan(100_000)
  expect(most).toBeLessThanOrEqual(limits.resultsBytes)
})

test('a slow client gets the newest state', async () => {
  const { request, bring, pass, ask } = createSubscribeApp()
  await bring(...['/a', '/b', '/c'].map((path) => at(path)))
  const response = await request(PATH)
  for (let i = 0; i < 30; i++) {
    await bring(at(`/${i % 4}`))
    await pass(300)
  }
  const client = followResponse(response)
  await settle()
  expect(client.events.length).toBeLessThan(10)
  expect(client.rows().sort()).toEqual((await ask(PATH)).sort())
})

test.each([
  ['is revoked', () => plainTokens(['another'])],
  ['is bound to another project', () => bound('b')],
  ['is bound to the project, while the query is not', () => bound('a')],
])('a token that %s ends the stream within two seconds, without a row', async (_, tokens) => {
  const { follow, bring, pass, registry } = createSubscribeApp()
  await bring(at('/a'))
  const client = await follow(PATH)
  registry.replace(tokens())
  await bring(at('/b'))
  await pass(2_000)
  await client.ended
  expect(namesOf(client)).toEqual(['snapshot', 'dropped'])
  expect(client.events[1]!.data).toMatchObject({ error: { code: 'unauthorized' } })
})

function bound(project: string) {
  const [token] = plainTokens([TOKEN])
  return [{ ...token!, access: { ...token!.access, projects: new Set([project]) } }]
}

test('a token that ends in the middle of an event: the stream breaks off, and the event is no event', async () => {
  const { request, bring, pass, registry } = createSubscribeApp({ limits: { chunkBytes: 20 } })
  await bring(at('/a'), at('/b'))
  const reader = (await request(PATH)).body!.getReader()
  const read = async () => {
    const { done, value } = await reader.read()
    return done ? undefined : new TextDecoder().decode(value)
  }
  expect([await read(), (await read())?.length, (await read())?.length]).toEqual([
    expect.stringContaining('retry'),
    20,
    20,
  ])
  registry.replace(plainTokens(['another']))
  await pass(2_000)
  expect(await read()).toBeUndefined()
})

test('an engine that does not say when rows change: snapshots, every 5 s, if they differ', async () => {
  const { revision: _, ...engine } = openEngine()
  const app = createSubscribeApp({ engine })
  const { follow, bring, pass, evaluations } = app
  await bring(at('/a'))
  const client = await follow(PATH)
  await pass(20_000)
  expect([namesOf(client), await evaluations()]).toEqual([['snapshot'], 5])
  await bring(at('/b'))
  await pass(5_000)
  expect(namesOf(client)).toEqual(['snapshot', 'snapshot'])
  expect(client.events.map(({ data }) => 'key' in data)).toEqual([false, false])
})

test('all evaluations together take a quarter of a core at most', async () => {
  const clock = createFakeClock()
  const engine = openEngine({ clock })
  let runs = 0
  const run: typeof engine.run = async (plan, options) => {
    runs++
    clock.advance(200)
    return engine.run(plan, options)
  }
  const { follow, bring, pass } = createSubscribeApp({ clock, engine: { ...engine, run }, processorMs: undefined })
  for (let i = 0; i < 3; i++) await follow(numbered(i))
  runs = 0
  const startMs = clock.monotonicMs()
  while (clock.monotonicMs() < startMs + 20_000) {
    await bring(at('/a'))
    await pass(100)
  }
  expect(runs).toBeGreaterThan(8)
  expect(runs * 200).toBeLessThanOrEqual((clock.monotonicMs() - startMs) / 4 + 600)
})

test('a query that takes long does not delay the others', async () => {
  const clock = createFakeClock()
  const engine = openEngine({ clock })
  const run: typeof engine.run = async (plan, options) => {
    clock.advance(JSON.stringify(plan).includes('slow') ? 5_000 : 5)
    return engine.run(plan, options)
  }
  const app = createSubscribeApp({ clock, engine: { ...engine, run }, processorMs: () => clock.monotonicMs() })
  await app.follow(sqlPath("select 'slow' as s, count(*) as n from edge_logs group by s"))
  const quick = await app.follow(PATH)
  for (let second = 1; second <= 30; second++) {
    await app.bring(at('/a'))
    await app.pass(1_000)
    expect(quick.rows()).toEqual([`{"path":"/a","n":${second}}`])
  }
})

test.each([
  ['as long as each other', () => 6, 1],
  ['now and then much longer', (run: number) => (run % 60 === 0 ? 48 : 4), 1],
])('20 queries that want more than the quarter are evaluated in turn: %s', async (_, costOf, mostS) => {
  const clock = createFakeClock()
  const engine = openEngine({ clock })
  let [runs, spentMs] = [0, 0]
  const run: typeof engine.run = async (plan, options) => {
    const ms = costOf(++runs)
    clock.advance(ms)
    spentMs += ms
    return engine.run(plan, options)
  }
  const app = createSubscribeApp({ clock, engine: { ...engine, run }, processorMs: () => spentMs })
  for (let i = 0; i < 20; i++) await app.follow(numbered(i))
  const [startMs, before] = [clock.monotonicMs(), spentMs]
  while (clock.monotonicMs() < startMs + 10_000) {
    await app.bring(at('/a'))
    for (let i = 0; i < 10; i++) {
      clock.advance(5)
      await app.ended()
    }
  }
  expect((spentMs - before) / (clock.monotonicMs() - startMs)).toBeLessThanOrEqual(0.26)
  const { values } = await app.metrics.subscriptionLagSeconds.get()
  const withinS = (le: number | string) => values.find(({ labels }) => labels.le === le)!.value
  expect(withinS('+Inf')).toBeGreaterThan(200)
  expect(withinS(mostS)).toBe(withinS('+Inf'))
})

test('an evaluation that lacks memory or a slot is tried again, and then ends the streams', async () => {
  const engine = openEngine()
  let failures = 0
  const run: typeof engine.run = async (plan, options) => {
    if (failures-- > 0) throw new LogweirError('overloaded', 'Too many queries wait for their turn.')
    return engine.run(plan, options)
  }
  const { follow, bring, pass } = createSubscribeApp({ engine: { ...engine, run } })
  const client = await follow(PATH)
  failures = 2
  await bring(at('/a'))
  await pass(10_000)
  expect(client.rows()).toEqual(['{"path":"/a","n":1}'])
  failures = 3
  await bring(at('/a'))
  await pass(10_000)
  expect(client.events.at(-1)).toMatchObject({ name: 'dropped', data: { error: { code: 'overloaded' } } })
})

test('a client that leaves before the first event ends the evaluation', async () => {
  const engine = openEngine()
  const aborted: boolean[] = []
  const run: typeof engine.run = (_, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => {
        aborted.push(true)
        reject(signal!.reason)
      })
    })
  const { request, metrics } = createSubscribeApp({ engine: { ...engine, run } })
  const controller = new AbortController()
  const reply = request(PATH, {}, { signal: controller.signal })
  await settle()
  controller.abort()
  expect(await readReply(reply)).toMatchObject({ status: 499 })
  await settle()
  expect([aborted, (await metrics.subscribedQueries.get()).values[0]!.value]).toEqual([[true], 0])
})
