import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { systemClock } from '../../../src/base/time/clock.js'
import type { IngestBatch } from '../../../src/engine/engine.js'
import type { createRequests as CreateRequests } from '../../../src/ingest/body/requests.js'
import type { createTranslator as CreateTranslator } from '../../../src/otlp/translator.js'
import { rowsOf } from '../../ingest/parsing.js'
import { storeInto } from '../../ingest/rejected.js'
import { runs } from '../../support/runs.js'
import { createTestApp } from '../support.js'
import { type Asked, projectStored } from './model.js'

// The parsing threads run built code: run `npm run build` before the tests.
const built = (path: string) => import(new URL(`../../../dist/${path}`, import.meta.url).href)
const { createRequests }: { createRequests: typeof CreateRequests } = await built('ingest/body/requests.js')
const { createTranslator }: { createTranslator: typeof CreateTranslator } = await built('otlp/translator.js')

const stored: unknown[] = []
const requests = createRequests({
  engine: { append: async (batch: IngestBatch) => void stored.push(...rowsOf(batch).map(({ project }) => project)) },
  metrics: createMetrics(),
  rejects: storeInto([]),
  clock: systemClock,
})
const otlp = createTranslator()
afterAll(() => Promise.all([requests.close(), otlp.close()]))

/** Ways to send a record: path, content type, and the body of a record with the given project, or with none. */
interface Way {
  path: string
  type: string
  body(project: string | undefined): unknown
}

const JSON_TYPE = 'application/json'
const WAYS: Record<string, Way> = {
  'an array': { path: '/api/logs', type: JSON_TYPE, body: (project) => [{ project }] },
  'a batch': { path: '/logs', type: JSON_TYPE, body: (project) => ({ batch: [{ project }] }) },
  'an object': { path: '/api/logs', type: JSON_TYPE, body: (project) => ({ project }) },
  'a line': { path: '/logs', type: 'application/x-ndjson', body: (project) => ({ project }) },
  metadata: { path: '/api/logs', type: JSON_TYPE, body: (project) => [{ metadata: { project_ref: project } }] },
  OTLP: { path: '/v1/logs', type: JSON_TYPE, body: otlpBody },
}

function otlpBody(project: string | undefined) {
  const attributes = project === undefined ? [] : [{ key: 'logweir.project', value: { stringValue: project } }]
  return {
    resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords: [{ body: { stringValue: 'x' } }] }] }],
  }
}

/** Sends a record. Returns the status, and the projects of the stored records, null for none. */
async function sent({ path, type, body }: Way, own: string | undefined, { bound, defaultProject, named }: Asked) {
  const { get, app } = createTestApp({
    intake: { take: requests.take, writeFailure: () => undefined, prepare: requests.prepare },
    translate: otlp.translate,
    tokens: [{ token: 't', projects: bound === undefined ? undefined : new Set(bound) }],
    defaultProject,
  })
  stored.length = 0
  const search = new URLSearchParams({ source: 'edge_logs', ...(named !== undefined && { project: named }) })
  const headers = { 'Content-Type': type, 'X-API-KEY': 't' }
  const { status } = await get(`${path}?${search}`, { method: 'POST', body: JSON.stringify(body(own)), headers })
  app.close()
  return [status, [...stored]]
}

/** What the contract says of a record. */
function wanted(own: string | undefined, asked: Asked) {
  const ofNone = projectStored(asked)
  const isOwnRefused = own !== undefined && asked.bound?.includes(own) === false
  if (ofNone === 403 || isOwnRefused || (own === undefined && ofNone === 'rejected')) return [403, []]
  if (own !== undefined) return [200, [own]]
  return [200, [typeof ofNone === 'object' ? ofNone.project : null]]
}

const arbitraryProject = fc.constantFrom('a', 'b', 'ä"\\', 'c')
const arbitraryAsked: fc.Arbitrary<Asked> = fc.record({
  bound: fc.option(fc.uniqueArray(arbitraryProject, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  defaultProject: fc.option(arbitraryProject, { nil: undefined }),
  named: fc.option(fc.oneof(arbitraryProject, fc.constant('')), { nil: undefined }),
})
const RUNS = runs(100)

test.each(Object.entries(WAYS))(
  'a record, sent as %s, has the project that the contract says',
  (_, way) => {
    const arbitraryOwn = fc.option(arbitraryProject, { nil: undefined })
    return fc.assert(
      fc.asyncProperty(arbitraryAsked, arbitraryOwn, async (asked, own) => {
        expect(await sent(way, own, asked)).toEqual(wanted(own, asked))
      }),
      { numRuns: RUNS },
    )
  },
  60_000 + RUNS * 500,
)

test('records of one body: those that name a project keep it, the others get the default', async () => {
  const body = () => [{ project: 'own' }, {}, { project: null }, { metadata: { project: 'inner' } }, { metadata: {} }]
  const way = { ...WAYS['an array']!, body }
  const asked = { bound: undefined, named: undefined, defaultProject: 'mine' }
  expect(await sent(way, undefined, asked)).toEqual([200, ['own', 'mine', 'mine', 'inner', 'mine']])
})
