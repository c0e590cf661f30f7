import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { LOGFLARE_DIALECT } from '../../../src/http/reply/dialect.js'
import { FULL_ACCESS, INGEST_ACCESS } from '../../../src/tokens/access.js'
import { API_COUNTS, createTestApp, LOGS_ALL, readReply, STATS, TOKEN } from '../support.js'

const TOKENS = [
  { token: TOKEN, ...FULL_ACCESS },
  { token: 'send', ...INGEST_ACCESS },
  { token: 'slow', ...FULL_ACCESS, limit: { take: () => 7 } },
]
const rejected = { taken: 0, rejected: 1, byReason: { too_old: 1 }, rejects: [{ record: 1, reason: 'too_old' }] }

type TestOptions = NonNullable<Parameters<typeof createTestApp>[0]>

function open(options: TestOptions = {}) {
  return createTestApp({
    tokens: TOKENS,
    rows: () => [],
    intake: { writeFailure: () => undefined, prepare() {}, take: async () => rejected },
    translate: async () => Buffer.from('{}\n'),
    ...options,
  })
}

const key = (token: string) => ({ headers: { 'X-API-KEY': token } })
const json = { method: 'POST', body: '[{}]', headers: { 'Content-Type': 'application/json' } }
const run = async () => {
  throw new Error('secret')
}
const away = async () => {
  throw new LogweirError('engine_unavailable', 'It is away.')
}

interface Case {
  init?: RequestInit
  options?: TestOptions
  starts?: boolean
}

/** An error of each kind, at each kind of path but `/v1/logs`. */
const CASES: [path: string, status: number, code: string, given: Case][] = [
  [`${LOGS_ALL}?project=a`, 401, 'unauthorized', { init: key('wrong') }],
  ['/nothing', 401, 'unauthorized', { init: key('') }],
  ['/logs', 401, 'unauthorized', { init: { ...json, ...key('wrong') } }],
  ['/api/endpoints', 403, 'forbidden', { init: key('send') }],
  ['/api/backends', 403, 'forbidden', { init: key('send') }],
  ['/metrics', 429, 'too_many_requests', { init: key('slow') }],
  ['/nothing', 404, 'not_found', {}],
  ['/api/endpoints/query/nothing?project=a', 404, 'not_found', {}],
  ['/api/endpoints', 405, 'method_not_allowed', { init: { method: 'DELETE' } }],
  ['/logs', 405, 'method_not_allowed', {}],
  ['/', 405, 'method_not_allowed', { init: { method: 'POST' } }],
  [STATS, 400, 'missing_parameter', {}],
  [`${LOGS_ALL}?project=a&iso_timestamp_start=x`, 400, 'invalid_timestamp', {}],
  [`${API_COUNTS}?project=(`, 400, 'invalid_pattern', {}],
  [`${LOGS_ALL}?project=a`, 406, 'not_acceptable', { init: { headers: { Accept: 'image/png' } } }],
  [`${LOGS_ALL}?project=a`, 500, 'internal', { options: { engine: { run } } }],
  [`${LOGS_ALL}?project=a`, 503, 'engine_unavailable', { options: { engine: { run: away } } }],
  ['/logs?source=nginx', 400, 'unknown_source', { init: json }],
  ['/logs?source=a&source=b', 400, 'duplicate_parameter', { init: json }],
  ['/api/logs', 415, 'unsupported_content_type', { init: { method: 'POST', body: 'x' } }],
  ['/health', 503, 'starting', { starts: true }],
  ['/ready', 503, 'starting', { starts: true }],
  ['/logs', 503, 'starting', { init: json, starts: true }],
  ['/nothing', 503, 'starting', { init: key(''), starts: true }],
]

async function answer(path: string, { init, options, starts }: Case, dialect: TestOptions['dialect']) {
  const { get, state } = open({ ...options, dialect })
  if (starts) state.status = 'starting'
  const response = await get(path, init)
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

describe('an error in the dialect of Logflare', () => {
  test.each(CASES)('nests message and code at %s: %i %s', async (path, status, code, given) => {
    const own = await answer(path, given, undefined)
    const { error: message, ...others } = JSON.parse(own.body)
    expect([own.status, others]).toEqual([status, { code }])
    const body = JSON.stringify({ error: { message, code } })
    const headers = { ...own.headers, 'content-length': String(Buffer.byteLength(body)) }
    expect(await answer(path, given, LOGFLARE_DIALECT)).toEqual({ status, headers, body })
  })

  test('nests them if all records are rejected, with what was rejected next to it', async () => {
    const { body, status } = await answer('/logs', { init: json }, LOGFLARE_DIALECT)
    expect([status, JSON.parse(body)]).toEqual([
      400,
      {
        error: { message: expect.stringMatching(/^No record was accepted: too_old 1\. /), code: 'invalid_records' },
        taken: 0,
        rejected: [{ record: 1, reason: 'too_old' }],
      },
    ])
  })

  test('nests them in the answer to bytes that are no request', async () => {
    const { app } = open({ dialect: LOGFLARE_DIALECT })
    expect(await readReply(app.refuse(new LogweirError('bad_request', 'No.')))).toEqual({
      status: 400,
      body: '{"error":{"message":"No.","code":"bad_request"}}',
    })
  })

  test.each([
    ['no token', { ...json, ...key('') }, 401],
    ['records that are all rejected', json, 400],
    ['an unknown type', { ...json, headers: { 'Content-Type': 'text/plain' } }, 415],
    ['another method', {}, 405],
  ])('stays a google.rpc.Status at /v1/logs: %s', async (_about, init, status) => {
    const [own, theirs] = await Promise.all([
      answer('/v1/logs', { init }, undefined),
      answer('/v1/logs', { init }, LOGFLARE_DIALECT),
    ])
    expect(theirs).toEqual(own)
    expect([theirs.status, Object.keys(JSON.parse(theirs.body))]).toEqual([status, ['error', 'code', 'message']])
  })
})

describe('the list of log drains', () => {
  const path = '/api/backends?metadata%5Btype%5D=log-drain'

  test('has one entry, whose texts say why there are no others', async () => {
    const { get } = open({ dialect: LOGFLARE_DIALECT })
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }
    expect(await readReply(get(path, { headers }), 'content-type', 'access-control-allow-origin')).toEqual({
      status: 200,
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      body: JSON.stringify(LOGFLARE_DIALECT.lists['/api/backends']),
    })
    const added = await readReply(get(path, json), 'allow')
    expect([added.status, (added as { allow?: string }).allow, JSON.parse(added.body).error.code]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method_not_allowed',
    ])
    expect((await readReply(open().get(path))).status).toBe(404)
  })
})
