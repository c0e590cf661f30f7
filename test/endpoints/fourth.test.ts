import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Endpoint } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS as SHIPPED } from '../../src/endpoints/index.js'
import { createTestApp } from '../http/support.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { edge } from '../support/records.js'

/** A new query: the number of requests of a project, per day of the last week. */
const FILE = `
import { truncate } from '../base/time/buckets.js'
import { DAY_US } from '../base/units.js'
import { count, equals, scan } from '../plan/builder.js'
import { endpoint, sql } from './endpoint.js'
import { text } from './params.js'

export const requestsPerDay = endpoint({
  id: '8b0c1c7e-5b57-4d0a-9a55-6f0e5a3a1d04',
  name: 'edge.requests-per-day',
  maxRows: 1000,
  cache: 'disabled',
  params: { project: text('the project whose requests are counted') },
  query: sql\`select count(*) as requests from edge_logs where project = @project\`,
  plan: ({ project }, nowUs) =>
    scan('edge_logs', { fromUs: truncate(nowUs - 7 * DAY_US, 'day'), throughUs: nowUs })
      .filter(equals('project', project))
      .truncate('timestamp', 'day', 'datetime')
      .group('timestamp')
      .aggregate({ requests: count() })
      .orderBy('timestamp')
      .limit(1000),
})
`

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache')
let folder: string

/** Copies the modules that endpoints import, adds an endpoint and a line in the index, and compiles the modules. */
beforeAll(() => {
  mkdirSync(CACHE, { recursive: true })
  folder = mkdtempSync(join(CACHE, 'fourth-'))
  for (const part of ['base', 'endpoints', 'plan', 'common', 'wasm-layout']) {
    cpSync(join(ROOT, 'src', part), join(folder, 'src', part), { recursive: true })
  }
  writeFileSync(join(folder, 'src/endpoints/requests-per-day.ts'), FILE)
  const index = join(folder, 'src/endpoints/index.ts')
  const lines = readFileSync(index, 'utf8').replace(/ENDPOINTS: readonly Endpoint\[\] = \[/, '$&requestsPerDay, ')
  writeFileSync(index, `import { requestsPerDay } from './requests-per-day.js'\n${lines}`)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  cpSync(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], { stdio: 'pipe' })
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a fourth endpoint is one file and one line of the index, and is had in every format', async () => {
  const compiled = pathToFileURL(join(folder, 'dist/endpoints/index.js')).href
  const { ENDPOINTS } = (await import(/* @vite-ignore */ compiled)) as { ENDPOINTS: readonly Endpoint[] }
  expect(ENDPOINTS.map(({ name }) => name)).toContain('edge.requests-per-day')
  expect(ENDPOINTS.length).toBe(SHIPPED.length + 1)

  const engine = openEngine()
  const nowUs = Date.UTC(2026, 10, 20, 10) * 1000
  const daysAgo = [0, 0, 1, 7, 8]
  await appendAll(
    engine,
    daysAgo.map((days) => edge({ timestampUs: nowUs - days * 86_400_000_000 })),
  )
  const { call, callBound } = ENDPOINTS.find(({ name }) => name === 'edge.requests-per-day')!
  const own = new URLSearchParams({ project: 'a' })
  expect(callBound(own).plan(nowUs)).toEqual(call(own).plan(nowUs))
  expect(await readAll(await engine.run(call(own).plan(nowUs)))).toEqual([
    { timestamp: '2026-11-13T00:00:00', requests: 1 },
    { timestamp: '2026-11-19T00:00:00', requests: 1 },
    { timestamp: '2026-11-20T00:00:00', requests: 2 },
  ])
  const { get } = createTestApp({ engine, endpoints: ENDPOINTS, clock: createFakeClock(nowUs) })
  const path = '/api/endpoints/query/edge.requests-per-day?project=a'
  const csv = await get(path, { headers: { Accept: 'text/csv' } })
  expect(await csv.text()).toBe(
    'timestamp,requests\r\n2026-11-13T00:00:00,1\r\n2026-11-19T00:00:00,1\r\n2026-11-20T00:00:00,2\r\n',
  )
  await engine.close()
})
