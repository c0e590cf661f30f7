import { describe, expect, test } from 'vitest'
import { PROJECTS } from '../../../src/endpoints/projects.js'
import { createSqlApp, IDS } from '../sql/support.js'
import { API_COUNTS, createTestApp, LOGS_ALL, readReply, refusal, STATS } from '../support.js'
import { createTailApp } from '../tail/support.js'

const QUERY = '/api/endpoints/query/'
const EXPLORE = `${QUERY}logs.explore?project=a&source=edge_logs`
const HISTOGRAM = `${QUERY}logs.histogram?project=a&source=edge_logs`
const MEASURE = `${QUERY}logs.measure?project=a&source=edge_logs&field=b`
const FIELDS = `${QUERY}logs.fields?project=a&source=edge_logs`
const EXPLORER = [EXPLORE, HISTOGRAM, MEASURE, FIELDS]

const didYouMean = (given: string, meant: string) =>
  refusal(`There is no parameter ${JSON.stringify(given)} here. Did you mean ${meant}?`, 'invalid_parameter')
const thereAre = (given: string, names: string) =>
  refusal(`There is no parameter ${JSON.stringify(given)} here. There are: ${names}.`, 'invalid_parameter')

describe('an unknown parameter', () => {
  const MISSPELLED: [given: string, meant: string][] = [
    ['filters', 'filter'],
    ['filtr', 'filter'],
    ['serch', 'search'],
    ['Search', 'search'],
    ['starts', 'start'],
    ['strat', 'start'],
    ['ned', 'end'],
    ['sources', 'source'],
    ['project[]', 'project'],
  ]
  test.each(EXPLORER)('of %s is refused with the nearest one', async (path) => {
    const { get, engine } = createTestApp({ rows: () => [] })
    expect((await get(path)).status).toBe(200)
    const before = engine.runs.length
    for (const [given, meant] of MISSPELLED) {
      expect(await readReply(get(`${path}&${encodeURIComponent(given)}=x`))).toEqual({
        status: 400,
        body: didYouMean(given, meant),
      })
    }
    expect(engine.runs.length).toBe(before)
  })

  test.each([
    [`${EXPLORE}&from=2026-11-20`, 'from', 'project, source, start, end, filter, search, limit, before, after'],
    [`${HISTOGRAM}&interval=1day`, 'interval', 'project, source, start, end, filter, search, by'],
    [`${MEASURE}&sql=select`, 'sql', 'project, source, start, end, filter, search, field'],
    [`${FIELDS}&iso_timestamp_start=`, 'iso_timestamp_start', 'project, source, start, end, filter, search, field'],
    [`${EXPLORE}&__proto__=1`, '__proto__', 'project, source, start, end, filter, search, limit, before, after'],
    ['/api/projects?like=a', 'like', 'project, match, order'],
  ])('%s is refused with all of them if none is near', async (path, given, names) => {
    const { get, engine, logged } = createTestApp({ rows: () => [] })
    expect(await readReply(get(path))).toEqual({ status: 400, body: thereAre(given, names) })
    expect([engine.runs, logged]).toEqual([[], []])
  })

  test.each([
    ['/api/projects?mach=prod', didYouMean('mach', 'match')],
    ['/api/projects?orders=rows', didYouMean('orders', 'order')],
    [`${EXPLORE}&limits=1`, didYouMean('limits', 'limit')],
    [`${EXPLORE}&befor=1.1`, didYouMean('befor', 'before')],
    [`${QUERY}logs.explore?projekt=a&source=edge_logs`, didYouMean('projekt', 'project')],
    [`${QUERY}8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d11?project=a&source=edge_logs&filers=`, didYouMean('filers', 'filter')],
  ])('%s is refused before what is missing', async (path, body) => {
    const { get } = createTestApp({ rows: () => [] })
    expect(await readReply(get(path))).toEqual({ status: 400, body })
    expect(await readReply(get(path, { method: 'HEAD' }))).toEqual({ status: 400, body: '' })
  })

  test('is shown harmlessly, and not whole if it is long', async () => {
    const { get } = createTestApp({ rows: () => [] })
    const { body } = await readReply(get(`${EXPLORE}&${encodeURIComponent(`\u202e\u001b${'x'.repeat(1000)}`)}=1`))
    expect(JSON.parse(body).error).toMatch(/^There is no parameter "\\u202e\\u001bx{52}… here\. There are: /)
  })

  test('in a body is refused too', async () => {
    const { get } = createTestApp({ rows: () => [] })
    const post = (body: string, type: string) =>
      get(EXPLORE, { method: 'POST', body, headers: { 'Content-Type': type } })
    const refused = { status: 400, body: didYouMean('filters', 'filter') }
    expect(await readReply(post('{"filters":"[]"}', 'application/json'))).toEqual(refused)
    expect(await readReply(post('filters=[]', 'application/x-www-form-urlencoded'))).toEqual(refused)
    expect((await post('{"filter":"[]"}', 'application/json')).status).toBe(200)
  })

  test.each([
    ['filters', 'filter'],
    ['serch', 'search'],
    ['sourc', 'source'],
    ['projct', 'project'],
    ['SEARCH', 'search'],
  ])('of a live tail is refused: %s', async (given, meant) => {
    const { get } = createTailApp()
    const refused = { status: 400, body: didYouMean(given, meant) }
    expect(await readReply(get(`/api/tail?project=a&${given}=x`))).toEqual(refused)
    expect(await readReply(get(`/api/tail?project=a&start=x`))).toEqual({
      status: 400,
      body: thereAre('start', 'project, source, filter, search'),
    })
  })

  test.each([LOGS_ALL, STATS, API_COUNTS])('of %s has no effect', async (path) => {
    const { get, engine } = createTestApp({ rows: () => [] })
    expect((await get(`${path}?project=a&serch=x&filters=x&from=x&Project=b`)).status).toBe(200)
    await get(`${path}?project=a`, { headers: { 'Cache-Control': 'no-cache' } })
    expect(engine.runs[0]!.plan).toEqual(engine.runs[1]!.plan)
  })

  test('of a query in SQL has no effect', async () => {
    const { get } = createSqlApp({ rows: () => [] })
    expect((await get(`${LOGS_ALL}?project=a&x=1&sql=${encodeURIComponent(IDS)}`)).status).toBe(200)
  })

  test('of an endpoint of the owner has no effect', async () => {
    const { get, app } = createTestApp({ rows: () => [] })
    const { endpointsOf } = await import('../../../src/endpoints/index.js')
    const [logsAll] = endpointsOf({})
    app.replaceEndpoints([{ ...logsAll!, name: 'own.one', isOwn: true }])
    expect((await get(`${QUERY}own.one?project=a&x=1`)).status).toBe(200)
  })
})

test('every parameter of the list of projects is known', async () => {
  const { get } = createTestApp({ rows: () => [] })
  const search = Object.keys(PROJECTS.params).map((name) => `${name}=`)
  expect((await get(`/api/projects?${search.join('&')}`)).status).toBe(200)
})
