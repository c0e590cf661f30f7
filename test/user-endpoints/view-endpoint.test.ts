import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { DAY_US, HOUR_US } from '../../src/base/units.js'
import type { Endpoint } from '../../src/endpoints/endpoint.js'
import type { ReadView, ViewRange } from '../../src/engine/engine.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import { tryPlan } from '../../src/service/try-plan.js'
import { readFrontMatter } from '../../src/user-endpoints/front-matter.js'
import { loadModule } from '../../src/user-endpoints/module.js'
import { MAX_VIEWS, openUserEndpoints } from '../../src/user-endpoints/open.js'
import { isView, type ViewEndpoint } from '../../src/user-endpoints/view.js'
import { createTestApp } from '../http/support.js'
import { openEngine, readAll } from '../support/engine.js'

const TEXT = `-- Requests by hour and path.
-- view: keep 400d
select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as requests
from edge_logs
group by hour, path
having requests > 1
`

function folder() {
  const directory = mkdtempSync(join(tmpdir(), 'logweir-views-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  return { directory, write }
}

const CONTEXT = { importModule: async () => ({}), tryPlan, nowUs: () => 0 }

async function load(text: string, name = 'edge.requests-by-hour.sql'): Promise<ViewEndpoint> {
  const [endpoint] = await loadModule(folder().write(name, text), 1, CONTEXT)
  if (endpoint === undefined || !isView(endpoint)) throw new Error('This is no view.')
  return endpoint
}

/** The message of the error of a file, behind the file's path. */
async function faultOf(text: string): Promise<string> {
  const error = await load(text).catch((error: unknown) => error)
  if (!(error instanceof LogweirError) || error.code !== 'usage') throw error
  return error.message.replace(/^.*\.sql: /, '')
}

const at = (hour: number) => new Timestamp(hour * HOUR_US)
const GROUPS: readonly (readonly Scalar[])[] = [
  ['a', at(3), null, 2],
  ['a', at(2), '/x', 5],
  ['a', at(1), '/x', 3],
  ['a', at(1), '/y', 1],
  ['b', at(2), '/y', 7],
]

async function ask(endpoint: Endpoint, query: string, isBound = false) {
  const ranges: ViewRange[] = []
  const readView: ReadView = async function* (_, range) {
    ranges.push(range)
    yield GROUPS
  }
  const engine = openEngine({ readView })
  const given = new URLSearchParams(query)
  const plan = (isBound ? endpoint.callBound(given) : endpoint.call(given)).plan(0)
  const rows = await readAll(await engine.run(plan))
  await engine.close()
  return { rows, ranges }
}

describe('the endpoint of a view', () => {
  it('has the definition, and parameters of its own', async () => {
    const endpoint = await load(TEXT)
    expect(endpoint).toMatchObject({
      name: 'edge.requests-by-hour',
      summary: 'Requests by hour and path',
      cache: 'disabled',
      query: TEXT,
      isOwn: true,
      view: { name: 'edge.requests-by-hour', keepUs: 400 * DAY_US, unit: 'hour' },
    })
    expect(Object.entries(endpoint.params).map(([name, { required }]) => [name, required])).toEqual([
      ['project', true],
      ['start', false],
      ['end', false],
    ])
  })

  it('answers with the groups of the project, the newest bucket first', async () => {
    const endpoint = await load(TEXT)
    for (const isBound of [false, true]) {
      const { rows, ranges } = await ask(endpoint, 'project=a', isBound)
      expect(rows).toEqual([
        { hour: 3 * HOUR_US, path: null, requests: 2 },
        { hour: 2 * HOUR_US, path: '/x', requests: 5 },
        { hour: HOUR_US, path: '/x', requests: 3 },
      ])
      const all = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
      expect(ranges).toEqual([{ project: 'a', ...all }])
    }
    expect(() => endpoint.call(new URLSearchParams())).toThrow(/project/)
  })

  it('includes the start, and excludes the end, of the starts of buckets', async () => {
    const endpoint = await load(TEXT)
    const { rows, ranges } = await ask(endpoint, 'project=a&start=1970-01-01T02:00:00Z&end=1970-01-01T03:00:00Z')
    expect(rows).toEqual([{ hour: 2 * HOUR_US, path: '/x', requests: 5 }])
    expect(ranges).toEqual([{ project: 'a', fromUs: 2 * HOUR_US, throughUs: 3 * HOUR_US - 1 }])
  })

  it('keeps the order of the text', async () => {
    const { rows } = await ask(await load(`${TEXT}order by requests limit 2`), 'project=a')
    expect(rows.map(({ requests }) => requests)).toEqual([2, 3])
  })

  it('is refused with its place if a line above the query is none of a view', async () => {
    const view = '-- view: keep 400d\n'
    const faults: [string, string][] = [
      ['-- view: 400d\n', 'view: 400d is not understood. Write "keep 400d"; units s, m, h, d (line 1, column 10)'],
      ['-- view: keep 30m\n', 'a view keeps its groups from 1h to 3650d, not 30m (line 1, column 10)'],
      ['-- view:\n', '"view:" has no value (line 1)'],
      ['-- views: keep 1d\n', 'there is no "views:". Did you mean "view:"? (line 1)'],
      [`${view}${view}`, '"view:" is given twice (line 2)'],
      [
        `${view} -- param path: text\n`,
        'a view has no parameters, and path is a key that is compared when the view is read: delete the line ' +
          '(line 2, column 2)',
      ],
      [
        `-- param project: text, required\n${view}`,
        'a view has no parameters, and project is asked for by itself: delete the line (line 1, column 1)',
      ],
      [`${view}-- cache: 5m\n`, 'a view is kept on disk, and has no cache: delete the line (line 2, column 11)'],
      [
        `${view}-- project: by hand\n`,
        'a view is read by project, which is a key of its groups: delete the line (line 2, column 13)',
      ],
    ]
    const query = TEXT.slice(TEXT.indexOf('select'))
    for (const [lines, fault] of faults) expect(await faultOf(lines + query)).toBe(fault)
    expect(await faultOf(`select 1\n-- view: keep 400d\n`).catch(String)).toBe(
      'move "-- view: …" above the query (line 2)',
    )
    expect(readFrontMatter('select 1 -- view: something').view).toBeUndefined()
  })

  it('is refused with the place of what a view cannot have', async () => {
    expect(await faultOf(TEXT.replace('count(*)', 'count(distinct request.path)'))).toBe(
      'count(distinct x) does not merge with what a view has kept: write approx_count_distinct(x) (line 3, column 64)',
    )
    expect(await faultOf(TEXT.replace('hour)', 'minute)'))).toBe(
      'buckets of a minute are kept for at most 93d: write a shorter time, or timestamp_trunc(timestamp, hour) ' +
        '(line 2, column 10)',
    )
  })

  it('is one of a hundred', async () => {
    const { directory, write } = folder()
    for (let i = 0; i < MAX_VIEWS; i++) write(`v${i}.sql`, TEXT)
    const options = { ...CONTEXT, tryPlan: async () => {}, reserved: [], log: () => {} }
    const { endpoints } = await openUserEndpoints(directory, options)
    expect(endpoints().filter(isView).length).toBe(MAX_VIEWS)
    write('more.sql', TEXT)
    await expect(openUserEndpoints(directory, options)).rejects.toThrow('over 100 views.')
  })

  it('is 501 over HTTP if the engine keeps no views', async () => {
    const endpoint = await load(TEXT)
    const engine = openEngine()
    const { get } = createTestApp({ engine, endpoints: [endpoint] })
    const response = await get('/api/endpoints/query/edge.requests-by-hour?project=a')
    expect(response.status).toBe(501)
    expect(await response.json()).toMatchObject({ code: 'unsupported_by_engine' })
    await engine.close()
  })
})
