import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { DAY_US } from '../../src/base/units.js'
import { recordsOfProjects } from '../oracle/projects.js'
import { usageOracle } from '../oracle/usage.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { below, mulberry32, oneOf } from '../support/random.js'
import { database, edge } from '../support/records.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { createTestApp, readReply, TOKEN } from './support.js'

const PATH = '/api/usage'
const SEED = testSeed()
const CALLS = runs(10_000)

/** Sets of projects of bound tokens, by token. */
const BOUND: Record<string, string[]> = {
  one: ['a'],
  two: ['b', '__proto__'],
  other: ['nobody', 'é', ''],
  none: [''],
}
const TOKENS = [
  TOKEN,
  ...Object.entries(BOUND).map(([token, projects]) => ({ token, projects: new Set(projects) })),
  { token: 'sender', scopes: new Set(['ingest'] as const) },
]

function open() {
  const clock = createFakeClock()
  const engine = openEngine({ clock, sealRows: 50 })
  const app = createTestApp({ clock, engine, tokens: TOKENS })
  const rows = async (token = TOKEN, search = '') => {
    const response = await app.get(PATH + search, { headers: { 'X-API-KEY': token } })
    const { result } = (await response.json()) as { result: { bytes: number }[] }
    return result.map(({ bytes: _, ...row }) => row)
  }
  return { ...app, clock, stored: engine, rows }
}

