import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import type { Endpoint } from '../../../src/endpoints/endpoint.js'
import { endpointsOf } from '../../../src/endpoints/index.js'
import type { ViewNote } from '../../../src/engine/engine.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { checkedEndpoint } from '../../../src/user-endpoints/checked-endpoint.js'
import { readFrontMatter } from '../../../src/user-endpoints/front-matter.js'
import { sqlEndpoint } from '../../../src/user-endpoints/sql-endpoint.js'
import { viewEndpoint } from '../../../src/user-endpoints/view-endpoint.js'
import type { PlainRow } from '../../oracle/oracle.js'
import { readAll } from '../../support/engine.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { edge, type TestRecord } from '../../support/records.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { openWorld, type World } from './world.js'

const PROJECTS = ['a', 'b', 'ab', 'A', '__proto__', '…', 'a\u0000b', "a' or 'a'='a", null]

const VIEW = `-- view: keep 30d
select timestamp_trunc(timestamp, hour) as hour, metadata.owner as owner, metadata.key as key, count(*) as n
from edge_logs group by hour, owner, key`

/** Queries over the view, each of which gives the owners of the groups that it read. */
const QUERIES = [
  'select owner, key, n, hour, project from view.v',
  "select owner, sum(n) as n from view.v where project != '' or true group by owner",
  "select owner, n from view.v where project = 'b'",
  'select owner, n from (select * from view.v union all select * from view.v)',
  'select v.owner, v.n from view.v as v where v.hour >= @from order by v.n desc limit 20',
  'select owner, n from view.v where key in (select key from view.v)',
  'with all_rows as (select * from view.v) select max(owner) as owner, min(owner) as least, sum(n) as n from all_rows',
]

const ownerOf = (project: string | null) => `owner:${project}`

function randomRecord(random: Random, world: World, id: string): TestRecord {
  const project = oneOf(random, PROJECTS)
  const timestampUs = Number(world.clock.nowUs()) - below(random, 5 * 24) * HOUR_US
  return edge({ id, project, timestampUs, metadata: { owner: ownerOf(project), key: `k${below(random, 20)}` } })
}

/** A view with rows of files, of sealed segments and of an open head. */
async function filled(random: Random): Promise<World> {
  const world = await openWorld()
  world.setViews({ v: VIEW })
  for (let round = 0; round < 4; round++) {
    await world.append(Array.from({ length: 400 }, (_, i) => randomRecord(random, world, `${round}-${i}`)))
    if (round < 3) await world.engine.seal()
    if (round < 2) await world.work.finish()
  }
  return world
}

function endpointsIn(world: World): Endpoint[] {
  const compile = (text: string) => readSql(text, undefined, world.views.readable)
  const [logsAll] = endpointsOf({ loadCompiler: async () => ({ readSql: compile }) }).filter(
    ({ name }) => name === 'logs.all',
  )
  const files = QUERIES.map((query, i) => {
    const from = query.includes('@from') ? '-- param from: timestamp, required\n' : ''
    return sqlEndpoint(`-- param project: text, required\n${from}${query}`, `q${i}`, compile)
  })
  return [logsAll!, ...[viewEndpoint(VIEW, 'v', readFrontMatter(VIEW)), ...files].map(checkedEndpoint)]
}

function parametersOf(random: Random, { name }: Endpoint, project: string, world: World): URLSearchParams {
  const given = new URLSearchParams({ project })
  const time = () => new Date(Number(world.clock.nowUs()) / 1000 - below(random, 6 * 86_400_000)).toISOString()
  if (name === 'logs.all') given.set('sql', oneOf(random, QUERIES).replace('@from', `timestamp '${time()}'`))
  if (name === 'q4') given.set('from', time())
  if (name !== 'v') return given
  if (random() < 0.3) given.set('start', time())
  if (random() < 0.3) given.set('end', time())
  return given
}

