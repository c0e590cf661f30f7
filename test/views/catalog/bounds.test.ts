import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MIB } from '../../../src/base/units.js'
import type { ViewNote } from '../../../src/engine/engine.js'
import { ofProject } from '../../../src/plan/of-project.js'
import { viewOf } from '../../../src/views/definition/definition.js'
import { readAll } from '../../support/engine.js'
import { mulberry32, type Random } from '../../support/random.js'
import { edge } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'
import { define, expectView, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`

const keyOf = (random: Random) => Array.from({ length: 5 }, () => Math.floor(random() * 2 ** 32).toString(36)).join('')

let ids = 0

const records = (world: World, project: string, count: number, daysAgo: number, pathOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) =>
    edge({
      id: `${ids++}`,
      project,
      timestampUs: Number(world.clock.nowUs()) - daysAgo * DAY_US - (i % 3) * HOUR_US,
      metadata: { request: { path: pathOf(i) } },
    }),
  )

async function appendAndGroup(world: World, rows: Parameters<World['append']>[0]): Promise<void> {
  await world.append(rows)
  await world.engine.seal()
  await world.work.finish()
}

async function read({ engine }: World, project: string) {
  const notes: ViewNote[] = []
  const plan = ofProject([viewOf(define(TEXT).source)], project)
  const rows = await readAll(await engine.run(plan, { onViewNote: (note) => void notes.push(note) }))
  return { rows, isPartial: notes.includes('partial'), sum: rows.reduce((n, row) => n + Number(row['aggregate 1']), 0) }
}

describe('the bytes of a view', () => {
  it(`are a tenth for a project, over all days together, seed ${testSeed()}`, { timeout: 60_000 }, async () => {
    const random = mulberry32(testSeed())
    const world = await openWorld({}, { viewBytes: 4 * MIB })
    world.setViews({ v: TEXT, w: TEXT.replace('edge_logs', 'auth_logs') })
    const share = (4 * MIB) / 2
    for (let day = 0; day < 6; day++) {
      await appendAndGroup(world, [
        ...records(world, 'b', 2500, day, () => keyOf(random)),
        ...records(world, 'a', 5, day, (i) => `/${i}`),
        ...records(world, 'c', 5, day, (i) => `/${i}`),
      ])
    }
    const bytes = (await world.files.bytesBelow('views')) - (await world.files.bytesBelow('views/catalog.json'))
    expect(bytes / share).toBeGreaterThan(0.08)
    expect(bytes / share).toBeLessThan(0.13)
    const greedy = await read(world, 'b')
    expect([greedy.isPartial, greedy.sum]).toEqual([true, 6 * 2500])
    expect(greedy.rows.length).toBeLessThan(6 * 2500)
    for (const project of ['a', 'c']) {
      await expectView(world, define(TEXT), world.records, project)
      expect((await read(world, project)).isPartial).toBe(false)
    }
    await world.close()
  })

  it(`are at most those of the view, whatever the number of projects, seed ${testSeed()}`, {
    timeout: 60_000,
  }, async () => {
    const random = mulberry32(testSeed())
    const viewBytes = MIB / 2
    const world = await openWorld({}, { viewBytes })
    world.setViews({ v: TEXT })
    const projects = Array.from({ length: 25 }, (_, i) => `p${i}`)
    for (let day = 0; day < 3; day++) {
      const rows = projects.flatMap((project) => records(world, project, 400, day, () => keyOf(random)))
      await appendAndGroup(world, rows)
    }
    expect(await world.files.bytesBelow('views')).toBeLessThan(viewBytes * 1.1)
    for (const project of projects) expect((await read(world, project)).sum).toBe(1200)
    await world.close()
  })
})

describe('views of rows in memory', () => {
  it('are kept in memory when rows are dropped, with a warning', async () => {
    const world = await openWorld({ rowsLimitBytes: 60_000 }, { isInMemory: true })
    world.setViews({ v: TEXT })
    world.setViews({ v: TEXT })
    for (let round = 0; round < 8; round++) {
      await appendAndGroup(
        world,
        records(world, 'a', 400, round % 3, (i) => `/${i % 7}`),
      )
      world.engine.enforceLimits()
    }
    const stored = world.engine.stats().find(({ source }) => source === 'edge_logs')!
    expect(stored.rows).toBeLessThan(8 * 400)
    await expectView(world, define(TEXT), world.records)
    expect(world.logged.map(({ code }) => code)).toEqual(['views_in_memory'])
    await world.close()
  })

  it('lack rows that are dropped before they are grouped, with a line of the log', async () => {
    const world = await openWorld({ rowsLimitBytes: 60_000 }, { isInMemory: true })
    world.setViews({ v: TEXT })
    await world.append(records(world, 'a', 2000, 0, (i) => `/${i % 7}`))
    await world.engine.seal()
    world.engine.enforceLimits()
    const rows = () => world.engine.stats().find(({ source }) => source === 'edge_logs')!.rows
    expect(rows()).toBe(2000)
    world.clock.advance(2_000)
    world.engine.enforceLimits()
    expect(rows()).toBe(0)
    expect(world.logged.map(({ code }) => code)).toContain('view_rows_lost')
    await world.close()
  })
})