describe('GET /api/usage', () => {
  it(`counts the rows of each project, source and day, of a bound token those of its own (seed ${SEED})`, async () => {
    const { stored, rows, clock } = open()
    const random = mulberry32(SEED)
    const records = recordsOfProjects(random, 1_000, clock.nowUs()).map((record) => {
      return { ...record, timestampUs: record.timestampUs - below(random, 5) * DAY_US }
    })
    await appendAll(stored, records, 7)
    expect(await rows()).toEqual(usageOracle(records))
    for (const [token, projects] of Object.entries(BOUND)) {
      expect(await rows(token)).toEqual(usageOracle(records, { projects }))
    }
    const source = oneOf(random, ['edge_logs', 'auth_logs'])
    expect(await rows(TOKEN, `?source=${source}&project=b`)).toEqual(usageOracle(records, { source, projects: ['b'] }))
    expect(await rows('two', '?project=b')).toEqual(usageOracle(records, { projects: ['b'] }))
    expect(await rows(TOKEN, '?project=nobody')).toEqual([])
  })

  it(`shows tokens, whatever they ask for, nothing that is not theirs (seed ${SEED})`, async () => {
    const { stored, get, clock } = open()
    const random = mulberry32(SEED)
    await appendAll(stored, recordsOfProjects(random, 300, clock.nowUs()), 7)
    const shown = new Map<string, Set<string | null>>()
    for (let call = 0; call < CALLS; call++) {
      const token = oneOf(random, [TOKEN, ...Object.keys(BOUND), 'sender', 'unknown'])
      const project = oneOf(random, ['a', 'b', '__proto__', 'nobody', 'é', '', "a' or 'b", 'a,b'])
      const words = [
        ...(random() < 0.7 ? [`project=${encodeURIComponent(project)}`] : []),
        ...(random() < 0.2 ? ['project=b'] : []),
        ...(random() < 0.2 ? ['projects=b', 'where=true'].slice(below(random, 2)) : []),
        ...(random() < 0.3 ? [`source=${oneOf(random, ['edge_logs', 'auth_logs', 'x'])}`] : []),
      ]
      const headers = { 'X-API-KEY': token, ...(random() < 0.3 && { 'X-Project': project }) }
      const response = await get(`${oneOf(random, [PATH, PATH, `${PATH}/`])}?${words.join('&')}`, { headers })
      const { result = [] } = (await response.json()) as { result?: { project: string | null }[] }
      const seen = shown.get(token) ?? new Set()
      for (const row of result) seen.add(row.project)
      shown.set(token, seen)
    }
    for (const [token, seen] of shown) {
      if (token === TOKEN) expect(seen.size).toBeGreaterThan(3)
      else expect([...seen].filter((one) => one === null || !(BOUND[token] ?? []).includes(one))).toEqual([])
    }
    expect([...shown.get('one')!, ...shown.get('two')!].length).toBeGreaterThan(1)
  })

  it('has the days that any moment of start <= t < end is in', async () => {
    const { stored, rows } = open()
    const days = ['2026-11-17', '2026-11-18', '2026-11-19'] as const
    await appendAll(
      stored,
      days.map((day) => edge({ timestampUs: Date.parse(`${day}T12:00:00Z`) * 1_000 })),
    )
    const daysOf = async (search: string) => (await rows(TOKEN, search)).map((row) => (row as { day?: string }).day)
    expect(await daysOf('')).toEqual(days)
    expect(await daysOf('?start=2026-11-18T00:00:00Z')).toEqual(days.slice(1))
    expect(await daysOf('?start=2026-11-18T23:59:59Z')).toEqual(days.slice(1))
    expect(await daysOf('?end=2026-11-18T00:00:00Z')).toEqual(days.slice(0, 1))
    expect(await daysOf('?end=2026-11-18T00:00:00.000001Z')).toEqual(days.slice(0, 2))
    expect(await daysOf('?start=2026-11-18T00:00:00Z&end=2026-11-19T00:00:00Z')).toEqual(days.slice(1, 2))
    expect(await daysOf('?start=2026-11-19T00:00:00Z&end=2026-11-18T00:00:00Z')).toEqual([])
  })

  it('is in every format of queries', async () => {
    const { stored, get } = open()
    const timestampUs = Date.UTC(2026, 10, 20) * 1_000
    await appendAll(stored, [edge({ timestampUs, project: null }), database({ timestampUs })])
    const body = async (Accept: string) => {
      const { body } = await readReply(get(PATH, { headers: { Accept } }))
      return body.replace(/("bytes":|,)\d+(?=[}\r])/g, '$1N')
    }
    const row = '{"project":null,"source":"edge_logs","day":"2026-11-20","rows":1,"bytes":N}'
    const other = '{"project":"a","source":"postgres_logs","day":"2026-11-20","rows":1,"bytes":N}'
    expect(await body('*/*')).toBe(`{"result":[${row},${other}]}`)
    expect(await body('application/x-ndjson')).toBe(`${row}\n${other}\n`)
    expect(await body('text/csv')).toBe(
      'project,source,day,rows,bytes\r\n,edge_logs,2026-11-20,1,N\r\na,postgres_logs,2026-11-20,1,N\r\n',
    )
    expect((await get(PATH, { headers: { Accept: 'image/png' } })).status).toBe(406)
    const arrow = await get(PATH, { headers: { Accept: 'application/vnd.apache.arrow.stream' } })
    expect(arrow.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream')
  })

  it.each([
    ['?project=other', 'one', 403, 'forbidden_project'],
    ['?project=a&project=b', TOKEN, 400, 'duplicate_parameter'],
    ['?source=edge', TOKEN, 400, 'invalid_parameter'],
    ['?days=7', TOKEN, 400, 'invalid_parameter'],
    ['?start=yesterday', TOKEN, 400, 'invalid_timestamp'],
    ['', 'sender', 403, 'forbidden'],
    ['', 'unknown', 401, 'unauthorized'],
  ])('refuses %s of the token %s', async (search, token, status, code) => {
    const { get } = open()
    const response = await get(PATH + search, { headers: { 'X-API-KEY': token } })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code])
  })

  it('says that an engine does not count', async () => {
    const { get } = createTestApp({ rows: () => [] })
    expect(await (await get(PATH)).json()).toMatchObject({ code: 'unsupported_by_engine' })
  })

  it('fails with the error of the engine', async () => {
    const { run } = openEngine()
    const usage = async () => {
      throw new LogweirError('engine_unavailable', 'It is away.')
    }
    const { get } = createTestApp({ engine: { run, usage } })
    expect(await (await get(PATH)).json()).toMatchObject({ code: 'engine_unavailable' })
  })
})
