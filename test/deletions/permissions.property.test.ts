import { expect, test } from 'vitest'
import type { AskedDeletion, ListedDeletion } from '../../src/common/deletions.js'
import { createTestApp, PREFIX, settle } from '../http/support.js'
import { mulberry32, oneOf, type Random } from '../support/random.js'
import { runs } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { openDeletions } from './support.js'

const CALLS = runs(10_000)
const PROJECTS = ['a', 'b', 'c', 'A', ' a', 'a\0', 'ä', '__proto__']

/** Each token, and the projects that it may delete. */
const TOKENS = [
  { token: 'reads', scopes: ['query', 'ingest'], projects: undefined, deletes: [] },
  { token: 'reads-a', scopes: ['query'], projects: ['a'], deletes: [] },
  { token: 'sends', scopes: ['ingest'], projects: undefined, deletes: [] },
  { token: 'deletes', scopes: ['delete'], projects: undefined, deletes: PROJECTS },
  { token: 'all', scopes: ['query', 'ingest', 'delete'], projects: undefined, deletes: PROJECTS },
  { token: 'deletes-a', scopes: ['delete'], projects: ['a'], deletes: ['a'] },
  { token: 'deletes-b-c', scopes: ['query', 'delete'], projects: ['b', 'c'], deletes: ['b', 'c'] },
  { token: 'of-no-rows', scopes: ['delete'], projects: ['other'], deletes: [] },
  { token: 'revoked', scopes: undefined, projects: undefined, deletes: [] },
] as const

type Token = (typeof TOKENS)[number]

const REGISTERED = TOKENS.flatMap(({ token, scopes, projects }) =>
  scopes === undefined
    ? []
    : [{ token, scopes: new Set(scopes), projects: projects && new Set(projects), label: token }],
)

/** The deletions of an engine that notes the hidden deletions, behind the HTTP side. */
function open() {
  const { deletions, hidden, clock } = openDeletions({ limits: { open: 1_000_000, kept: 50, listed: 100 } })
  deletions.start()
  const counted: AskedDeletion[] = []
  const deleting = {
    ...deletions,
    async count(asked: AskedDeletion) {
      counted.push(asked)
      return { project: asked.project, rows: 1, sources: [] }
    },
  }
  const { app } = createTestApp({ deleting, tokens: REGISTERED, clock })
  return { app, hidden, counted, deletions, clock }
}

interface Call {
  method: string
  path: string
  body: string | undefined
  type: string
}

/** A request to delete, to count, or to read. Some are odd. */
function randomCall(random: Random, ids: readonly string[]): Call {
  const method = oneOf(random, ['GET', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'DELETE'])
  const id = ids.length > 0 ? oneOf(random, ids) : 'none'
  const paths = ['/api/deletions', '/api/deletions', `/api/deletions/${id}`, '/api/deletions/', `//api/deletions/${id}`]
  const project = oneOf(random, PROJECTS)
  const inUrl = random() < 0.2 ? `?project=${encodeURIComponent(oneOf(random, PROJECTS))}` : ''
  const members = {
    ...(inUrl === '' || random() < 0.3 ? { project } : {}),
    ...(random() < 0.3 && { source: oneOf(random, ['edge_logs', 'auth_logs', 'nginx']) }),
    ...(random() < 0.3 && { dry_run: random() < 0.7 }),
    ...(random() < 0.2 && { where: oneOf(random, ["id = 'x'", "project = 'b'", 'true) or (true', '1']) }),
  }
  const isForm = random() < 0.3
  const texts = Object.entries(members).map(([name, value]): [string, string] => [name, String(value)])
  const form = () => String(new URLSearchParams(texts))
  return {
    ...{ method, path: oneOf(random, paths) + inUrl },
    body: method === 'GET' || method === 'HEAD' ? undefined : isForm ? form() : JSON.stringify(members),
    type: isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  }
}

/** Returns the deletions in a body. */
function deletionsIn(text: string): ListedDeletion[] {
  const body = text === '' ? {} : JSON.parse(text)
  return body.result ?? (body.id === undefined ? [] : [body])
}

test('tokens delete, count and see only what is theirs, whatever they send', async () => {
  const seed = testSeed()
  const random = mulberry32(seed)
  const { app, hidden, counted, deletions } = open()
  const statuses = new Map<number, number>()
  let ids: string[] = []
  for (let i = 0; i < CALLS; i++) {
    const asking = oneOf(random, TOKENS) as Token
    const { method, path, body, type } = randomCall(random, ids)
    const before = [hidden.length, counted.length]
    const headers = { 'X-API-KEY': asking.token, 'Content-Type': type }
    const response = await app.fetch(new Request(PREFIX + path, { method, headers, ...(body && { body }) }))
    const text = await response.text()
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    const told = `seed ${seed}, call ${i}: ${asking.token} ${method} ${path} ${body} -> ${response.status} ${text}`
    const may: readonly string[] = asking.deletes
    const touched = [...hidden.slice(before[0]), ...counted.slice(before[1])].map(({ project }) => project)
    expect(
      touched.filter((project) => !may.includes(project)),
      told,
    ).toEqual([])
    const seen = deletionsIn(text)
    expect(
      seen.filter(({ project }) => !may.includes(project)),
      told,
    ).toEqual([])
    if (asking.deletes.length === 0 && asking.token !== 'of-no-rows' && path.startsWith('/api/deletions'))
      expect([401, 403, 404], told).toContain(response.status)
    if (i % 50 === 0) {
      await settle()
      ids = (await deletions.list(undefined)).map(({ id }) => id)
    }
  }
  // Otherwise the calls would show nothing.
  const expected = CALLS < 1_000 ? [202, 403] : [200, 202, 400, 401, 403, 404, 405]
  expect(
    expected.filter((status) => !statuses.has(status)),
    `seed ${seed}`,
  ).toEqual([])
}, 120_000)

test('a bound token cannot tell a deletion of another project from none', async () => {
  const { app, deletions } = open()
  const { id } = await deletions.accept(
    { project: 'b', source: undefined, startUs: undefined, endUs: undefined, where: undefined },
    'x',
  )
  const read = async (path: string) => {
    const response = await app.fetch(new Request(PREFIX + path, { headers: { 'X-API-KEY': 'deletes-a' } }))
    return [response.status, await response.text()]
  }
  expect(await read(`/api/deletions/${id}`)).toEqual(await read(`/api/deletions/${'0'.repeat(20)}`))
  expect(await read('/api/deletions')).toEqual([200, '{"result":[]}'])
})
