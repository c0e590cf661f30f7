import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import {
  API_COUNTS,
  createTestApp,
  LOGS_ALL,
  NOT_FOUND,
  PREFIX,
  readReply,
  refusal,
  STATS,
  settle,
  TOKEN,
  UNAUTHORIZED,
} from './support.js'

const METHOD_NOT_ALLOWED = refusal(
  'This address does not accept this method. Use one of GET, HEAD, OPTIONS.',
  'method_not_allowed',
)
const STARTING = refusal('The service is recovering its data after a start. Try again shortly.', 'starting')
const STOPPING = refusal('The service is shutting down. Try again when it is back.', 'stopping')
const INTERNAL = refusal(
  'The service failed with an internal error. Try again; if it persists, see the log of the service.',
  'internal',
)
const JSON_TYPE = 'application/json; charset=utf-8'

describe('a preflight', () => {
  const { app } = createTestApp()
  const ask = async (names?: string, path = '/logs') => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' }
    const asked = names === undefined ? headers : { ...headers, 'Access-Control-Request-Headers': names }
    const response = await app.fetch(new Request(PREFIX + path, { method: 'OPTIONS', headers: asked }))
    const [allowed, vary] = ['access-control-allow-headers', 'vary'].map((name) => response.headers.get(name))
    expect([response.status, vary]).toEqual([204, names === undefined ? null : 'Access-Control-Request-Headers'])
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
    return allowed
  }
  const USUAL = 'X-API-KEY, Authorization, Content-Type, Cache-Control, If-None-Match, Last-Event-ID'
  const exactly2KiB = `x${',abc'.repeat(511)}def`

  test.each([
    'traceparent',
    'apikey,authorization,x-client-info',
    'baggage, traceparent ,tracestate',
    "X-!#$%&'*+-.^_`|~9",
    exactly2KiB,
  ])('allows the headers that it asks for: %.40s', async (names) => {
    expect(exactly2KiB.length).toBe(2_048)
    for (const path of ['/logs', LOGS_ALL, '/nothing']) expect(await ask(names, path)).toBe(names)
  })

  test.each([
    undefined,
    '',
    ' ',
    ',',
    'a,,b',
    'a b',
    'a;b',
    'a: b',
    '"a"',
    'caf\u00e9',
    `${exactly2KiB}x`,
  ])('allows the usual ones if it asks for none, or for what is no name: %#', async (names) => {
    expect(await ask(names)).toBe(USUAL)
  })
})

describe('open paths', () => {
  const { app, state } = createTestApp()
  const open = (path: string, init?: RequestInit) =>
    readReply(app.fetch(new Request(PREFIX + path, init)), 'content-type')

  test.each(['/health', '/ready'])('%s tells the status', async (path) => {
    for (const status of ['ok', 'degraded'] as const) {
      state.status = status
      expect(await open(path)).toEqual({ status: 200, 'content-type': JSON_TYPE, body: `{"status":"${status}"}` })
    }
  })

  test('/health lives and /ready is not while it stops', async () => {
    state.status = 'stopping'
    expect(await open('/health')).toEqual({ status: 200, 'content-type': JSON_TYPE, body: '{"status":"stopping"}' })
    const reply = app.fetch(new Request(`${PREFIX}/ready`))
    expect(await readReply(reply, 'retry-after')).toEqual({ status: 503, 'retry-after': '2', body: STOPPING })
  })

  test('other methods are refused without asking for a token', async () => {
    expect(await readReply(app.fetch(new Request(`${PREFIX}/health`, { method: 'POST' })), 'allow')).toEqual({
      status: 405,
      allow: 'GET, HEAD, OPTIONS',
      body: METHOD_NOT_ALLOWED,
    })
  })
})

