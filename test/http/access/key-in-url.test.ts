import { describe, expect, test } from 'vitest'
import { createAuth } from '../../../src/http/access/auth.js'
import { LOGFLARE_DIALECT } from '../../../src/http/reply/dialect.js'
import { FULL_ACCESS, INGEST_ACCESS } from '../../../src/tokens/access.js'
import { nested } from '../sql/support.js'
import { createTestApp, PREFIX, readReply, tokenRegistryOf, UNAUTHORIZED } from '../support.js'

const LOGGED = { status: 200, body: '{"message":"Logged!"}' }
const [message, code] = Object.values(JSON.parse(UNAUTHORIZED)) as [string, string]
const REFUSED = { status: 401, body: nested(message, code) }
const TOKENS = [
  { token: 'send', ...INGEST_ACCESS },
  { token: 'ask', ...FULL_ACCESS },
  { token: 'a+b/c==&d', ...FULL_ACCESS },
]

function open(parts: Parameters<typeof createTestApp>[0] = { dialect: LOGFLARE_DIALECT }) {
  const state = { prepared: 0 }
  const test = createTestApp({
    tokens: TOKENS,
    rows: () => [],
    intake: {
      writeFailure: () => undefined,
      prepare: () => void state.prepared++,
      take: async () => ({ taken: 1, rejected: 0, byReason: {}, rejects: [] }),
    },
    translate: async () => Buffer.from('{}\n'),
    ...parts,
  })
  const post = (path: string, headers: Record<string, string> = {}) =>
    readReply(
      test.app.fetch(
        new Request(PREFIX + path, {
          method: 'POST',
          body: '[{}]',
          headers: { 'Content-Type': 'application/json', ...headers },
        }),
      ),
    )
  return { ...test, post, prepared: () => state.prepared }
}

describe('a token in the URL, in the dialect of Logflare', () => {
  test.each([
    ['/api/logs?api_key=send', LOGGED],
    ['/api/logs?source_name=cloudflare.logs.prod&api_key=send&project=a', LOGGED],
    ['/logs?api_key=send', LOGGED],
    ['//api//logs/?api_key=send', LOGGED],
    ['/logs?api_key=ask', LOGGED],
    ['/logs?api_key=s%65nd', LOGGED],
    ['/v1/logs?api_key=send', { status: 200, body: '{}' }],
  ])('opens a path that accepts records: %s', async (path, answer) => {
    expect(await open().post(path)).toEqual(answer)
  })

  test.each([
    'a%2Bb%2Fc%3D%3D%26d',
    'a+b/c==%26d',
  ])('may be Base64, with its plus signs encoded or not: %s', async (key) => {
    expect(await open().post(`/logs?api_key=${key}`)).toEqual(LOGGED)
  })

  test.each([
    '/logs',
    '/logs?api_key=',
    '/logs?api_key=wrong',
    '/logs?api_key=sen',
    '/logs?api_key=send%20',
    '/logs?api_key=send&api_key=send',
    '/logs?api_key=&api_key=send',
    '/logs?api_key=send&api_key=',
    '/logs?apikey=send&API_KEY=send&token=send&x-api-key=send',
    '/logs?x=1%26api_key=send',
    '/logs#?api_key=send',
  ])('opens nothing if it is missing, wrong, empty or given twice: %s', async (path) => {
    expect(await open().post(path)).toEqual(REFUSED)
  })

  test.each([
    [{ 'X-API-KEY': 'wrong' }, REFUSED],
    [{ Authorization: 'Bearer wrong' }, REFUSED],
    [{ 'X-API-KEY': 'wrong', Authorization: 'Bearer ask' }, REFUSED],
    [{ 'X-API-KEY': '' }, LOGGED],
    [{ Authorization: 'Basic YTpi' }, LOGGED],
  ])('does not count if a header has one, even a wrong one: %j', async (headers, answer) => {
    expect(await open().post('/logs?api_key=ask', headers)).toEqual(answer)
    expect(await open().post('/logs?api_key=wrong', { 'X-API-KEY': 'send', ...headers })).toEqual(
      'X-API-KEY' in headers ? REFUSED : LOGGED,
    )
  })

  test.each([
    '/api/endpoints/query/logs.all?project=a&api_key=ask',
    '/api/endpoints?api_key=ask',
    '/api/backends?api_key=ask',
    '/api/tail?project=a&api_key=ask',
    '/metrics?api_key=ask',
    '/nothing?api_key=ask',
  ])('opens no other path: %s', async (path) => {
    expect(await readReply(open().app.fetch(new Request(PREFIX + path)))).toEqual(REFUSED)
  })

  test('lets the intake get ready while the service starts', async () => {
    const { post, state, prepared } = open()
    state.status = 'starting'
    expect([(await post('/logs?api_key=wrong')).status, prepared()]).toEqual([503, 0])
    expect([(await post('/logs?api_key=send')).status, prepared()]).toEqual([503, 1])
  })
})

test('a token in the URL opens nothing in the dialect of the service', async () => {
  for (const path of ['/api/logs', '/logs', '/v1/logs']) {
    const { status, body } = await open({}).post(`${path}?api_key=send`)
    expect([status, JSON.parse(body)]).toMatchObject([401, { error: message, code }])
  }
})

test('a query string is not read for a token if the caller gives none', () => {
  const authenticate = createAuth(tokenRegistryOf(TOKENS).accessOf)
  expect(authenticate(new Headers(), 'api_key=ask')).toEqual(expect.objectContaining(FULL_ACCESS))
  expect(authenticate(new Headers())).toBeUndefined()
})
