import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { type ProjectsAsked, projectsOracle, recordsOfProjects } from '../oracle/projects.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { mulberry32 } from '../support/random.js'
import { database, edge } from '../support/records.js'
import { testSeed } from '../support/seed.js'
import { createTestApp, pass, readReply, refusal, settle, TOKEN } from './support.js'

const PATH = '/api/projects'

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

/** An app over an embedded engine, which counts the runs of plans. */
function open(parts: Parameters<typeof createTestApp>[0] = {}) {
  const clock = createFakeClock()
  const engine = openEngine({ clock, sealRows: 50 })
  const state = { runs: 0 }
  const run: typeof engine.run = (...given) => {
    state.runs++
    return engine.run(...given)
  }
  const app = createTestApp({ clock, engine: { ...engine, run }, tokens: TOKENS, ...parts })
  const rows = async (token = TOKEN, search = '') => {
    const response = await app.get(PATH + search, { headers: { 'X-API-KEY': token } })
    return ((await response.json()) as { result: unknown[] }).result
  }
  return { ...app, clock, stored: engine, state, rows }
}

describe('GET /api/projects', () => {
  it('counts the records of each project and source, of a bound token those of its projects', async () => {
    const seed = testSeed()
    console.log(`projects seed ${seed}`)
    const { stored, rows, clock } = open()
    const records = recordsOfProjects(mulberry32(seed), 1_000, clock.nowUs())
    await appendAll(stored, records, 7)
    await stored.seal()
    expect(await rows()).toEqual(projectsOracle(records))
    for (const [token, projects] of Object.entries(BOUND)) {
      expect(await rows(token)).toEqual(projectsOracle(records, projects))
    }
    expect(projectsOracle(records).length).toBeGreaterThan(40)
    // Sealed segments have their own counts by now. More records arrive.
    const more = recordsOfProjects(mulberry32(seed + 1), 100, clock.nowUs() + 1)
    await appendAll(stored, more)
    await pass(clock, 30)
    expect(await rows()).toEqual(projectsOracle([...records, ...more]))
  })

  it('has no rows before the first record, and the rows of it at most 2 s later', async () => {
    const { stored, rows, clock } = open()
    expect(await rows()).toEqual([])
    await appendAll(stored, [edge({ project: null })])
    await pass(clock, 30)
    expect([await rows(), await rows('none')]).toEqual([[], []])
  })

  it('is in every format of queries', async () => {
    const { stored, get } = open()
    await appendAll(stored, [edge({ timestampUs: 5 }), edge({ timestampUs: 7 }), database({ timestampUs: 3 })])
    const body = async (Accept: string) => (await readReply(get(PATH, { headers: { Accept } }))).body
    const row = '{"project":"a","source":"edge_logs","rows":2,"newest":7}'
    const other = '{"project":"a","source":"postgres_logs","rows":1,"newest":3}'
    expect(await body('*/*')).toBe(`{"result":[${row},${other}]}`)
    expect(await body('application/x-ndjson')).toBe(`${row}\n${other}\n`)
    expect(await body('text/csv')).toBe('project,source,rows,newest\r\na,edge_logs,2,7\r\na,postgres_logs,1,3\r\n')
    expect((await get(PATH, { headers: { Accept: 'image/png' } })).status).toBe(406)
    expect((await get(PATH, { headers: { Accept: 'application/vnd.apache.arrow.stream' } })).status).toBe(200)
  })

  it('has at most 10,000 rows', async () => {
    const { stored, rows } = open()
    const records = Array.from({ length: 10_001 }, (_, i) => edge({ project: `p${10_001 - i}` }))
    await appendAll(stored, records)
    const all = await rows()
    expect(all.length).toBe(10_000)
    expect(all).toEqual(projectsOracle(records))
  })

  it('counts one project only, if the request names it and the token may see it', async () => {
    const { stored, rows, get, state } = open()
    const records = [
      ...Array.from({ length: 10_001 }, (_, i) => edge({ project: `p${i}` })),
      edge({ project: 'z' }),
      database({ project: 'z' }),
      edge(),
    ]
    await appendAll(stored, records)
    expect(await rows(TOKEN, '?project=z')).toEqual(projectsOracle(records, ['z']))
    expect(await rows(TOKEN, '?project=z&match=')).toHaveLength(2)
    expect(state.runs).toBe(1)
    expect(await rows('one', '?project=a')).toEqual(projectsOracle(records, ['a']))
    expect(await rows('one', '?project=')).toEqual(projectsOracle(records, ['a']))
    expect(await rows(TOKEN, '?project=nobody')).toEqual([])
    const refused = async (token: string, search: string) => {
      const response = await get(PATH + search, { headers: { 'X-API-KEY': token } })
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    expect(await refused('one', '?project=z')).toEqual([403, 'forbidden_project'])
    expect(await refused(TOKEN, '?project=z&project=a')).toEqual([400, 'duplicate_parameter'])
  })

  it('lists the projects whose names match, and those with the most records first, if it is asked for', async () => {
    const seed = testSeed()
    const { stored, rows, clock } = open()
    const records = recordsOfProjects(mulberry32(seed), 1_000, clock.nowUs())
    await appendAll(stored, records, 7)
    await stored.seal()
    await appendAll(stored, recordsOfProjects(mulberry32(seed + 1), 100, clock.nowUs()).slice(0, 50))
    const all = [...records, ...recordsOfProjects(mulberry32(seed + 1), 100, clock.nowUs()).slice(0, 50)]
    const asked: ProjectsAsked[] = ['a', 'B', '.', '__', 'É', '😀', 'nothing'].flatMap((match) => [
      { match },
      { match, order: 'rows' },
    ])
    for (const parameters of [{ order: 'rows' } as const, { order: 'name' } as const, ...asked]) {
      const search = `?${new URLSearchParams(parameters as Record<string, string>)}`
      expect([search, await rows(TOKEN, search)]).toEqual([search, projectsOracle(all, undefined, parameters)])
      for (const [token, projects] of Object.entries(BOUND)) {
        expect(await rows(token, search)).toEqual(projectsOracle(all, projects, parameters))
      }
    }
    expect(await rows(TOKEN, '?match=a&project=a.b&order=rows')).toEqual(projectsOracle(all, ['a.b']))
    expect(await rows(TOKEN, '?match=a&project=b')).toEqual([])
    expect(await rows(TOKEN, '?match=&order=')).toEqual(projectsOracle(all))
  })

  it('has the projects with the most records among more rows than it returns, and finds each by its name', async () => {
    const { stored, rows } = open()
    const many = Array.from({ length: 10_500 }, (_, i) => edge({ project: `p${i}` }))
    const large = ['z', 'y'].flatMap((project) => [edge({ project }), database({ project }), edge({ project })])
    await appendAll(stored, [...many, ...large])
    const names = new Set((await rows()).map((row) => (row as { project: string }).project))
    expect([names.size, names.has('z'), names.has('y')]).toEqual([10_000, false, false])
    const sorted = await rows(TOKEN, '?order=rows')
    expect(sorted).toEqual(projectsOracle([...many, ...large], undefined, { order: 'rows' }))
    expect(sorted.length).toBe(10_000)
    expect(await rows(TOKEN, '?match=Z')).toEqual(projectsOracle(large, ['z']))
  })

  it('finds projects by name among more than it can count, which are refused', async () => {
    const { stored, get, rows } = open()
    const names = Array.from({ length: 100_001 }, (_, i) => `p${i}`)
    await appendAll(
      stored,
      names.map((project) => edge({ project })),
      10_000,
    )
    for (const search of ['', '?order=rows', '?match=p']) {
      const { status, body } = await readReply(get(PATH + search))
      expect([status, body]).toEqual([
        400,
        expect.stringMatching(/^\{"error":"There are too many projects .*\?match=…"/),
      ])
      expect(body).toContain('"too_many_groups"')
    }
    expect(await rows(TOKEN, '?match=p9999&order=rows')).toHaveLength(11)
    expect(await rows(TOKEN, '?project=p7')).toHaveLength(1)
  })

  it('refuses a long text and another order', async () => {
    const { get } = open()
    const refused = async (search: string) => (await readReply(get(PATH + search))).body
    expect(await refused(`?match=${'x'.repeat(200)}`)).toBe('{"result":[]}')
    expect(await refused(`?match=${'x'.repeat(201)}`)).toBe(
      refusal('The parameter "match" has over 200 characters. Give it a shorter text.', 'invalid_parameter'),
    )
    expect(await refused('?order=size')).toBe(
      refusal('The parameter "order" is none of its words. Give it one of name, rows.', 'invalid_parameter'),
    )
    expect(await refused('?match=a&match=a')).toContain('duplicate_parameter')
  })

  it('needs a token that may query', async () => {
    const { get } = open()
    const as = async (token: string) => (await get(PATH, { headers: { 'X-API-KEY': token } })).status
    expect([await as('wrong'), await as('sender'), await as('one')]).toEqual([401, 403, 200])
    expect((await get(PATH, { method: 'POST' })).status).toBe(405)
    expect(await readReply(get(PATH, { method: 'HEAD' }))).toEqual({ status: 200, body: '' })
  })
})

describe('its cache', () => {
  it('is 30 s old at most, is per set of projects, and is not refreshed before a client asks', async () => {
    const { stored, rows, get, clock, state } = open()
    const recordOf = (project: string) => edge({ project, timestampUs: clock.nowUs() })
    const [one, two, three] = [recordOf('a'), recordOf('b'), recordOf('a')]
    await appendAll(stored, [one, two])
    const first = await rows()
    await appendAll(stored, [three])
    await pass(clock, 29)
    expect([await rows(), state.runs]).toEqual([first, 1])
    expect([await rows('one'), state.runs]).toEqual([projectsOracle([one, three]), 2])
    expect([await rows('two'), state.runs]).toEqual([projectsOracle([two]), 3])
    const { headers } = await get(PATH)
    expect([headers.get('age'), headers.get('cache-status')]).toEqual(['29', 'logweir; hit; ttl=1'])
    const tag = headers.get('etag')!
    expect((await get(PATH, { headers: { 'If-None-Match': tag } })).status).toBe(304)
    await pass(clock, 300)
    expect(state.runs).toBe(3)
    expect(await rows()).toEqual(projectsOracle([one, two, three]))
    expect((await get(PATH, { headers: { 'Cache-Control': 'no-cache' } })).headers.get('cache-status')).toBe(
      'logweir; fwd=request; stored',
    )
    expect(state.runs).toBe(5)
  })

  it('has one run for requests at the same time, of tokens with the same projects in any order', async () => {
    const tokens = ['xy', 'yx', 'x'].map((token) => ({ token, projects: new Set(token) }))
    const { engine, get } = createTestApp({ tokens })
    const replies = ['xy', 'yx', 'xy', 'x'].map((token) => readReply(get(PATH, { headers: { 'X-API-KEY': token } })))
    await settle()
    expect(engine.runs.length).toBe(2)
    for (const run of engine.runs) run.finish([])
    expect(await Promise.all(replies)).toEqual(Array(4).fill({ status: 200, body: '{"result":[]}' }))
  })

  it('does not keep a failure, which has the form of other errors', async () => {
    const { engine, get, metrics } = createTestApp()
    const reply = readReply(get(PATH))
    await settle()
    engine.runs[0]!.fail(new LogweirError('too_many_groups', 'Too many.'))
    expect(await reply).toEqual({
      status: 400,
      body: refusal(
        'There are too many projects to list them all. Name one: ?project=…, or a part of their names: ?match=…',
        'too_many_groups',
      ),
    })
    const again = readReply(get(PATH))
    await settle()
    engine.runs[1]!.finish([])
    expect((await again).status).toBe(200)
    const counted = (await metrics.queries.get()).values.filter(({ labels }) => labels.endpoint === 'projects')
    expect(counted.map(({ labels, value }) => [labels.outcome, value])).toEqual([
      ['too_many_groups', 1],
      ['ok', 1],
    ])
  })
})
