import { describe, expect, test } from 'vitest'
import type { LogFields } from '../../../src/base/log.js'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { API_COUNTS, createTestApp, LOGS_ALL, STATS } from '../support.js'

const SQL = 'select%20secret%20from%20postgres_logs'

/** An app that answers every query at once, with log and counters. */
function open() {
  const lines: { message: string; facts: LogFields | undefined }[] = []
  const test = createTestApp({ rows: () => [], log: (message, facts) => lines.push({ message, facts }) })
  const counted = async (parameter: string) => {
    const { values } = await test.metrics.unreadParameters.get()
    return values.find(({ labels }) => labels.parameter === parameter)?.value
  }
  return { ...test, lines, counted }
}

const remedyOf = (endpoint: string, parameter: string) =>
  endpoint === 'logs.all' && parameter === 'sql' ? 'Start with --sql, leave' : 'Leave'

const lineOf = (endpoint: string, parameter: string) => ({
  message:
    `endpoint ${endpoint} ignores the parameter "${parameter}": its client gets the rows of the stored query. ` +
    `${remedyOf(endpoint, parameter)} this client on Logflare, or write an endpoint of your own (docs/logflare.md). ` +
    'Logged once, counted in logweir_unread_parameters_total.',
  facts: { level: 'warn', code: 'unread_parameter', endpoint, parameter },
})

describe('a query of the caller that the endpoint does not read', () => {
  test.each([
    ['sql', LOGS_ALL, 'logs.all'],
    ['lql', LOGS_ALL, 'logs.all'],
    ['sql', STATS, 'functions.invocation-stats'],
    ['lql', API_COUNTS, 'usage.api-counts'],
    ['sql', `/api/endpoints/query/${ENDPOINTS[0]!.id}`, ENDPOINTS[0]!.name],
  ])('%s of %s is logged once without its value, and counted each time', async (parameter, path, name) => {
    const { get, lines, counted } = open()
    for (let i = 0; i < 3; i++) expect((await get(`${path}?project=a&${parameter}=${SQL}${i}`)).status).toBe(200)
    expect(lines).toEqual([lineOf(name, parameter)])
    expect(await counted(parameter)).toBe(3)
  })

  test('is logged once for each endpoint and parameter', async () => {
    const { get, lines } = open()
    for (const path of [LOGS_ALL, STATS, LOGS_ALL]) await get(`${path}?sql=${SQL}&project=a&lql=x`)
    expect(lines.map(({ facts }) => [facts?.endpoint, facts?.parameter])).toEqual([
      ['logs.all', 'sql'],
      ['logs.all', 'lql'],
      ['functions.invocation-stats', 'sql'],
      ['functions.invocation-stats', 'lql'],
    ])
  })

  test('is counted for HEAD, from the cache, and for a call that is refused', async () => {
    const { get, counted, lines } = open()
    expect((await get(`${STATS}?project=a&sql=x`, { method: 'HEAD' })).status).toBe(200)
    expect((await get(`${STATS}?project=a&sql=x`)).headers.get('cache-status')).toContain('hit')
    expect((await get(`${STATS}?sql=x`)).status).toBe(400)
    expect(await counted('sql')).toBe(3)
    expect(lines.length).toBe(1)
  })

  test.each(['sql', 'lql'])('%s does not change the answer of logs.all', async (parameter) => {
    const rows = () => [{ id: '1', timestamp: 1, event_message: 'x', metadata: null }]
    const { get } = createTestApp({ rows })
    const replyTo = async (search: string) => {
      const response = await get(`${LOGS_ALL}?project=a${search}`)
      return { status: response.status, headers: [...response.headers], body: await response.text() }
    }
    expect(await replyTo(`&${parameter}=${SQL}`)).toEqual(await replyTo(''))
  })

  test('changes neither the answer nor the cache entry', async () => {
    const { get, engine } = open()
    const bare = await (await get(`${STATS}?project=a`)).text()
    const response = await get(`${STATS}?project=a&sql=${SQL}`)
    expect([response.headers.get('cache-status'), await response.text()]).toEqual([
      expect.stringContaining('hit'),
      bare,
    ])
    expect(engine.runs.length).toBe(1)
  })
})

test.each([
  ['an empty value', `${LOGS_ALL}?project=a&sql=`],
  ['another name', `${LOGS_ALL}?project=a&x_sql=1&SQL=1&mysql=2`],
  ['a part of another value', `${LOGS_ALL}?project=sql=1`],
  ['an unknown endpoint', '/api/endpoints/query/none?sql=1'],
  ['another path', '/api/endpoints?sql=1'],
])('nothing is logged or counted for %s', async (_about, path) => {
  const { get, lines, counted } = open()
  await get(path)
  expect([lines, await counted('sql')]).toEqual([[], 0])
})

test('an endpoint that reads the parameter is left alone, also when it replaces one that did not', async () => {
  const { app, get, lines, counted } = open()
  await get(`${LOGS_ALL}?project=a&sql=x`)
  const sql = { required: false, description: 'a query', read: (text: string | undefined) => text }
  app.replaceEndpoints([{ ...ENDPOINTS[0]!, params: { ...ENDPOINTS[0]!.params, sql } }])
  await get(`${LOGS_ALL}?project=a&sql=x`)
  expect([lines.length, await counted('sql')]).toEqual([1, 1])
  app.replaceEndpoints(ENDPOINTS)
  await get(`${LOGS_ALL}?project=a&sql=x`)
  expect([lines.length, await counted('sql')]).toEqual([1, 2])
})
