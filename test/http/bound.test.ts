import fc from 'fast-check'
import { expect, it } from 'vitest'
import { expectRows } from '../oracle/compare.js'
import { boundOracle, numbersBehind, type Params, type PlainRow } from '../oracle/oracle.js'
import { arbitraryNowUs, arbitraryQuestion, arbitraryRecords } from '../support/arbitrary.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, askBound, openEngine } from '../support/engine.js'
import { edge } from '../support/records.js'
import { runs } from '../support/runs.js'
import { createTestApp } from './support.js'

const RUNS = runs(100)
const PROJECTS = ['a', 'b', '__proto__', '.*', 'a|b', '', 'nobody']

const arbitraryRun = arbitraryNowUs.chain((nowUs) =>
  fc.record({
    nowUs: fc.constant(nowUs),
    records: arbitraryRecords(nowUs, 60),
    projects: fc.subarray(PROJECTS, { minLength: 1 }),
    questions: fc.array(fc.tuple(arbitraryQuestion(nowUs), fc.option(fc.constantFrom(...PROJECTS))), {
      minLength: 8,
      maxLength: 8,
    }),
  }),
)

/** A row of the oracle. */
const asPlain = (row: Record<string, unknown>): PlainRow =>
  mapJson(row, (value) => ({ json: JSON.stringify(value) })) as PlainRow

const normal = (rows: PlainRow[]) => rows.map((row) => asPlain(mapJson(row, parsed)))
const parsed = (value: unknown) => JSON.parse((value as { json: string }).json)

/** Returns a row with each JSON value replaced. */
const mapJson = (row: Record<string, unknown>, change: (value: unknown) => unknown) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, ['metadata', 'values'].includes(name) ? change(value) : value]),
  )

it(
  'a bound token gets what its project’s records give, and never a row of another project',
  () =>
    fc.assert(
      fc.asyncProperty(arbitraryRun, async ({ nowUs, records, projects, questions }) => {
        const clock = createFakeClock(nowUs)
        const engine = openEngine({ clock })
        const { get, app } = createTestApp({ engine, clock, tokens: [{ token: 'bound', projects: new Set(projects) }] })
        try {
          await appendAll(engine, records, 20)
          for (const [{ endpoint, params: asked }, other] of questions) {
            const named = other ?? asked.project!
            const sent = Object.entries({ ...asked, project: named }).filter(([, value]) => value !== undefined)
            const query = new URLSearchParams(sent as [string, string][])
            // A token that is bound to one project need not name the project.
            const params: Params = { ...asked, project: named || (projects.length === 1 ? projects[0]! : '') }
            const answer = await get(`/api/endpoints/query/${endpoint}?${query}`, { headers: { 'X-API-KEY': 'bound' } })
            const wanted = params.project === '' ? 400 : projects.includes(params.project!) ? 200 : 403
            expect(answer.status).toBe(wanted)
            const body = (await answer.json()) as { result: Record<string, unknown>[] }
            if (wanted !== 200) continue
            const times = numbersBehind(endpoint, records, params, nowUs)
            expectRows(body.result.map(asPlain), normal(boundOracle(endpoint, records, params, nowUs)), times)
          }
        } finally {
          app.close()
          await engine.close()
        }
      }),
      { numRuns: RUNS },
    ),
  60_000 + RUNS * 1_000,
)

const nowUs = Date.UTC(2026, 10, 20, 10, 30) * 1000
const request = (project: string | null, url: string) =>
  edge({ project, timestampUs: nowUs, metadata: { request: { url, path: '/rest' } } })

const title = 'usage.api-counts of a bound token takes the name as it stands, and counts that project’s records only'
it(title, async () => {
  const engine = openEngine({ clock: createFakeClock(nowUs) })
  await appendAll(engine, [
    request('a.c', 'https://a.c/1'),
    request('a.c', 'https://abc/2'),
    request('a.c', 'https://elsewhere/3'),
    request('abc', 'https://a.c/4'),
    request(null, 'https://a.c/5'),
  ])
  const params = { project: 'a.c', interval: 'hourly' }
  expect(await askBound(engine, 'usage.api-counts', params, nowUs)).toMatchObject([{ total_rest_requests: 1 }])
  expect(await askBound(engine, 'usage.api-counts', { ...params, project: '.*' }, nowUs)).toEqual([])
  await engine.close()
})
