import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld } from './world.js'

const BY_PATH = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`
const BY_CODE = `select timestamp_trunc(timestamp, hour) as hour, response.status_code as code, count(*) as n
  from edge_logs group by hour, code`

const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
let id = 0
const request = (agoUs: number, path = '/', project: string | null = 'a') =>
  edge({ id: `${id++}`, timestampUs: NOW_US - agoUs, project, metadata: { request: { path } } })

describe('the files of views', () => {
  it('have the groups of sealed rows, and stay when the rows are dropped', async () => {
    const world = await openWorld({ retentionUs: 3 * DAY_US })
    world.setViews({ v: BY_PATH })
    await world.append([request(0), request(HOUR_US, '/a'), request(5 * DAY_US), request(6 * DAY_US, '/b', null)])
    await expectView(world, define(BY_PATH), world.records)
    await world.engine.seal()
    // Nothing is dropped before it is in the files.
    world.clock.advance(1)
    await world.work.finish()
    const states = () => world.files.paths().filter((path) => /^views\/.{64}\//.test(path))
    expect(states()).toHaveLength(3)
    for (let minute = 0; minute < 65; minute++) {
      world.clock.advance(60_000)
      await world.work.finish()
    }
    expect(world.engine.stats().find(({ source }) => source === 'edge_logs')!.rows).toBe(2)
    await expectView(world, define(BY_PATH), world.records)
    await world.restart('close')
    await expectView(world, define(BY_PATH), world.records)
    await expectView(world, define(BY_PATH), world.records, 'a')
    expect(JSON.parse(world.files.peek('format.json')!.toString())).toEqual({ format: 'logweir', version: 3 })
    await world.close()
  })

  it('of a day are merged', async () => {
    const world = await openWorld()
    world.setViews({ v: BY_PATH })
    for (let i = 0; i < 12; i++) {
      await world.append([request(0, `/${i % 3}`), request(HOUR_US)])
      await world.engine.seal()
      await world.work.finish()
    }
    expect(world.files.paths().filter((path) => /^views\/.{64}\//.test(path)).length).toBeLessThan(6)
    await expectView(world, define(BY_PATH), world.records)
    await world.restart('kill')
    await expectView(world, define(BY_PATH), world.records)
    await world.close()
  })

  it('of an old version stay readable, and the version comes back with its text', async () => {
    const world = await openWorld()
    world.setViews({ v: BY_PATH })
    await world.append([request(0), request(1, '/a')])
    await world.engine.seal()
    await world.work.finish()
    // No file has these rows when the text changes.
    await world.append([request(2, '/a')])
    await world.engine.seal()
    await world.append([request(3, '/b')])
    const before = [...world.records]
    world.setViews({ v: BY_CODE })
    await world.work.finish()
    await world.append([request(2)])
    await world.engine.seal()
    await world.restart('close')
    expect(world.views.readable.names()).toEqual(['v@2026-11-20', 'v'])
    await expectView(world, define(BY_CODE), world.records)
    await expectView(world, define(BY_PATH, 'v@2026-11-20'), before)
    world.setViews({ v: BY_PATH })
    expect(world.views.readable.names()).toEqual(['v@2026-11-20', 'v'])
    await expectView(world, define(BY_PATH), world.records)
    await world.close()
  })

  it('without an owner are removed by a start', async () => {
    const world = await openWorld()
    world.setViews({ v: BY_PATH })
    await world.append([request(0)])
    await world.engine.seal()
    await world.work.finish()
    const kept = world.files.paths()
    const [state] = kept.filter((path) => /^views\/.{64}\//.test(path))
    for (const path of [`${state}.unfinished`, `views/${'0'.repeat(64)}/2026-11-20-00000001`, 'views/catalog.json.new'])
      world.files.put(path, Buffer.from('x'))
    await world.restart('close')
    expect(world.files.paths().filter((path) => path.startsWith('views/'))).toEqual(
      kept.filter((path) => path.startsWith('views/')),
    )
    await expectView(world, define(BY_PATH), world.records)
    await world.close()
  })

  it('with a segment that is missing are ignored, and their other segments are grouped again', async () => {
    const world = await openWorld()
    world.setViews({ v: BY_PATH })
    await world.append([request(0, '/kept')])
    await world.engine.seal()
    await world.append([request(0, '/gone')])
    await world.engine.seal()
    await world.work.finish()
    await world.engine.close()
    const gone = world.files.paths().filter((path) => path.includes('/00000002-0/'))
    for (const path of new Set(gone.map((path) => path.split('/').slice(0, -1).join('/'))))
      await world.files.remove(path)
    await world.restart('close')
    await expectView(world, define(BY_PATH), world.records.slice(0, 1))
    expect(world.logged.map(({ code }) => code)).toContain('view_state_ignored')
    await world.close()
  })
})
