import { describe, expect, test } from 'vitest'
import { MINUTE_US, SECOND_US } from '../../../src/base/units.js'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import type { Row } from '../../../src/plan/answer.js'
import { RawJson } from '../../../src/plan/values/values.js'
import {
  API_COUNTS,
  createTestApp,
  LOGS_ALL,
  PREFIX,
  pass,
  readReply,
  refusal,
  STATS,
  settle,
  TOKEN,
} from '../support.js'

const ROWS: Row[] = [
  {
    id: 'a"b',
    timestamp: 1_763_632_800_123_456,
    event_message: 'é\u2028\0',
    metadata: new RawJson('{"n":1.0,"b":[1e5]}'),
  },
  { id: '', timestamp: 0, event_message: '', metadata: null },
]
const ROWS_JSON =
  '{"result":[' +
  '{"id":"a\\"b","timestamp":1763632800123456,"event_message":"é\u2028\\u0000","metadata":{"n":1.0,"b":[1e5]}},' +
  '{"id":"","timestamp":0,"event_message":"","metadata":null}]}'

/** The parameters that an endpoint requires. */
const SOURCE = 'project=a&source=edge_logs&field=status&interval=daily'
/** Returns the parameters that an endpoint has, or all parameters if the endpoint ignores the others. */
function searchFor({ params, refusesUnknown }: (typeof ENDPOINTS)[number]): string {
  const given = [...new URLSearchParams(SOURCE)]
  return String(new URLSearchParams(refusesUnknown ? given.filter(([name]) => name in params) : given))
}

describe('an answer', () => {
  test.each([LOGS_ALL, STATS, API_COUNTS])('of %s holds the rows as they are', async (path) => {
    const { get } = createTestApp({ rows: () => ROWS })
    expect(await readReply(get(`${path}?project=a`), 'content-type', 'content-length', 'cache-control', 'age')).toEqual(
      {
        status: 200,
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(ROWS_JSON)),
        'cache-control': 'private, no-cache',
        age: null,
        body: ROWS_JSON,
      },
    )
  })

  test('without rows is an empty list', async () => {
    const { get } = createTestApp({ rows: () => [] })
    expect(await readReply(get(`${LOGS_ALL}?project=a`))).toEqual({ status: 200, body: '{"result":[]}' })
  })

  test('is asked of the engine with the plan of its endpoint, at the present time', async () => {
    const { get, engine, clock } = createTestApp({ rows: () => [] })
    for (const endpoint of ENDPOINTS) {
      const given = searchFor(endpoint)
      await get(`/api/endpoints/query/${endpoint.name}?${given}`)
      const call = endpoint.call(new URLSearchParams(given))
      expect(engine.runs.at(-1)!.plan).toEqual(call.plan(clock.nowUs()))
    }
  })

  /** The endpoints that return the rows of the plan unchanged. */
  const PLAIN = ENDPOINTS.filter(({ call }) => call(new URLSearchParams(SOURCE)).computation === undefined).map(
    (endpoint) => ({ ...endpoint, search: searchFor(endpoint) }),
  )

  test.each(PLAIN)('of $name is had by name and by id, percent-encoded or not', async ({ id, name, search }) => {
    const { get, engine } = createTestApp({ rows: () => ROWS })
    const encoded = [...name].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')
    for (const address of [name, id, id.toUpperCase(), encoded, name.replace('.', '%2E')]) {
      const reply = get(`/api/endpoints/query/${address}?${search}`, { headers: { 'Cache-Control': 'no-cache' } })
      expect(await readReply(reply)).toEqual({ status: 200, body: ROWS_JSON })
    }
    expect(engine.runs.map(({ plan }) => plan)).toEqual(Array(5).fill(engine.runs[0]!.plan))
  })
})

describe('HEAD', () => {
  test.each([LOGS_ALL, STATS])('of %s gives the headers of GET', async (path) => {
    const { app } = createTestApp({ rows: () => ROWS })
    const ask = (method: string) =>
      app.fetch(new Request(`${PREFIX}${path}?project=a`, { method, headers: { 'X-API-KEY': TOKEN } }))
    await ask('GET')
    const [get, head] = await Promise.all([ask('GET'), ask('HEAD')])
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers))
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('of a refusal gives its headers', async () => {
    const { app, get } = createTestApp()
    const { headers } = await get('/nothing')
    const head = await get('/nothing', { method: 'HEAD' })
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(headers))
    expect([head.status, await head.text()]).toEqual([404, ''])
    const refused = await app.fetch(new Request(`${PREFIX}/nothing`, { method: 'HEAD' }))
    expect([refused.status, await refused.text()]).toEqual([401, ''])
  })
})