describe('paths behind a token', () => {
  const { get, app } = createTestApp({ rows: () => [] })

  test.each([
    '/nothing',
    '/api',
    '/api/endpoints/',
    '/api/endpoints/query',
    '/api/endpoints/query/',
    '/metrics/',
  ])('%s is not found', async (path) => expect(await readReply(get(path))).toEqual({ status: 404, body: NOT_FOUND }))

  test.each([
    '/api/endpoints/query/logs.al',
    '/api/endpoints/query/LOGS.ALL',
    '/api/endpoints/query/__proto__',
  ])('%s is not an endpoint', async (path) =>
    expect(await readReply(get(`${path}?project=a`))).toEqual({ status: 404, body: NOT_FOUND }))

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'])('%s is refused on a known path', async (method) => {
    for (const path of ['/metrics', '/api/endpoints', '/api/projects?project=a']) {
      expect(await readReply(get(path, { method }), 'allow')).toEqual({
        status: 405,
        allow: 'GET, HEAD, OPTIONS',
        body: METHOD_NOT_ALLOWED,
      })
    }
    expect(await readReply(get('/nothing', { method }))).toEqual({ status: 404, body: NOT_FOUND })
  })

  test.each(['PUT', 'PATCH', 'DELETE', 'PURGE'])('%s is refused at an endpoint, which has POST too', async (method) => {
    expect(await readReply(get(`${LOGS_ALL}?project=a`, { method }), 'allow')).toEqual({
      status: 405,
      allow: 'GET, HEAD, POST, OPTIONS',
      body: METHOD_NOT_ALLOWED.replace('HEAD,', 'HEAD, POST,'),
    })
  })

  test.each(['GET', 'POST', 'DELETE'])('%s without a token: one answer, known path or not', async (method) => {
    for (const path of ['/metrics', '/api/endpoints', LOGS_ALL, '/nothing', '/api/endpoints/query/nothing']) {
      const reply = app.fetch(new Request(PREFIX + path, { method }))
      expect(await readReply(reply, 'allow')).toEqual({ status: 401, allow: null, body: UNAUTHORIZED })
    }
  })
})

describe('CORS', () => {
  const { app, get, state } = createTestApp({ rows: () => [] })

  test.each(['/', '/api/endpoints', '/nothing'])('OPTIONS %s needs no token', async (path) => {
    const response = await app.fetch(new Request(PREFIX + path, { method: 'OPTIONS' }))
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers':
        'X-API-KEY, Authorization, Content-Type, Cache-Control, If-None-Match, Last-Event-ID',
      'access-control-expose-headers':
        'Age, Cache-Status, Retry-After, ETag, Server-Timing, Logweir-Warnings, Logweir-View',
      'access-control-max-age': '86400',
      'x-content-type-options': 'nosniff',
      allow: 'GET, HEAD, OPTIONS',
    })
  })

  test('every answer may be read from any origin', async () => {
    const allowed = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('Age'),
    }
    const replies = [
      get('/'),
      get('/metrics'),
      get('/api/endpoints'),
      get(`${LOGS_ALL}?project=a`),
      get(`${STATS}?project=a`),
      get(LOGS_ALL),
      get('/nothing'),
      get('/', { method: 'PUT' }),
      app.fetch(new Request(`${PREFIX}/metrics`)),
      app.refuse(new Error('unforeseen')),
    ]
    for (const reply of replies) expect(Object.fromEntries((await reply).headers)).toMatchObject(allowed)
    state.status = 'starting'
    expect(Object.fromEntries((await get('/')).headers)).toMatchObject(allowed)
  })
})

test('while it starts it answers everything with 503', async () => {
  const { app, state } = createTestApp()
  state.status = 'starting'
  for (const path of ['/', '/health', '/ready', '/metrics', '/api/endpoints', LOGS_ALL, '/nothing']) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const reply = app.fetch(new Request(PREFIX + path, { method }))
      expect(await readReply(reply, 'retry-after')).toEqual({ status: 503, 'retry-after': '1', body: STARTING })
    }
  }
})

describe('the listing', () => {
  test('shows each definition', async () => {
    const { get } = createTestApp()
    const { status, body } = await readReply(get('/api/endpoints'))
    expect(status).toBe(200)
    const { result } = JSON.parse(body)
    expect(result.map(({ name }: Record<string, unknown>) => name)).toEqual(ENDPOINTS.map(({ name }) => name))
    const shown = result.slice(0, 3).map(({ query, parameters, ...rest }: Record<string, unknown>) => rest)
    expect(shown).toEqual([
      {
        id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d01',
        name: 'logs.all',
        max_rows: 1000,
        caching: 'disabled',
        cache_warming: null,
        sandboxing: false,
      },
      {
        id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d02',
        name: 'functions.invocation-stats',
        max_rows: 1000,
        caching: 900,
        cache_warming: 300,
        sandboxing: false,
      },
      {
        id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d03',
        name: 'usage.api-counts',
        max_rows: 1000,
        caching: 900,
        cache_warming: 300,
        sandboxing: false,
      },
    ])
    expect(result.map(({ query }: { query: string }) => query)).toEqual(ENDPOINTS.map(({ query }) => query))
    expect(result[0].parameters).toEqual([
      { name: 'project', required: true, description: 'the project whose requests are read' },
      { name: 'project_tier', required: false, description: expect.stringContaining('FREE, PRO, PAYG, ENTERPRISE') },
      { name: 'iso_timestamp_start', required: false, description: expect.stringContaining('ISO 8601') },
      { name: 'iso_timestamp_end', required: false, description: expect.stringContaining('ISO 8601') },
    ])
  })
})

