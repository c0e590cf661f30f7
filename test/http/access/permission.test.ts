import { describe, expect, test } from 'vitest'
import { rate } from '../../../src/config/value-types.js'
import type { RecordIntake, SendOutcome } from '../../../src/http/intake/logs.js'
import { equals, matches } from '../../../src/plan/builder.js'
import { columnsOf, conjunctsOf } from '../../../src/plan/expression.js'
import type { Scope } from '../../../src/tokens/access.js'
import { createLimit } from '../../../src/tokens/limit.js'
import { createFakeClock } from '../../support/clock.js'
import {
  API_COUNTS,
  createTestApp,
  LOGS_ALL,
  readReply,
  refusal,
  STATS,
  type TestToken,
  UNAUTHORIZED,
} from '../support.js'

const scopes = (...names: Scope[]) => new Set<Scope>(names)
const bound = new Set(['a', 'b'])
const TOKENS: TestToken[] = [
  { token: 'both' },
  { token: 'query', scopes: scopes('query') },
  { token: 'ingest', scopes: scopes('ingest') },
  { token: 'bound', projects: bound },
  { token: 'bound-query', scopes: scopes('query'), projects: bound },
  { token: 'bound-ingest', scopes: scopes('ingest'), projects: bound },
  { token: 'expired', expiresUs: 0 },
]
const ALL_TAKEN: SendOutcome = { taken: 1, rejected: 0, byReason: {}, rejects: [] }

/** An app with the tokens above, and an intake that records the projects of the calls. */
function open(tokens: readonly TestToken[] = TOKENS, fate = ALL_TAKEN) {
  const given: { project?: string; projects?: ReadonlySet<string> }[] = []
  const intake: RecordIntake = {
    writeFailure: () => undefined,
    prepare() {},
    async take(_bytes, _form, { project, projects }) {
      given.push({ project, projects })
      return fate
    },
  }
  const app = createTestApp({ rows: () => [], tokens, intake })
  const ask = (token: string, path: string, method = 'GET') => {
    const body = method === 'POST' ? '[{}]' : undefined
    const headers = { 'X-API-KEY': token, 'Content-Type': 'application/json' }
    return app.get(path, { method, body, headers } as RequestInit)
  }
  return { ...app, ask, given }
}

const lacks = (scope: Scope) =>
  refusal(`The access token lacks the scope "${scope}", which this address needs. Use one that has it.`, 'forbidden')
const OF_ALL = refusal(
  'This address returns data of all projects, but the access token is bound to some. Use one that is not bound.',
  'forbidden',
)
const NOT_BOUND = refusal(
  'The access token is not bound to this project. Name one that it is bound to, or use another token.',
  'forbidden_project',
)

/** The expected result for each token: a status, or the scope that the token lacks. */
type Gets = Record<string, number | string>
const QUERY: Gets = {
  both: 200,
  query: 200,
  ingest: lacks('query'),
  bound: 200,
  'bound-query': 200,
  'bound-ingest': lacks('query'),
}
const INGEST: Gets = {
  both: 200,
  query: lacks('ingest'),
  ingest: 200,
  bound: 200,
  'bound-query': lacks('ingest'),
  'bound-ingest': 200,
}
const allBut = (gets: Gets, status: number): Gets =>
  Object.fromEntries(Object.entries(gets).map(([token, one]) => [token, one === 200 ? status : one]))

const TABLE: readonly [method: string, path: string, gets: Gets][] = [
  ...[LOGS_ALL, STATS, API_COUNTS].flatMap((path): [string, string, Gets][] => [
    ['GET', `${path}?project=a`, QUERY],
    ['GET', `${path}?project=c`, { ...QUERY, bound: NOT_BOUND, 'bound-query': NOT_BOUND }],
    ['GET', path, allBut(QUERY, 400)],
    ['GET', `${path}?project=a&project=b`, allBut(QUERY, 400)],
    ['DELETE', `${path}?project=a`, allBut(QUERY, 405)],
  ]),
  ['GET', '/api/endpoints', QUERY],
  ['GET', '/api/views', { ...QUERY, bound: OF_ALL, 'bound-query': OF_ALL }],
  ['GET', '/metrics', { ...QUERY, bound: OF_ALL, 'bound-query': OF_ALL }],
  ['POST', '/metrics', { ...allBut(QUERY, 405), bound: OF_ALL, 'bound-query': OF_ALL }],
  ['GET', '/nothing', allBut(QUERY, 404)],
  ...['/logs', '/api/logs'].flatMap((path): [string, string, Gets][] => [
    ['POST', path, INGEST],
    ['POST', `${path}?project=b`, INGEST],
    ['POST', `${path}?project=c`, { ...INGEST, bound: NOT_BOUND, 'bound-ingest': NOT_BOUND }],
    ['GET', path, allBut(INGEST, 405)],
  ]),
]

describe('what a token opens', () => {
  test.each(TABLE)('%s %s', async (method, path, gets) => {
    const { ask } = open()
    for (const [token, wanted] of Object.entries(gets)) {
      const { status, body } = await readReply(ask(token, path, method))
      expect([token, typeof wanted === 'number' ? status : [status, body]]).toEqual([
        token,
        typeof wanted === 'number' ? wanted : [403, wanted],
      ])
    }
    for (const token of ['expired', 'unknown', '']) {
      expect(await readReply(ask(token, path, method))).toEqual({ status: 401, body: UNAUTHORIZED })
    }
  })

  test('HEAD is refused as GET is', async () => {
    const { ask } = open()
    expect(await readReply(ask('ingest', `${LOGS_ALL}?project=a`, 'HEAD'))).toEqual({ status: 403, body: '' })
    expect((await ask('bound', '/metrics', 'HEAD')).status).toBe(403)
    expect((await ask('bound', '/api/endpoints', 'HEAD')).status).toBe(200)
  })

  test('is not asked for where no token is', async () => {
    const { ask } = open()
    for (const [method, path, status] of [
      ['GET', '/health', 200],
      ['OPTIONS', '/metrics', 204],
    ] as const)
      expect((await ask('', path, method)).status).toBe(status)
  })
})