describe('S4: parameters', () => {
  const missing = refusal(
    'The parameter "project" is missing or empty. Give it a value: ?project=…',
    'missing_parameter',
  )
  const twice = (name: string) =>
    refusal(`The parameter "${name}" is given 2 times. Give it once.`, 'duplicate_parameter')
  const notIso = (name: string) =>
    refusal(
      `The parameter "${name}" is not an ISO 8601 time. ` +
        'Write it as 2026-11-20T10:00:00Z, with a "+" of an offset encoded as %2B.',
      'invalid_timestamp',
    )
  const notRe2 = (reason: string) => refusal(`The pattern is not valid RE2: ${reason}.`, 'invalid_pattern')

  test.each([
    ['no project', LOGS_ALL, '', missing],
    ['an empty project', LOGS_ALL, '?project=', missing],
    ['a project in brackets', STATS, '?project[]=a', missing],
    ['a project of another letter case', API_COUNTS, '?Project=a', missing],
    ['a project behind #', STATS, '?x=1#?project=a', missing],
    ['project twice', STATS, '?project=a&project=a', twice('project')],
    ['project twice, once empty', STATS, '?project=&project=a', twice('project')],
    ['project twice, once encoded', STATS, '?project=a&%70roject=b', twice('project')],
    ['interval twice', API_COUNTS, '?project=a&interval=daily&interval=daily', twice('interval')],
    ['a start that is no time', LOGS_ALL, '?project=a&iso_timestamp_start=yesterday', notIso('iso_timestamp_start')],
    ['an end that is no time', LOGS_ALL, '?project=a&iso_timestamp_end=2026-02-30', notIso('iso_timestamp_end')],
    [
      'an offset whose + is not encoded',
      LOGS_ALL,
      '?project=a&iso_timestamp_end=2026-02-01T00:00:00+02:00',
      notIso('iso_timestamp_end'),
    ],
    ['an open bracket', API_COUNTS, '?project=[', notRe2('missing ]: [')],
    ['a look-ahead', API_COUNTS, '?project=(?=a)', notRe2('invalid perl operator: (?=')],
    ['a back reference', API_COUNTS, '?project=(a)\\1', notRe2('invalid escape sequence: \\1')],
    ['1,001 characters', API_COUNTS, `?project=${'a'.repeat(1001)}`, notRe2('it is longer than 1000 characters')],
  ])('%s is refused', async (_, path, query, body) => {
    const { get, engine } = createTestApp({ rows: () => [] })
    expect(await readReply(get(path + query))).toEqual({ status: 400, body })
    expect(engine.runs).toEqual([])
  })

  test.each([
    ['a bad escape', 'project=a&%zz=%'],
    ['a bad escape in a parameter that is read', 'project=%zz'],
    ['bytes that are not UTF-8', 'project=%ff%fe'],
    ['NUL', 'project=a%00b'],
    ['__proto__ and constructor', 'project=a&__proto__=b&constructor=c&__proto__[project]=d'],
    ['20 KiB', `project=${'x'.repeat(20_480)}`],
    ['a parameter that is not read given twice', 'project=a&x=1&x=2'],
    ['only separators', '&&project=a&&=&'],
  ])('%s is taken as text', async (_, query) => {
    const { get, engine, clock } = createTestApp({ rows: () => [] })
    expect(await readReply(get(`${STATS}?${query}`))).toEqual({ status: 200, body: '{"result":[]}' })
    const call = ENDPOINTS[1]!.call(new URLSearchParams(query))
    expect(engine.runs.map(({ plan }) => plan)).toEqual([call.plan(clock.nowUs())])
    expect(({} as Record<string, unknown>).project).toBeUndefined()
  })

  test.each([
    [
      STATS,
      [
        'project=a',
        'x=1&project=a',
        'project=a&interval=',
        'interval=1day&project=a',
        'project=a&interval=3day',
        'project=a#b',
        'function_id=&project=%61',
        'project=a&iso_timestamp_start=no&x=1&x=2',
      ],
    ],
    [API_COUNTS, ['project=a', 'project=a&interval=', 'interval=weekly&project=a', 'project=a&function_id=f']],
  ])('%s: what means the same is one entry', async (path, queries) => {
    const { get, engine } = createTestApp({ rows: () => [] })
    for (const query of queries) await get(`${path}?${query}`)
    expect(engine.runs.length).toBe(1)
  })

  test('what means another thing is another entry', async () => {
    const { get, engine } = createTestApp({ rows: () => [] })
    const queries = [
      'project=a',
      'project=b',
      'project=a&interval=7day',
      'project=a&function_id=f',
      'project=A',
      'project=a%20',
    ]
    for (const query of queries) await get(`${STATS}?${query}`)
    await get(`${API_COUNTS}?project=a`)
    expect(engine.runs.length).toBe(queries.length + 1)
  })
})

