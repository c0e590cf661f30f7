import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { endpointsOf } from '../../../src/endpoints/index.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { edge, type TestRecord } from '../../support/records.js'
import { createTestApp, LOGS_ALL, readReply, STATS } from '../support.js'
import { BOTH, COUNT, createSqlApp, IDS, nested, readSql, sqlPath } from './support.js'

const SECOND = Date.UTC(2026, 10, 20, 10) * 1_000
const at = (second: number) => SECOND + second * 1_000_000
const auth = (given: Parameters<typeof edge>[0]): TestRecord => ({ ...edge(given), source: 'auth_logs' })

/** Records of two projects in two sources, a record each second. */
const RECORDS = [
  ...[1, 2, 3].map((i) => edge({ id: `e${i}`, timestampUs: at(i) })),
  ...[1, 2, 3].map((i) => edge({ id: `other${i}`, timestampUs: at(i), project: 'b' })),
  edge({ id: 'nobody', timestampUs: at(1), project: null }),
  ...[1, 2, 3].map((i) => auth({ id: `f${i}`, timestampUs: at(i) })),
  ...[1, 2, 3].map((i) => auth({ id: `otherf${i}`, timestampUs: at(i), project: 'b' })),
]

async function filled(records: readonly TestRecord[] = RECORDS, parts: Parameters<typeof createSqlApp>[0] = {}) {
  const engine = openEngine()
  await appendAll(engine, records)
  const { app, ...test } = createSqlApp({ engine, ...parts })
  const close = async () => {
    app.close()
    await engine.close()
  }
  const idsOf = async (path: string) => {
    const { result } = (await (await test.get(path)).json()) as { result: { id: string }[] }
    return result.map(({ id }) => id).join(' ')
  }
  return { ...test, idsOf, close }
}

describe('sql= of logs.all', () => {
  test('answers the rows of the SQL, of the project in every source', async () => {
    const { idsOf, get, close } = await filled()
    expect(await idsOf(sqlPath(IDS))).toBe('e1 e2 e3')
    expect(await idsOf(sqlPath(BOTH))).toBe('e1 e2 e3 f1 f2 f3')
    expect(await idsOf(sqlPath(BOTH, 'project=b'))).toBe('other1 other2 other3 otherf1 otherf2 otherf3')
    expect(await idsOf(sqlPath(BOTH, 'project=none'))).toBe('')
    expect(await (await get(sqlPath(COUNT, 'project=none'))).json()).toEqual({ result: [{ n: 0 }] })
    await close()
  })

  test('is found by the id too', async () => {
    const { idsOf, close } = await filled()
    expect(await idsOf(sqlPath(IDS, 'project=a', '/api/endpoints/query/8B0C1C7E-5b57-4d0a-9a55-6f0e5a3a1d01'))).toBe(
      'e1 e2 e3',
    )
    await close()
  })

  test.each([
    ['iso_timestamp_start=2026-11-20T10:00:01Z', 'e2 e3 f2 f3'],
    ['iso_timestamp_start=2026-11-20T10:00:00.999999Z', 'e1 e2 e3 f1 f2 f3'],
    ['iso_timestamp_end=2026-11-20T10:00:02Z', 'e1 e2 f1 f2'],
    ['iso_timestamp_end=2026-11-20T10:00:01.999999Z', 'e1 f1'],
    ['iso_timestamp_start=2026-11-20T10:00:01Z&iso_timestamp_end=2026-11-20T10:00:02Z', 'e2 f2'],
    ['iso_timestamp_start=2026-11-20T10:00:03Z&iso_timestamp_end=2026-11-20T10:00:02Z', ''],
    ['project_tier=FREE', 'e1 e2 e3 f1 f2 f3'],
  ])('%s: the rows of %s', async (more, ids) => {
    const { idsOf, clock, close } = await filled()
    // Longer than the free tier reaches back.
    clock.advance(2 * 86_400_000)
    expect(await idsOf(sqlPath(BOTH, `project=a&${more}`))).toBe(ids)
    await close()
  })

  test('answers at most 1000 rows', async () => {
    const many = Array.from({ length: 1_001 }, (_, i) => edge({ id: `${10_000 + i}`, timestampUs: at(1) }))
    const { idsOf, close } = await filled(many)
    const ids = (await idsOf(sqlPath(IDS))).split(' ')
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, '10000', '10999'])
    await close()
  })

  test.each([
    ['application/json', '{"result":[{"id":"e1"},{"id":"e2"},{"id":"e3"}]}'],
    ['application/x-ndjson', '{"id":"e1"}\n{"id":"e2"}\n{"id":"e3"}\n'],
    ['text/csv', 'id\r\ne1\r\ne2\r\ne3\r\n'],
  ])('as %s', async (Accept, body) => {
    const { get, close } = await filled()
    const response = await get(sqlPath(IDS), { headers: { Accept } })
    expect(await response.text()).toBe(body)
    const head = await get(sqlPath(IDS), { method: 'HEAD', headers: { Accept } })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, `${body.length}`, ''])
    const ETag = response.headers.get('etag')!
    expect((await get(sqlPath(IDS), { headers: { Accept, 'If-None-Match': ETag } })).status).toBe(304)
    await close()
  })

  test('without sql, or with an empty one, answers as without the setting', async () => {
    const { get, loads, close } = await filled()
    const engine = openEngine()
    await appendAll(engine, RECORDS)
    const plain = createTestApp({ engine })
    for (const [path, given] of [
      [`${LOGS_ALL}?project=a`, `${LOGS_ALL}?project=a`],
      [`${LOGS_ALL}?project=a`, `${LOGS_ALL}?project=a&sql=`],
      [LOGS_ALL, LOGS_ALL],
      [`${STATS}?project=a&interval=7day`, `${STATS}?project=a&interval=7day`],
    ] as const) {
      const names = ['cache-status', 'etag', 'content-type', 'server-timing']
      const [wanted, got] = await Promise.all([readReply(plain.get(path), ...names), readReply(get(given), ...names)])
      expect(got).toEqual(wanted)
    }
    expect(loads.count).toBe(0)
    await close()
    await engine.close()
  })

  test('is not cached, and counted as a query of logs.all', async () => {
    const { get, metrics, close } = await filled()
    for (let i = 0; i < 2; i++)
      expect((await get(sqlPath(IDS))).headers.get('cache-status')).toBe('logweir; fwd=bypass')
    const { values } = await metrics.queries.get()
    expect(values).toEqual([{ labels: { endpoint: 'logs.all', outcome: 'ok' }, value: 2 }])
    await close()
  })

  test('loads the compiler with the first SQL, and again if that fails', async () => {
    let loads = 0
    const endpoints = endpointsOf({
      async loadCompiler() {
        loads += 1
        if (loads === 1) throw new Error('the disk is away')
        return { readSql }
      },
    })
    const { get } = createTestApp({ endpoints, rows: () => [] })
    expect((await get(`${LOGS_ALL}?project=a`)).status).toBe(200)
    expect(loads).toBe(0)
    expect((await get(sqlPath(IDS))).status).toBe(500)
    expect((await get(sqlPath(IDS))).status).toBe(200)
    expect((await get(sqlPath(BOTH))).status).toBe(200)
    expect(loads).toBe(2)
  })
})

