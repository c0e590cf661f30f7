import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoint } from '../../../src/endpoints/endpoint.js'
import { endpointsOf } from '../../../src/endpoints/index.js'
import { optionalText } from '../../../src/endpoints/params.js'
import { LOGFLARE_DIALECT } from '../../../src/http/reply/dialect.js'
import { scan } from '../../../src/plan/builder.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { readEvents } from '../../support/events.js'
import { edge, type TestRecord } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { createTestApp, refusal, settle } from '../support.js'
import { type Asked, projectAsked } from './model.js'

const NOW_US = Date.UTC(2026, 10, 20, 10, 30) * 1_000
/** Of each of these projects there are records. Project `i` has `i + 1` records, so that a count names the project. */
const PROJECTS = ['a', 'b', 'a.c', 'abc', '.*', 'a|b', '__proto__', 'ä b&c=d', 'x"]']
const MISSING = refusal('The parameter "project" is missing or empty. Give it a value: ?project=…', 'missing_parameter')
const FORBIDDEN = refusal(
  'The access token is not bound to this project. Name one that it is bound to, or use another token.',
  'forbidden_project',
)

/** Records of all projects, of a function and of requests. The URL of a request has the project in angle brackets. */
const RECORDS: readonly TestRecord[] = (['edge_logs', 'function_edge_logs'] as const).flatMap((source) =>
  PROJECTS.flatMap((project, i) =>
    Array.from({ length: i + 1 }, (_, n) => ({
      ...edge({
        id: `${i}-${n}`,
        timestampUs: NOW_US - 1_000_000,
        project,
        event_message: project,
        metadata: { request: { url: `https://x/<${project}>`, path: '/rest/v1' }, function_id: 'f' },
      }),
      source,
    })),
  ),
)

const ALL_TIME = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** An endpoint of a user with an optional project, which reads all projects if there is none. */
const OWN = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1dff',
  name: 'own.count',
  maxRows: 10,
  cache: { ttlS: 900, warmS: 300 },
  params: { project: optionalText('') },
  query: '',
  plan: ({ project }) =>
    scan('edge_logs', ALL_TIME)
      .filter(project === undefined ? undefined : { kind: 'call', fn: 'eq', args: [COLUMN, literal(project)] })
      .group()
      .aggregate({ count: { fn: 'count', args: [] } })
      .orderBy('count')
      .limit(1),
})
const COLUMN = { kind: 'column', name: 'project' } as const
const literal = (value: string) => ({ kind: 'literal', value }) as const

type Result = Record<string, unknown>[]
const countOf = (name: string) => (result: Result) => Number(result[0]?.[name] ?? 0)

/** Queries, each with the way to read how many records the answer is of. */
const QUERIES: [path: string, parameters: Record<string, string>, records: (result: Result) => number][] = [
  ['logs.all', {}, ({ length }) => length],
  ['logs.all', { sql: 'select count(*) as n from edge_logs' }, countOf('n')],
  ['functions.invocation-stats', { interval: '1day' }, countOf('count')],
  ['usage.api-counts', { interval: 'hourly' }, countOf('total_rest_requests')],
  ['logs.explore', { source: 'edge_logs' }, ({ length }) => length],
  ['logs.histogram', { source: 'edge_logs' }, (result) => result.reduce((sum, row) => sum + Number(row.count), 0)],
  ['logs.fields', { source: 'edge_logs' }, countOf('rows')],
  ['own.count', {}, countOf('count')],
]

interface Opened extends Omit<NonNullable<Parameters<typeof createTestApp>[0]>, 'tokens'> {
  tokens: Record<string, readonly string[] | undefined>
}

async function open({ tokens, ...parts }: Opened, records = RECORDS) {
  const clock = createFakeClock(NOW_US)
  const engine = openEngine({ clock })
  await appendAll(engine, records)
  const endpoints = [...endpointsOf({ loadCompiler: () => import('../../../src/sql/read-sql.js') }), OWN]
  const access = Object.entries(tokens).map(([token, projects]) => ({
    token,
    projects: projects === undefined ? undefined : new Set(projects),
  }))
  const { get, app } = createTestApp({ engine, clock, endpoints, ...parts, tokens: access })
  const close = async () => {
    app.close()
    await engine.close()
  }
  const ask = (token: string, path: string, init: RequestInit = {}) =>
    get(path, { ...init, headers: { ...init.headers, 'X-API-KEY': token } })
  return { ask, close }
}

/** Sends a query by GET or POST, with a named project or without one. */
function send(
  ask: (token: string, path: string, init?: RequestInit) => Promise<Response>,
  { path, parameters, named }: { path: string; parameters: Record<string, string>; named: string | undefined },
  isPost: boolean,
) {
  const given = named === undefined ? parameters : { ...parameters, project: named }
  const url = `/api/endpoints/query/${path}`
  if (!isPost) return ask('t', `${url}?${new URLSearchParams(given)}`)
  const headers = { 'Content-Type': 'application/json' }
  return ask('t', url, { method: 'POST', headers, body: JSON.stringify(given) })
}

