import { describe, expect, test } from 'vitest'
import { endpointsOf } from '../../../src/endpoints/index.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { checkedEndpoint } from '../../../src/user-endpoints/checked-endpoint.js'
import { sqlEndpoint } from '../../../src/user-endpoints/sql-endpoint.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge } from '../../support/records.js'
import { createTestApp } from '../support.js'
import { sqlPath } from './support.js'

const TIME_US = Date.UTC(2026, 10, 20, 9, 59) * 1_000
const RECORDS = [
  edge({ id: '1', timestampUs: TIME_US, metadata: { user_id: 'u', request: { path: '/a' } } }),
  edge({ id: '2', timestampUs: TIME_US, project: 'b', metadata: { usr_id: 'foreign' } }),
]

const WRONG = 'select usr_id from edge_logs'
const WARNING = 'No row of edge_logs in the range has the field usr_id. Did you mean user_id?'

const OWN = `-- name: own
-- param project: text, required
-- cache: 60s
${WRONG}`

/** The text of Studio's list of requests, which filters by the name of an output. */
const STUDIO = `select id, request.path as path from edge_logs as t
  cross join unnest(metadata) as m cross join unnest(m.request) as request where path like '/%' limit 100`

async function filled() {
  const engine = openEngine()
  await appendAll(engine, RECORDS)
  const endpoints = [
    ...endpointsOf({ loadCompiler: async () => ({ readSql }) }),
    checkedEndpoint(sqlEndpoint(OWN, 'own', readSql)),
  ]
  return createTestApp({ engine, endpoints })
}

const warningsOf = ({ headers }: Response): unknown => JSON.parse(headers.get('logweir-warnings') ?? 'null')

describe('the header Logweir-Warnings', () => {
  test.each([
    'application/json',
    'application/x-ndjson',
    'text/csv',
    'application/vnd.apache.arrow.stream',
  ])('has the warnings of SQL, as %s', async (Accept) => {
    const { get } = await filled()
    const response = await get(sqlPath(WRONG), { headers: { Accept } })
    expect(warningsOf(response)).toEqual([WARNING])
    expect(response.headers.get('access-control-expose-headers')).toContain('Logweir-Warnings')
  })

  test('is absent without warnings, and changes no body', async () => {
    const { get } = await filled()
    const response = await get(sqlPath('select user_id from edge_logs'))
    expect(response.headers.has('logweir-warnings')).toBe(false)
    expect(await (await get(sqlPath(WRONG))).text()).toBe('{"result":[{"usr_id":null}]}')
  })

  test('is sent for HEAD and with 304', async () => {
    const { get } = await filled()
    const head = await get(sqlPath(WRONG), { method: 'HEAD' })
    expect(warningsOf(head)).toEqual([WARNING])
    const same = await get(sqlPath(WRONG), { headers: { 'If-None-Match': head.headers.get('etag')! } })
    expect([same.status, warningsOf(same)]).toEqual([304, [WARNING]])
  })

  test('is cached with the answer of an endpoint of a file', async () => {
    const { get } = await filled()
    const path = '/api/endpoints/query/own?project=a'
    const [miss, hit] = [await get(path), await get(path)]
    expect([miss, hit].map((one) => one.headers.get('cache-status')?.split(';')[1])).toEqual([' fwd=miss', ' hit'])
    expect([miss, hit].map(warningsOf)).toEqual([[WARNING], [WARNING]])
    expect(warningsOf(await get('/api/endpoints/query/own?project=b'))).toBeNull()
  })

  test('is absent of an error', async () => {
    const { get } = await filled()
    const response = await get(sqlPath('select usr_id, cast(id as bool) from edge_logs'))
    expect([response.status, response.headers.has('logweir-warnings')]).toEqual([400, false])
  })

  test('leaves the answer to Studio as it is', async () => {
    const { get } = await filled()
    const response = await get(sqlPath(STUDIO))
    expect(await response.json()).toEqual({ result: [{ id: '1', path: '/a' }] })
    expect(warningsOf(response)).toBeNull()
  })
})