describe('Cache-Status and Age', () => {
  const ask = async (app: ReturnType<typeof createTestApp>, path: string, headers = {}) => {
    const { body, ...rest } = await readReply(app.get(path, { headers }), 'cache-status', 'age')
    return rest
  }

  test('of an endpoint that is not cached', async () => {
    const app = createTestApp({ rows: () => [] })
    for (const headers of [{}, { 'Cache-Control': 'no-cache' }]) {
      expect(await ask(app, `${LOGS_ALL}?project=a`, headers)).toEqual({
        status: 200,
        'cache-status': 'logweir; fwd=bypass',
        age: null,
      })
    }
    expect(app.engine.runs.length).toBe(2)
  })

  test('of a miss, then of hits as they age, then of a miss after 900 s', async () => {
    const app = createTestApp({ rows: () => [] })
    const path = `${STATS}?project=a`
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; fwd=miss; stored', age: null })
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=900', age: '0' })
    app.clock.advance(60_999)
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=840', age: '60' })
    app.app.close()
    app.clock.advance(900_000 - 60_999 - 1)
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=1', age: '899' })
    app.clock.advance(1)
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; fwd=miss; stored', age: null })
    expect(app.engine.runs.length).toBe(2)
  })

  test('age counts from the time that the query read, not from its end', async () => {
    const app = createTestApp()
    const path = `${STATS}?project=a`
    const first = app.get(path)
    await settle()
    app.clock.advance(20_000)
    app.engine.runs[0]!.finish()
    await first
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=880', age: '20' })
  })

  test.each([
    'no-cache',
    'max-age=0, no-cache',
    'NO-CACHE',
    'no-cache="x"',
  ])('%s recomputes and stores', async (value) => {
    const app = createTestApp({ rows: () => [] })
    const path = `${STATS}?project=a`
    await ask(app, path)
    app.clock.advance(10_000)
    expect(await ask(app, path, { 'Cache-Control': value })).toEqual({
      status: 200,
      'cache-status': 'logweir; fwd=request; stored',
      age: null,
    })
    expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=900', age: '0' })
    expect(app.engine.runs.length).toBe(2)
  })

  test.each(['max-age=0', 'x-no-cache', 'no-cachette', 'no-store'])('%s is not no-cache', async (value) => {
    const app = createTestApp({ rows: () => [] })
    await ask(app, `${STATS}?project=a`)
    await ask(app, `${STATS}?project=a`, { 'Cache-Control': value })
    expect(app.engine.runs.length).toBe(1)
  })

  test('C3: of an answer that is too large to be kept', async () => {
    const app = createTestApp({ rows: () => ROWS, limits: { cacheEntryBytes: 600 } })
    for (let i = 0; i < 2; i++) {
      expect(await ask(app, `${STATS}?project=a`)).toEqual({
        status: 200,
        'cache-status': 'logweir; fwd=miss',
        age: null,
      })
    }
    expect(app.engine.runs.length).toBe(2)
  })

  test('jumps of the wall clock move neither age nor time to live', async () => {
    const app = createTestApp({ rows: () => [] })
    const path = `${STATS}?project=a`
    await ask(app, path)
    app.clock.advance(60_000)
    for (const jumpUs of [60 * MINUTE_US, -60 * MINUTE_US, 24 * 60 * MINUTE_US, -10 * SECOND_US]) {
      app.clock.setNowUs(app.clock.nowUs() + jumpUs)
      expect(await ask(app, path)).toEqual({ status: 200, 'cache-status': 'logweir; hit; ttl=840', age: '60' })
    }
    await pass(app.clock, 1)
    expect(app.engine.runs.length).toBe(1)
  })
})
