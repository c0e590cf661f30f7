import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { sampleCall } from '../../src/endpoints/sample.js'
import { equals, scan } from '../../src/plan/builder.js'
import type { Plan } from '../../src/plan/plan.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import { readSql, type SqlQuery } from '../../src/sql/read-sql.js'
import { checkedEndpoint } from '../../src/user-endpoints/checked-endpoint.js'
import { sqlEndpoint } from '../../src/user-endpoints/sql-endpoint.js'
import { validateEndpoint } from '../../src/user-endpoints/validate.js'
import { createTestApp } from '../http/support.js'
import { appendAll, openEngine } from '../support/engine.js'
import { edge } from '../support/records.js'

const PLAN: Plan = scan('edge_logs', { fromUs: 0, throughUs: 1 }).select('id').limit(5)

/** A test double of the compiler: every `@name` in the text is a parameter, and the plan is always the same. */
function doubleOf(calls: [Readonly<Record<string, Scalar>>, number][] = []) {
  return (text: string): SqlQuery => ({
    parameters: new Set([...text.matchAll(/@(\w+)/g)].map(([, name]) => name!)),
    isExplain: /^explain/im.test(text),
    readsTimeAsBound: false,
    refuseParameters() {},
    plan(args, nowUs) {
      calls.push([args, nowUs])
      return PLAN
    },
  })
}

const made = (text: string, read = doubleOf()) => sqlEndpoint(text, 'own.file', read)
const given = (query: string) => new URLSearchParams(query)

describe('the endpoint of a .sql file', () => {
  it('has what its front matter says', () => {
    const text =
      '-- name: own.a\n-- id: 5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01\n-- max rows: 7\n-- cache: 60s\n' +
      '-- param since: timestamp\nselect @since\n'
    const endpoint = made(text)
    expect(endpoint).toMatchObject({
      id: '5b1f6a3e-0c1d-4a52-9a53-3d2c0f7e9a01',
      name: 'own.a',
      maxRows: 7,
      cache: { ttlS: 60, warmS: 20 },
      query: text,
    })
    expect(Object.keys(endpoint.params)).toEqual(['since'])
    expect(validateEndpoint(endpoint)).toBeUndefined()
  })

  it('has the name of its file and the UUID of that name by default', () => {
    // Computed with Python: uuid.uuid5(uuid.UUID('f97ccd42-d358-4cd7-85cf-2b93b5cfcf34'), 'own.file').
    expect(made('select 1')).toMatchObject({ name: 'own.file', id: UUID_OF_FILE, maxRows: 1000, cache: 'disabled' })
    expect(made('-- name: own.other\nselect 1').id).not.toBe(UUID_OF_FILE)
    expect(validateEndpoint(made('select 1'))).toBeUndefined()
  })

  it('plans with the values of its parameters and the time', () => {
    const calls: [Readonly<Record<string, Scalar>>, number][] = []
    const endpoint = made(
      '-- param since: timestamp\n-- param least: number, otherwise 10\n-- param level: text\n' +
        'select @since, @least, @level',
      doubleOf(calls),
    )
    expect(endpoint.call(given('since=1970-01-01T00:00:01Z&level=a')).plan(7)).toEqual(PLAN)
    expect(endpoint.call(given('')).plan(8)).toEqual(PLAN)
    expect(calls).toEqual([
      [{ since: new Timestamp(1_000_000), least: 10, level: 'a' }, 7],
      [{ since: null, least: 10, level: null }, 8],
    ])
  })

  it.each([
    ['9999-12-31T23:59:59.999999Z', 253402300799999999n],
    ['9999-12-31T23:59:59.999998Z', 253402300799999998n],
    ['2300-01-01T00:00:00.000001Z', 10413792000000001n],
    ['0001-01-01T00:00:00.000001Z', -62135596799999999n],
    ['1684-07-28T00:12:25.259007Z', -9007199254740993n],
    ['1684-07-28T00:12:25.259009Z', -9007199254740991],
  ])('reads the time %s to the microsecond, and has a key of its own for each', (time, us) => {
    const calls: [Readonly<Record<string, Scalar>>, number][] = []
    const endpoint = made('-- param since: timestamp\nselect @since', doubleOf(calls))
    const call = endpoint.call(given(`since=${time}`))
    call.plan(7)
    expect(calls).toEqual([[{ since: new Timestamp(us) }, 7]])
    expect(call.key).not.toBe(endpoint.call(given('since=9999-12-31T23:59:59.999997Z')).key)
  })

  it('refuses a time before the year 1', () => {
    const endpoint = made('-- param since: timestamp\nselect @since')
    expect(() => endpoint.call(given('since=0000-12-31T00:00:00Z'))).toThrow(
      expect.objectContaining({ code: 'invalid_timestamp' }),
    )
  })

  it('has the same key for the same values', () => {
    const { call } = made('-- param least: number, otherwise 10\nselect @least')
    expect(call(given('least=10.0')).key).toBe(call(given('')).key)
    expect(call(given('least=11')).key).not.toBe(call(given('')).key)
  })

  it('has a sample call, also of a word that is required', () => {
    const text = '-- param by: word hour|day, required\n-- param n: number, required\nselect @by, @n'
    expect(sampleCall(made(text))!.plan(0)).toEqual(PLAN)
  })
})

