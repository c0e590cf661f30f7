import { describe, expect, it } from 'vitest'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`

async function appendAndSeal(world: World, path: string): Promise<void> {
  const metadata = { request: { path } }
  await world.append([edge({ id: path, timestampUs: world.clock.nowUs(), metadata })])
  await world.engine.seal()
}

const rowsIn = ({ engine }: World) => engine.stats().find(({ source }) => source === 'edge_logs')!.rows
const lost = ({ logged }: World) => logged.filter(({ code }) => code === 'view_rows_lost')

describe('the limit of the disk', () => {
  it('drops segments once their rows are in the files of views', async () => {
    const world = await openWorld({ diskLimitBytes: 1 })
    world.setViews({ v: TEXT })
    await appendAndSeal(world, '/a')
    await appendAndSeal(world, '/b')
    expect(rowsIn(world)).toBe(2)
    for (let i = 0; i < 3; i++) await world.work.finish()
    expect(rowsIn(world)).toBe(0)
    await expectView(world, define(TEXT), world.records)
    await world.restart('close')
    await expectView(world, define(TEXT), world.records)
    expect(lost(world)).toEqual([])
    await world.close()
  })

  it('drops segments after 10 s all the same, and says which rows a view lacks', async () => {
    const world = await openWorld({ diskLimitBytes: 1 })
    world.setViews({ v: TEXT })
    await appendAndSeal(world, '/a')
    world.files.fail({ code: 'ENOSPC', after: 0, forGood: true, only: ['openToWrite'] })
    world.engine.enforceLimits()
    world.clock.advance(9_000)
    world.engine.enforceLimits()
    expect([rowsIn(world), lost(world)]).toEqual([1, []])
    world.clock.advance(1_000)
    world.engine.enforceLimits()
    expect(rowsIn(world)).toBe(0)
    const time = '2026-11-20T10:00:00.000Z'
    expect(lost(world)).toMatchObject([{ level: 'error', view: 'v', source: 'edge_logs', from: time, to: time }])
    await expectView(world, define(TEXT), [])
    world.files.heal()
    await world.close()
  })

  it('drops a segment without a view at once', async () => {
    const world = await openWorld({ diskLimitBytes: 1 })
    world.setViews({ v: TEXT.replace('edge_logs', 'auth_logs') })
    await appendAndSeal(world, '/a')
    world.engine.enforceLimits()
    expect(rowsIn(world)).toBe(0)
    await world.close()
  })
})