const sumOf = (rows: readonly PlainRow[]) => rows.reduce((sum, { n }) => sum + Number(n), 0)

describe('a token that is bound to a project', () => {
  it(`reads no row of another project in views, seed ${testSeed()}`, { timeout: 600_000 }, async () => {
    const random = mulberry32(testSeed())
    const world = await filled(random)
    const endpoints = endpointsIn(world)
    let read = 0
    for (let run = 0; run < costlyRuns(10_000); run++) {
      const project = oneOf(random, PROJECTS) ?? 'none'
      const endpoint = oneOf(random, endpoints)
      const given = parametersOf(random, endpoint, project, world)
      const call = endpoint.callBound(given)
      await call.load?.()
      const rows = await readAll(await world.engine.run(call.plan(Number(world.clock.nowUs()))))
      const owners = new Set(rows.flatMap(({ owner, least = owner }) => [owner, least]))
      const seen = [String(given), [...owners].filter((owner) => owner !== null && owner !== ownerOf(project))]
      expect(seen).toEqual([String(given), []])
      if (endpoint.name === 'q0') {
        const own = world.records.filter((record) => record.project === project).length
        expect([project, sumOf(rows)]).toEqual([project, own])
      }
      read += rows.length
    }
    expect(read).toBeGreaterThan(costlyRuns(10_000))
    await world.close()
  })
})

describe('a project with very many keys, and values that cannot be cast', () => {
  const COSTLY = `-- view: keep 30d
select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n,
  sum(safe_cast(metadata.v as float64)) as s, max(metadata.v) as most,
  countif(safe_cast(metadata.v as int64) > 1) as large
from edge_logs group by hour, path`
  const WRONG = ['x', '', 'NaN', '1e999', {}, [1], true, null, '9223372036854775808', '٣']

  it(`leaves the view of another complete and exact, seed ${testSeed()}`, { timeout: 600_000 }, async () => {
    const random = mulberry32(testSeed())
    const world = await openWorld({}, { viewBytes: costlyRuns(1e6) * 40 })
    world.setViews({ v: COSTLY })
    const count = costlyRuns(1e6)
    const expected = new Map<string, { n: number; s: number }>()
    const now = Number(world.clock.nowUs())
    for (let from = 0; from < count; from += 20_000) {
      const rows = Array.from({ length: Math.min(20_000, count - from) }, (_, i) => {
        const isSmall = i % 1000 === 0
        const [path, v] = isSmall
          ? [`/${(i / 1000) % 7}`, (i / 1000) % 5]
          : [`/${random()}${random()}`, oneOf(random, WRONG)]
        const timestampUs = now - ((from + i) % 3) * DAY_US
        if (isSmall) {
          const key = `${timestampUs - (timestampUs % HOUR_US)} ${path}`
          const { n, s } = expected.get(key) ?? { n: 0, s: 0 }
          expected.set(key, { n: n + 1, s: s + Number(v) })
        }
        const metadata = { request: { path }, v }
        return edge({ id: `${from + i}`, project: isSmall ? 'small' : 'large', timestampUs, metadata })
      })
      await world.append(rows)
      await world.engine.seal()
      await world.work.finish()
    }
    const [view] = [checkedEndpoint(viewEndpoint(COSTLY, 'v', readFrontMatter(COSTLY)))]
    const read = async (project: string) => {
      const notes: ViewNote[] = []
      const plan = view!.call(new URLSearchParams({ project })).plan(now)
      const rows = await readAll(await world.engine.run(plan, { onViewNote: (note) => void notes.push(note) }))
      return { rows, notes }
    }
    const { rows, notes } = await read('small')
    const found = new Map(rows.map(({ hour, path, n, s }) => [`${hour} ${path}`, { n, s }]))
    expect(found).toEqual(expected)
    expect(notes).toEqual([])
    expect((await read('large')).notes).toContain('partial')
    await world.close()
  })
})