const UUID_OF_FILE = '3433cd89-2bf1-5422-a157-6f1d87bfe526'
const FORBIDDEN = expect.objectContaining({ code: 'forbidden_project' })
const ofProject = (project: string): Plan => [
  PLAN[0]!,
  { op: 'filter', where: equals('project', project) },
  ...PLAN.slice(1),
]

describe('the project of a .sql file', () => {
  it('is applied below the query for every caller if it is declared', () => {
    for (const query of ['select 1', 'select @project']) {
      const { call, callBound } = made(`-- param project: text, required\n${query}`)
      expect(call(given('project=a')).plan(0)).toEqual(ofProject('a'))
      expect(callBound(given('project=a')).plan(0)).toEqual(ofProject('a'))
      expect(callBound(given('project=a')).project).toBe('a')
      expect(() => call(given(''))).toThrow('The parameter "project" is missing')
    }
  })

  it('is the default project if the request names none', () => {
    const none = { get: () => null, getAll: () => [], defaultProject: 'mine' }
    const applied = made('-- param project: text, required\nselect 1')
    for (const call of [applied.call, applied.callBound]) expect(call(none).plan(0)).toEqual(ofProject('mine'))
    expect(applied.call(none).key).toBe(applied.call(given('project=mine')).key)
  })

  it('is not applied by hand, and then no caller bound to projects is served', () => {
    const { call, callBound } = made('-- project: by hand\n-- param project: pattern\nselect @project')
    expect(call(given('project=a')).plan(0)).toEqual(PLAN)
    expect(() => callBound(given('project=a'))).toThrow(
      new LogweirError(
        'forbidden_project',
        'The access token is bound to projects, and this query is not limited to one. Use a token that is not bound.',
      ),
    )
    expect(() => callBound(given('project=a'))).toThrow(FORBIDDEN)
  })

  it('is every one if none is declared, and then no caller bound to projects is served', () => {
    const { call, callBound } = made('select 1')
    expect(call(given('project=a')).plan(0)).toEqual(PLAN)
    expect(() => callBound(given('project=a'))).toThrow(FORBIDDEN)
  })
})

describe('a .sql file over HTTP', () => {
  const TEXT = 'select id from edge_logs order by id'
  const endpoints = {
    applied: `-- param project: text, required\n${TEXT}`,
    byHand: `-- project: by hand\n-- param project: text\n${TEXT.replace('order', 'where project = @project order')}`,
    all: TEXT,
  }

  it.each([
    ['applied', 'free', 200, ['a']],
    ['applied', 'bound', 200, ['a']],
    ['byHand', 'free', 200, ['a']],
    ['byHand', 'bound', 403, undefined],
    ['all', 'free', 200, ['a', 'b']],
    ['all', 'bound', 403, undefined],
  ] as const)('whose project is %s answers a caller who is %s with %i', async (name, token, status, ids) => {
    const engine = openEngine()
    await appendAll(
      engine,
      ['a', 'b'].map((project) => edge({ project, id: project })),
    )
    const { get, app } = createTestApp({
      engine,
      endpoints: [checkedEndpoint(sqlEndpoint(endpoints[name], 'own.file', readSql))],
      tokens: [{ token: 'free' }, { token: 'bound', projects: new Set(['a']) }],
    })
    const headers = { 'X-API-KEY': token }
    const response = await get('/api/endpoints/query/own.file?project=a', { headers })
    const body = (await response.json()) as { result?: { id: string }[]; code?: string }
    expect([response.status, body.result?.map(({ id }) => id)]).toEqual([status, ids])
    if (status === 403) expect(body.code).toBe('forbidden_project')
    app.close()
    await engine.close()
  })
})

describe('a .sql file is refused if', () => {
  it.each([
    [
      'a parameter is not used',
      '-- param a: text\n-- param b: text\nselect @a',
      'the parameter b is declared but not used: use @b, or delete the line (line 2)',
    ],
    [
      'a project by hand is not used',
      '-- project: by hand\n-- param project: text\nselect 1',
      'the parameter project is declared but not used: use @project, or delete the line (line 2)',
    ],
    [
      'a parameter is not declared',
      '-- @sinces\n-- param sinces_too: text\nselect @sinces_too,\n  @sinces',
      '@sinces is not declared: add "-- param sinces: text" above the query (line 4)',
    ],
    [
      'the name of a parameter is misspelled',
      '-- param since: timestamp\nselect @since,\n@sinze',
      '@sinze is not declared: add "-- param sinze: text" above the query. Did you mean @since? (line 3)',
    ],
    ['it is an EXPLAIN', '-- explain\nExplain select 1', 'an endpoint cannot be EXPLAIN: delete the word (line 2)'],
  ])('%s', (_, text, message) => {
    expect(() => made(text)).toThrow(expect.objectContaining({ code: 'usage', message }))
  })
})