describe('S6: failures', () => {
  const secret = 'ENOENT: /var/lib/logweir/journal of project victim'

  test.each([LOGS_ALL, STATS, API_COUNTS])('%s: what is unforeseen is logged and not shown', async (path) => {
    for (const error of [new TypeError(secret), new LogweirError('disk_torn', secret), secret]) {
      const { get, engine, logged } = createTestApp()
      const reply = get(`${path}?project=a`)
      await settle()
      engine.runs[0]!.fail(error)
      expect(await readReply(reply, 'retry-after')).toEqual({ status: 500, 'retry-after': null, body: INTERNAL })
      expect(logged).toEqual([`internal error: ${error instanceof Error ? `${error.name}: ${secret}` : error}`])
    }
  })

  test('what an engine foresees is shown', async () => {
    const { get, engine, logged } = createTestApp()
    const reply = get(`${LOGS_ALL}?project=a`)
    await settle()
    engine.runs[0]!.fail(new LogweirError('overloaded', 'The memory is full. Try again shortly.'))
    expect(await readReply(reply, 'retry-after')).toEqual({
      status: 503,
      'retry-after': '2',
      body: refusal('The memory is full. Try again shortly.', 'overloaded'),
    })
    expect(logged).toEqual([])
  })

  test('an app that throws refuses in the same form', async () => {
    const { app, logged } = createTestApp()
    expect(await readReply(app.refuse(new RangeError('deep')))).toEqual({ status: 500, body: INTERNAL })
    expect(logged).toEqual(['internal error: RangeError: deep'])
  })
})

describe('metrics', () => {
  test('count requests, queries and the cache', async () => {
    const { get, app } = createTestApp({ rows: () => [] })
    await get(`${STATS}?project=a`)
    await get(`${STATS}?project=a`)
    await get(`${LOGS_ALL}?project=a`)
    await app.fetch(new Request(`${PREFIX}/metrics`))
    const { status, body, ...rest } = await readReply(get('/metrics'), 'content-type')
    expect({ status, ...rest }).toEqual({ status: 200, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    for (const line of [
      'logweir_http_requests_total{status="200"} 3',
      'logweir_http_requests_total{status="401"} 1',
      'logweir_queries_total{endpoint="functions.invocation-stats",outcome="ok"} 2',
      'logweir_queries_total{endpoint="logs.all",outcome="ok"} 1',
      'logweir_query_duration_seconds_count{endpoint="functions.invocation-stats",cache="hit"} 1',
      'logweir_query_duration_seconds_count{endpoint="functions.invocation-stats",cache="miss"} 1',
      'logweir_query_duration_seconds_count{endpoint="logs.all",cache="bypass"} 1',
      'logweir_cache_hits_total{endpoint="functions.invocation-stats"} 1',
      'logweir_cache_misses_total{endpoint="functions.invocation-stats"} 1',
      'logweir_cache_entries 1',
      'logweir_queries_running 0',
    ]) {
      expect(body.split('\n')).toContain(line)
    }
  })

  test('S6: tell no token and no project', async () => {
    const { get } = createTestApp({ rows: () => [] })
    await get(`${STATS}?project=victim`)
    const { body } = await readReply(get('/metrics'))
    expect(body).not.toContain(TOKEN)
    expect(body).not.toContain('victim')
  })

  test('count a failed query by its code', async () => {
    const { get, engine, metrics } = createTestApp()
    const reply = get(`${STATS}?project=a`)
    await settle()
    engine.runs[0]!.fail(new Error('unforeseen'))
    await reply
    expect((await metrics.queries.get()).values).toEqual([
      { value: 1, labels: { endpoint: 'functions.invocation-stats', outcome: 'internal' } },
    ])
  })
})
