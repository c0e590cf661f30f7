import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { createTestApp, LOGS_ALL, NOT_FOUND, PREFIX, refusal, STATS, type TestToken, TOKEN } from '../support.js'
import { createSqlApp, IDS, nested, sqlPath } from './support.js'

const TOKENS: (string | TestToken)[] = [
  TOKEN,
  { token: 'sender', scopes: new Set(['ingest']) },
  { token: 'bound', projects: new Set(['mine']) },
  { token: 'slow', limit: { take: () => 7 } },
]
const key = (token: string) => ({ headers: { 'X-API-KEY': token } })

const failing = (error: Error) => ({
  engine: {
    run: async () => {
      throw error
    },
  },
})

interface Case {
  path?: string
  init?: RequestInit
  parts?: Parameters<typeof createSqlApp>[0]
  starts?: boolean
}

/** Status, code and Retry-After of every error that a request with SQL can get. */
const CASES: [about: string, status: number, code: string, given: Case][] = [
  ['no token', 401, 'unauthorized', { init: key('') }],
  ['a token without the scope', 403, 'forbidden', { init: key('sender') }],
  ['a token of another project', 403, 'forbidden_project', { init: key('bound') }],
  ['a token over its rate', 429, 'too_many_requests', { init: key('slow') }],
  ['no project', 400, 'missing_parameter', { path: sqlPath(IDS, '') }],
  ['an empty project', 400, 'missing_parameter', { path: sqlPath(IDS, 'project=') }],
  ['two projects', 400, 'duplicate_parameter', { path: sqlPath(IDS, 'project=a&project=b') }],
  ['SQL twice', 400, 'duplicate_parameter', { path: sqlPath(IDS, `project=a&sql=${encodeURIComponent(IDS)}`) }],
  ['SQL twice, once empty', 400, 'duplicate_parameter', { path: sqlPath(IDS, 'project=a&sql=') }],
  ['no time', 400, 'invalid_timestamp', { path: sqlPath(IDS, 'project=a&iso_timestamp_start=x') }],
  ['wrong SQL', 400, 'invalid_sql', { path: sqlPath('selec') }],
  ['a format that is unknown', 406, 'not_acceptable', { init: { headers: { Accept: 'image/png' } } }],
  ['another method', 405, 'method_not_allowed', { init: { method: 'PUT' } }],
  ['the start', 503, 'starting', { starts: true }],
  ...(
    [
      [400, 'invalid_sql'],
      [400, 'unsupported_sql'],
      [400, 'invalid_pattern'],
      [400, 'too_many_groups'],
      [400, 'too_much_memory'],
      [501, 'unsupported_by_engine'],
      [503, 'engine_unavailable'],
    ] as const
  ).map(([status, code]): (typeof CASES)[number] => {
    return [`${code} of the engine`, status, code, { parts: failing(new LogweirError(code, 'No.')) }]
  }),
  ['a defect', 500, 'internal', { parts: failing(new Error('secret')) }],
]

/** Sends a request to the app that `open` makes. */
async function answer(open: typeof createSqlApp, { path = sqlPath(IDS), init, parts, starts }: Case) {
  const { get, state } = open({ tokens: TOKENS, ...parts })
  if (starts) state.status = 'starting'
  const response = await get(path, init)
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

describe('an error of a request with SQL', () => {
  test.each(CASES)('nests message and code: %s', async (_about, status, code, given) => {
    const got = await answer(createSqlApp, given)
    const { error, ...others } = JSON.parse(got.body) as { error: { message: string; code: string } }
    expect([got.status, error.code, Object.keys(error), others]).toEqual([status, code, ['message', 'code'], {}])
    expect(error.message).not.toContain('secret')
    expect(got.headers['content-length']).toBe(`${Buffer.byteLength(got.body)}`)
  })

  test('is the same error that others get', async () => {
    for (const given of [{ path: sqlPath(IDS, '') }, { init: key('slow') }, { init: { method: 'PUT' } }]) {
      const withSql = await answer(createSqlApp, given)
      const without = await answer(createSqlApp, { ...given, path: LOGS_ALL })
      const { error: message, code } = JSON.parse(without.body)
      expect(withSql).toEqual({
        ...without,
        headers: { ...without.headers, 'content-length': `${Buffer.byteLength(withSql.body)}` },
        body: nested(message, code),
      })
    }
  })

  test('has no body for HEAD', async () => {
    const { get } = createSqlApp()
    const response = await get(sqlPath('selec'), { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([400, ''])
    const length = nested('This is no SQL (line 1, column 2)', 'invalid_sql').length
    expect(response.headers.get('content-length')).toBe(`${length}`)
  })

  test.each([
    '/api/endpoints/query/logs%2Eall',
    '/api/endpoints/query/8B0C1C7E-5b57-4d0a-9a55-6f0e5a3a1d01',
  ])('nests message and code at %s too', async (path) => {
    const { get } = createSqlApp()
    expect(await (await get(sqlPath('selec', 'project=a', path))).text()).toBe(
      nested('This is no SQL (line 1, column 2)', 'invalid_sql'),
    )
  })
})

describe('an error stays as it was', () => {
  const MISSING = refusal(
    'The parameter "project" is missing or empty. Give it a value: ?project=…',
    'missing_parameter',
  )
  test.each([
    ['of logs.all without sql', LOGS_ALL, MISSING],
    ['of logs.all with an empty sql', `${LOGS_ALL}?sql=`, MISSING],
    ['of logs.all with a parameter of another name', `${LOGS_ALL}?SQL=1&xsql=1&x=sql%3D1`, MISSING],
    ['of another endpoint', `${STATS}?sql=1`, MISSING],
    ['of no endpoint', '/api/endpoints/query/none?sql=1', NOT_FOUND],
    ['of another path', '/api/none?sql=1', NOT_FOUND],
  ])('%s', async (_about, path, body) => {
    const { get } = createSqlApp()
    expect(await (await get(path)).text()).toBe(body)
  })

  test('without the setting', async () => {
    const { get, app } = createTestApp()
    expect(await (await get(`${LOGS_ALL}?sql=1`)).text()).toBe(MISSING)
    const unknown = await app.fetch(new Request(`${PREFIX}${LOGS_ALL}?sql=1`))
    expect(Object.keys(JSON.parse(await unknown.text()))).toEqual(['error', 'code'])
  })
})