const TOKENS = {
  open: undefined,
  one: ['b'],
  two: ['a', 'b'],
  others: ['abc', 'b'],
  default: ['a'],
}

describe('a query without a project', () => {
  describe.each([
    ['no default', undefined, { open: 400, one: 'b', two: 400, others: 400, default: 'a' }],
    ['the default "a"', 'a', { open: 'a', one: 'b', two: 'a', others: 400, default: 'a' }],
  ] as const)('with %s', (_, defaultProject, wanted) => {
    test.each(QUERIES)('of %s, %j', async (path, parameters, records) => {
      const { ask, close } = await open({ tokens: TOKENS, defaultProject })
      for (const [token, project] of Object.entries(wanted)) {
        for (const absent of ['', '&project=']) {
          const search = new URLSearchParams(parameters) + absent
          const answer = await ask(token, `/api/endpoints/query/${path}?${search}`)
          const body = await answer.text()
          if (project !== 400) {
            expect([token, answer.status]).toEqual([token, 200])
            const count = expected(path, project, TOKENS[token as keyof typeof TOKENS])
            expect([token, records(JSON.parse(body).result)]).toEqual([token, count])
          } else if (path === 'own.count') {
            // Its project is optional: a token without restrictions reads all projects.
            const all = (PROJECTS.length * (PROJECTS.length + 1)) / 2
            if (token === 'open') expect(records(JSON.parse(body).result)).toBe(all)
            else expect([token, JSON.parse(body).code]).toEqual([token, 'forbidden_project'])
          } else if ('sql' in parameters) {
            expect([answer.status, JSON.parse(body).code ?? JSON.parse(body).error.code]).toEqual([
              400,
              'missing_parameter',
            ])
          } else expect([answer.status, body]).toEqual([400, MISSING])
        }
      }
      await close()
    })
  })

  test('is refused if the parameter is given twice', async () => {
    const { ask, close } = await open({ tokens: TOKENS, defaultProject: 'a' })
    for (const search of ['project=&project=', 'project=a&project=', 'project=a&project=a']) {
      const answer = await ask('open', `/api/endpoints/query/logs.all?${search}`)
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'duplicate_parameter' }),
      ])
    }
    await close()
  })

  test.each([false, true])('of usage.api-counts takes the default as a name, no pattern (Supabase: %s)', async (is) => {
    const endpoints = endpointsOf({ supabase: is })
    const dialect = is ? { dialect: LOGFLARE_DIALECT } : {}
    for (const defaultProject of ['a.c', '.*', 'a|b', 'x"]', '(']) {
      const { ask, close } = await open({ tokens: TOKENS, endpoints, defaultProject, ...dialect })
      const answer = await ask('open', '/api/endpoints/query/usage.api-counts?interval=hourly')
      const { result } = (await answer.json()) as { result: Result }
      // The text `(` is in no URL, and "a.c" is also a pattern for "abc".
      const matching = RECORDS.filter(
        ({ source, metadata }) => source === 'edge_logs' && JSON.parse(metadata).request.url.includes(defaultProject),
      )
      expect([defaultProject, countOf('total_rest_requests')(result)]).toEqual([defaultProject, matching.length])
      await close()
    }
  })
})

describe('the cache', () => {
  const STATS = '/api/endpoints/query/functions.invocation-stats'
  const statusOf = (answer: Response) => answer.headers.get('cache-status')

  test('shares an entry between an absent project and the default by its name', async () => {
    const { ask, close } = await open({ tokens: TOKENS, defaultProject: 'a' })
    expect(statusOf(await ask('open', STATS))).toMatch(/fwd=miss; stored/)
    for (const search of ['?project=a', '?project=', '?x=1', ''])
      expect([search, statusOf(await ask('open', STATS + search))]).toEqual([search, expect.stringMatching(/hit/)])
    expect(statusOf(await ask('open', `${STATS}?project=b`))).toMatch(/fwd=miss/)
    await close()
  })

  test('never gives a token the answer of another token’s default', async () => {
    const { ask, close } = await open({ tokens: TOKENS, defaultProject: 'a' })
    const counts: Record<string, number> = {}
    for (const token of ['open', 'one', 'two', 'default', 'one', 'two', 'open']) {
      const { result } = (await (await ask(token, STATS)).json()) as { result: Result }
      counts[token] = countOf('count')(result)
      expect((await ask('others', STATS)).status).toBe(400)
    }
    expect(counts).toEqual({ open: 1, one: 2, two: 1, default: 1 })
    await close()
  })
})