describe('the project of another', () => {
  const headers = { 'X-API-KEY': 'bound' }
  const tokens = [{ token: 'bound', projects: new Set(['a']) }]

  test('is refused to a token that is bound', async () => {
    const { get, close } = await filled(RECORDS, { tokens })
    expect(await readReply(get(sqlPath(IDS), { headers }))).toEqual({
      status: 200,
      body: '{"result":[{"id":"e1"},{"id":"e2"},{"id":"e3"}]}',
    })
    expect(await readReply(get(sqlPath(IDS, 'project=b'), { headers }))).toEqual({
      status: 403,
      body: nested(
        'The access token is not bound to this project. Name one that it is bound to, or use another token.',
        'forbidden_project',
      ),
    })
    await close()
  })

  test('changes nothing of an answer but its times', async () => {
    const alone = await filled(RECORDS.filter(({ project }) => project === 'a'))
    const among = await filled()
    const withoutTimes = async ({ get }: typeof alone, path: string) => {
      const { status, headers, body } = await get(path).then(async (response) => ({
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      }))
      return { status, body, ...headers, 'server-timing': headers['server-timing']?.replace(/[\d.]+/g, '0') }
    }
    for (const path of [
      sqlPath(IDS),
      sqlPath(BOTH),
      sqlPath(COUNT),
      sqlPath(IDS, 'project=c'),
      sqlPath('wrong'),
      sqlPath(BOTH, 'project=a&iso_timestamp_start=2026-11-20T10:00:01Z'),
    ]) {
      expect(await withoutTimes(among, path)).toEqual(await withoutTimes(alone, path))
    }
    const { 'server-timing': timing } = await withoutTimes(among, sqlPath(IDS))
    expect(timing).toBe('cache;desc=bypass, engine;dur=0')
    await alone.close()
    await among.close()
  })
})

test('parameters of the SQL are refused, because only stored queries have them', async () => {
  const endpoints = endpointsOf({ loadCompiler: () => import('../../../src/sql/read-sql.js') })
  const { get } = createTestApp({ endpoints, rows: () => [] })
  expect(await readReply(get(sqlPath('select @name')))).toEqual({
    status: 400,
    body: nested(
      'The query has the parameter @name, but only stored queries have parameters. Write its value. ' +
        '(line 1, column 8)',
      'unsupported_sql',
    ),
  })
})

test('the definition says that clients may send SQL', async () => {
  const { get } = createSqlApp()
  const { result } = (await (await get('/api/endpoints')).json()) as {
    result: { name: string; sandboxing: boolean; parameters: { name: string; required: boolean }[] }[]
  }
  expect(result.length).toBeGreaterThan(3)
  expect(result.filter(({ sandboxing }) => sandboxing).map(({ name }) => name)).toEqual(['logs.all'])
  expect(result[0]!.parameters.at(-1)).toEqual({
    name: 'sql',
    required: false,
    description: 'a query in SQL over the rows of the project; its rows are the answer',
  })
})

test('an error after the first bytes closes the connection', async () => {
  const rows = async function* () {
    for (let i = 0; i < 10; i++) yield { id: 'x'.repeat(1_000) }
    throw new LogweirError('engine_unavailable', 'It is away.')
  }
  const { get } = createSqlApp({ rows, limits: { bufferedBytes: 2_000 } })
  const response = await get(sqlPath(IDS))
  expect([response.status, response.headers.get('etag')]).toEqual([200, null])
  await expect(response.text()).rejects.toThrow()
})