describe('the cache', () => {
  const cacheStatus = async (reply: Promise<Response>) => (await reply).headers.get('cache-status')

  test.each([
    STATS,
    API_COUNTS,
  ])('of %s is one for each project of bound tokens, and another for the others', async (path) => {
    const { ask, engine } = open([...TOKENS, { token: 'bound-to-a', projects: new Set(['a']) }])
    const address = `${path}?project=a&interval=daily`
    expect(await cacheStatus(ask('both', address))).toBe('logweir; fwd=miss; stored')
    expect(await cacheStatus(ask('bound', address))).toBe('logweir; fwd=miss; stored')
    expect(await cacheStatus(ask('bound-to-a', address))).toBe('logweir; hit; ttl=900')
    expect(await cacheStatus(ask('query', address))).toBe('logweir; hit; ttl=900')
    expect(await cacheStatus(ask('bound', address.replace('=a', '=b')))).toBe('logweir; fwd=miss; stored')
    expect((await ask('bound-to-a', address.replace('=a', '=b'))).status).toBe(403)
    const filters = engine.runs.map(({ plan }) => plan.filter(({ op }) => op === 'filter')[0])
    expect(filters[1]).toEqual({ op: 'filter', where: equals('project', 'a') })
    expect(filters[2]).toEqual({ op: 'filter', where: equals('project', 'b') })
  })

  test('of usage.api-counts does not mix a name with the pattern that means it', async () => {
    const { ask, engine } = open([...TOKENS, { token: 'dot', projects: new Set(['a.c']) }])
    await ask('dot', `${API_COUNTS}?project=a.c&interval=daily`)
    await ask('both', `${API_COUNTS}?project=a%5C.c&interval=daily`)
    expect(engine.runs).toHaveLength(2)
    const urls = engine.runs.map(({ plan }) =>
      plan
        .flatMap((one) => (one.op === 'filter' ? conjunctsOf(one.where) : []))
        .find((condition) => columnsOf(condition).has('url')),
    )
    expect(urls).toEqual([1, 2].map(() => matches('url', 'a\\.c')))
  })
})

describe('records', () => {
  const only = new Set(['only'])

  test.each<[string, string, object]>([
    ['both', '/logs', { project: undefined, projects: undefined }],
    ['both', '/logs?project=c', { project: 'c', projects: undefined }],
    ['bound', '/logs', { project: undefined, projects: bound }],
    ['bound', '/logs?project=b', { project: 'b', projects: bound }],
    ['only', '/logs', { project: 'only', projects: only }],
    ['only', '/logs?project=', { project: 'only', projects: only }],
    ['only', '/logs?project=only', { project: 'only', projects: only }],
  ])('by the token %s to %s are of the right projects', async (token, path, wanted) => {
    const { ask, given } = open([...TOKENS, { token: 'only', projects: only }])
    expect((await ask(token, path, 'POST')).status).toBe(200)
    expect(given).toEqual([wanted])
  })

  test('of which all are of other projects are refused with 403, and the good of some are kept', async () => {
    const rejects = [{ record: 1, reason: 'forbidden_project' }]
    const none = open(TOKENS, { taken: 0, rejected: 1, byReason: { forbidden_project: 1 }, rejects })
    const { status, body } = await readReply(none.ask('bound', '/logs', 'POST'))
    expect([status, JSON.parse(body)]).toMatchObject([403, { code: 'forbidden_project', taken: 0, rejected: rejects }])
    const some = open(TOKENS, { taken: 2, rejected: 1, byReason: { forbidden_project: 1 }, rejects })
    expect(await readReply(some.ask('bound', '/logs', 'POST'))).toEqual({
      status: 200,
      body: '{"message":"Logged!","taken":2,"rejected":[{"record":1,"reason":"forbidden_project"}]}',
    })
  })
})

describe('a rate', () => {
  const clock = createFakeClock()
  const limited = (text: string) => createLimit(rate.read(text)!, clock)
  const TOO_MANY = refusal(
    'The access token has exceeded its rate limit. Try again after the seconds in Retry-After.',
    'too_many_requests',
  )

  test('is told with 429 and when to come again, at any path, and bounds no other token', async () => {
    const { ask } = open([
      { token: 'slow', limit: limited('6/m'), scopes: scopes('query') },
      { token: 'other', limit: limited('6/m') },
    ])
    expect((await ask('slow', '/api/endpoints')).status).toBe(200)
    clock.advance(2_500)
    for (const path of ['/api/endpoints', '/metrics', `${LOGS_ALL}?project=a`, '/nothing', '/logs']) {
      expect(await readReply(ask('slow', path), 'retry-after', 'content-type', 'access-control-allow-origin')).toEqual({
        status: 429,
        'retry-after': '8',
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        body: TOO_MANY,
      })
    }
    expect((await ask('other', '/api/endpoints')).status).toBe(200)
    clock.advance(7_500)
    expect((await ask('slow', '/logs')).status).toBe(403)
    expect((await ask('slow', '/api/endpoints')).status).toBe(429)
  })
})