describe('GET /api/projects', () => {
  test('lists all projects of the token whatever the default', async () => {
    for (const defaultProject of [undefined, 'a', 'b']) {
      const { ask, close } = await open({ tokens: TOKENS, defaultProject })
      const listed = async (token: string) => {
        const { result } = (await (await ask(token, '/api/projects')).json()) as { result: Result }
        return [...new Set(result.map(({ project }) => project))].sort()
      }
      expect(await listed('open')).toEqual([...PROJECTS].sort())
      expect(await listed('others')).toEqual(['abc', 'b'])
      await close()
    }
  })
})

describe('GET /api/tail', () => {
  async function idsOf(answer: Response): Promise<string[]> {
    const reader = readEvents(answer)
    await settle()
    const ids = reader.ids()
    await reader.leave()
    return ids
  }

  test.each([
    [undefined, { open: 400, one: 'b', two: 400, others: 400, default: 'a' }],
    ['a', { open: 'a', one: 'b', two: 'a', others: 400, default: 'a' }],
  ] as const)('without a project, with the default %s', async (defaultProject, wanted) => {
    const { ask, close } = await open({ tokens: TOKENS, defaultProject })
    for (const [token, project] of Object.entries(wanted)) {
      for (const search of ['', '?project=']) {
        const answer = await ask(token, `/api/tail${search}`)
        if (project === 400) expect([answer.status, await answer.text()]).toEqual([400, MISSING])
        else expect((await idsOf(answer)).map((id) => id.split('-')[0])).toEqual(idsOfProject(project))
      }
    }
    const refused = await ask('others', '/api/tail?project=a')
    expect([refused.status, await refused.text()]).toEqual([403, FORBIDDEN])
    await close()
  })

  test('goes on after an event, whether or not the request names the project', async () => {
    const { ask, close } = await open({ tokens: TOKENS, defaultProject: 'b' })
    const reader = readEvents(await ask('open', '/api/tail'))
    await settle()
    const { lastEventId } = reader.stream()
    await reader.leave()
    for (const search of ['', '?project=b']) {
      const again = await ask('open', `/api/tail${search}`, { headers: { 'Last-Event-ID': lastEventId } })
      expect([again.status, await idsOf(again)]).toEqual([200, []])
    }
    const other = await ask('open', '/api/tail?project=a', { headers: { 'Last-Event-ID': lastEventId } })
    expect([other.status, await other.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_last_event_id' }),
    ])
    await close()
  })

  const idsOfProject = (project: string) => {
    const i = PROJECTS.indexOf(project)
    return Array.from({ length: i + 1 }, () => `${i}`)
  }
})

const arbitraryProject = fc.constantFrom(...PROJECTS, 'nobody')
const arbitraryAsked: fc.Arbitrary<Asked> = fc.record({
  bound: fc.option(fc.uniqueArray(arbitraryProject, { minLength: 1, maxLength: 4 }), { nil: undefined }),
  defaultProject: fc.option(arbitraryProject, { nil: undefined }),
  named: fc.option(fc.oneof(arbitraryProject, fc.constant('')), { nil: undefined }),
})
const RUNS = runs(200)

test(
  'a query has the rows of exactly the project that the contract says, or is refused',
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryAsked, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...QUERIES.filter(([path]) => path !== 'own.count')),
        fc.boolean(),
        async (asked, [path, parameters, records], isPost) => {
          const [{ bound, defaultProject }] = asked as [Asked]
          const { ask, close } = await open({ tokens: { t: bound }, defaultProject })
          try {
            // One service answers all: the cache must not mix up the requests.
            for (const { named } of asked) {
              const answer = await send(ask, { path, parameters, named }, isPost)
              const wanted = projectAsked({ bound, defaultProject, named })
              expect(answer.status).toBe(typeof wanted === 'number' ? wanted : 200)
              if (typeof wanted === 'number') continue
              const { result } = (await answer.json()) as { result: Result }
              expect(records(result)).toBe(expected(path, wanted, bound, named))
            }
          } finally {
            await close()
          }
        },
      ),
      { numRuns: RUNS },
    ),
  60_000 + RUNS * 500,
)

/** How many records an answer is of. A pattern of `usage.api-counts` may match the URLs of several projects. */
function expected(path: string, project: string, bound: readonly string[] | undefined, named?: string): number {
  const isOfUrl = path === 'usage.api-counts' && bound === undefined
  if (!isOfUrl) return PROJECTS.indexOf(project) + 1
  const isMatch = (url: string) => (named ? new RegExp(project).test(url) : url.includes(project))
  return RECORDS.filter(({ source, metadata }) => source === 'edge_logs' && isMatch(JSON.parse(metadata).request.url))
    .length
}
