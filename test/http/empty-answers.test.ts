import { describe, expect, test } from 'vitest'
import type { SourceName } from '../../src/common/sources.js'
import { endpoint } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { createArrivals } from '../../src/http/query/arrivals.js'
import type { Row } from '../../src/plan/answer.js'
import { nothing, scan } from '../../src/plan/builder.js'
import type { Plan } from '../../src/plan/plan.js'
import { createFakeClock } from '../support/clock.js'
import { API_COUNTS, createTestApp, pass, readReply, STATS, settle } from './support.js'

const EMPTY = '{"result":[]}'
const FULL = '{"result":[{"n":1}]}'

const FAILING: Iterable<Row> = {
  [Symbol.iterator]() {
    throw new Error('The disk is away.')
  },
}

/** An app with an engine that returns the current rows of `state`. */
function open({ visibleMs = 0, emptyMs = 2_000, endpoints = ENDPOINTS } = {}) {
  const clock = createFakeClock()
  const state: { rows: Iterable<Row> } = { rows: [] }
  const arrivals = createArrivals(clock, visibleMs)
  const app = createTestApp({ rows: () => state.rows, clock, arrivals, endpoints, limits: { emptyMs } })
  const ask = (path: string, headers?: Record<string, string>) =>
    readReply(app.get(path, { headers }), 'cache-status', 'age')
  const accept = (source: SourceName) => {
    state.rows = [{ n: 1 }]
    arrivals.note(source)
  }
  return { ...app, state, arrivals, ask, accept }
}

const CASES: [string, SourceName, SourceName][] = [
  [`${STATS}?project=a`, 'function_edge_logs', 'edge_logs'],
  [`${API_COUNTS}?project=a&interval=daily`, 'edge_logs', 'function_edge_logs'],
]

describe.each(CASES)('an answer without rows of %s', (path, source, other) => {
  test('is served for at most 2 s after a record of its source was accepted', async () => {
    const { ask, accept, engine, clock } = open()
    expect((await ask(path)).body).toBe(EMPTY)
    accept(source)
    await pass(clock, 1)
    expect(await ask(path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=899', age: '1', body: EMPTY })
    await pass(clock, 1)
    const now = { status: 200, 'cache-status': 'logweir; fwd=stale; stored', age: null, body: FULL }
    expect(await ask(path)).toEqual(now)
    expect(await ask(path)).toEqual({ ...now, 'cache-status': 'logweir; hit; ttl=900', age: '0' })
    expect(engine.runs.length).toBe(2)
  })

  test('is computed again at once if it is older than 2 s', async () => {
    const { ask, accept, clock } = open()
    await ask(path)
    await pass(clock, 100)
    accept(source)
    expect((await ask(path)).body).toBe(FULL)
  })

  test('is kept while records of other sources arrive', async () => {
    const { ask, accept, engine, clock } = open()
    await ask(path)
    accept(other)
    await pass(clock, 100)
    expect(await ask(path)).toMatchObject({ 'cache-status': 'logweir; hit; ttl=800', body: EMPTY })
    expect(engine.runs.length).toBe(1)
  })

  test('is kept if the last record was accepted before it', async () => {
    const { ask, arrivals, clock, engine } = open()
    arrivals.note(source)
    await pass(clock, 1)
    await ask(path)
    await pass(clock, 100)
    expect(await ask(path)).toMatchObject({ 'cache-status': 'logweir; hit; ttl=800', body: EMPTY })
    expect(engine.runs.length).toBe(1)
  })

  test('is run at most every 2 s while records stream in, however many ask', async () => {
    const { ask, arrivals, engine, clock } = open()
    for (let s = 0; s < 20; s++) {
      arrivals.note(source)
      await Promise.all(Array.from({ length: 10 }, () => ask(path)))
      await pass(clock, 1)
    }
    expect(engine.runs.length).toBe(10)
  })

  test('is computed by one run for all who ask at the same time', async () => {
    const { ask, get, accept, engine, clock } = open()
    await ask(path)
    await pass(clock, 2)
    accept(source)
    const answers = await Promise.all([get(path), get(path), get(path)])
    expect(answers.map(({ headers }) => headers.get('cache-status'))).toEqual([
      'logweir; fwd=stale; stored',
      'logweir; fwd=stale; collapsed',
      'logweir; fwd=stale; collapsed',
    ])
    expect(engine.runs.length).toBe(2)
  })

  test('keeps its tag until it has rows', async () => {
    const { get, arrivals, accept, clock } = open()
    const tag = (await get(path)).headers.get('etag')!
    const again = async () => (await get(path, { headers: { 'If-None-Match': tag } })).status
    await pass(clock, 2)
    arrivals.note(source)
    expect(await again()).toBe(304)
    await pass(clock, 2)
    accept(source)
    expect(await again()).toBe(200)
  })

  test('over a server that shows rows late is asked again until the last one must be visible', async () => {
    const { ask, arrivals, engine, clock, state } = open({ visibleMs: 5_000, emptyMs: 5_000 })
    arrivals.note(source)
    await pass(clock, 1)
    expect((await ask(path)).body).toBe(EMPTY)
    state.rows = [{ n: 1 }]
    await pass(clock, 4)
    expect((await ask(path)).body).toBe(EMPTY)
    await pass(clock, 1)
    expect((await ask(path)).body).toBe(FULL)
    expect(engine.runs.length).toBe(2)
  })
})

test('an answer with rows is kept though records arrive', async () => {
  const { ask, accept, engine, clock } = open()
  accept('function_edge_logs')
  const path = `${STATS}?project=a`
  await ask(path)
  await pass(clock, 200)
  accept('function_edge_logs')
  expect(await ask(path)).toMatchObject({ 'cache-status': 'logweir; hit; ttl=700', body: FULL })
  expect(engine.runs.length).toBe(1)
})

describe('an answer that is empty by its parameters', () => {
  const rows = scan('edge_logs', { fromUs: 0, throughUs: 1 }).select('id').orderBy('timestamp', 'desc')
  const before = scan('edge_logs', { fromUs: 1, throughUs: 0 }).select('id').orderBy('timestamp', 'desc')

  test.each<[string, Plan]>([
    ['no plan', nothing()],
    ['no rows wanted', rows.limit(0)],
    ['no time', before.limit(9)],
    ['no part of a union with rows', [{ op: 'union', plans: [rows.limit(0), before.limit(9)] }]],
  ])('is kept though records arrive: %s', async (_, plan) => {
    const spec = { id: '00000000-0000-4000-8000-000000000001', name: 'own', maxRows: 9, params: {}, query: '' }
    const own = endpoint({ ...spec, cache: { ttlS: 900, warmS: 300 }, plan: () => plan })
    const { ask, arrivals, engine, clock } = open({ endpoints: [own] })
    await ask('/api/endpoints/query/own')
    arrivals.note('edge_logs')
    await pass(clock, 100)
    expect(await ask('/api/endpoints/query/own')).toMatchObject({ 'cache-status': 'logweir; hit; ttl=800' })
    expect(engine.runs.length).toBe(1)
  })
})

test('an entry whose run fails stays, and is warmed', async () => {
  const { ask, get, accept, engine, clock, state } = open()
  const path = `${STATS}?project=a`
  await ask(path)
  await pass(clock, 2)
  accept('function_edge_logs')
  state.rows = FAILING
  expect((await get(path)).status).toBe(500)
  state.rows = [{ n: 1 }]
  await pass(clock, 300)
  await settle()
  expect(await ask(path)).toMatchObject({ 'cache-status': expect.stringContaining('hit'), body: FULL })
  expect(engine.runs.length).toBe(3)
})
