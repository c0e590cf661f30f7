import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld } from './world.js'

const BY_PATH = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`
const BY_CODE = `select timestamp_trunc(timestamp, hour) as hour, response.status_code as code, count(*) as n
  from edge_logs group by hour, code`
const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
const OLD = edge({ id: 'old', timestampUs: NOW_US - 5 * DAY_US, metadata: { request: { path: '/a' } } })

describe('between the recovery of rows and the start of views', () => {
  it('no row is dropped that is in a file of an old version', async () => {
    const world = await openWorld({ retentionUs: 9 * DAY_US })
    world.setViews({ v: BY_PATH })
    await world.append([OLD])
    await world.engine.seal()
    await world.work.finish()
    world.setViews({})
    await world.work.finish()
    world.clock.setNowUs(NOW_US + 6 * DAY_US)
    await world.restart('close', () => world.clock.advance(120_000))
    world.setViews({ v: BY_PATH })
    await expectView(world, define(BY_PATH), world.records)
    await world.close()
  })

  it('no row is dropped that no file has, at whatever limit', async () => {
    const world = await openWorld({ diskLimitBytes: 1, retentionUs: 4 * DAY_US })
    world.setViews({ v: BY_PATH })
    await world.append([OLD])
    await world.restart('kill', async (engine) => {
      await engine.seal()
      for (let second = 0; second < 120; second += 20) {
        world.clock.advance(20_000)
        engine.enforceLimits()
      }
    })
    await expectView(world, define(BY_PATH), world.records)
    expect(world.logged.map(({ code }) => code)).not.toContain('view_rows_lost')
    await world.close()
  })
})

describe('a source without rows', () => {
  it('gets new rows into its views after a restart', async () => {
    const world = await openWorld({ retentionUs: 3 * DAY_US })
    world.setViews({ v: BY_PATH, w: BY_CODE })
    for (let round = 0; round < 3; round++) {
      const request = { path: `/${round}` }
      await world.append([edge({ id: `${round}`, timestampUs: world.clock.nowUs(), metadata: { request } })])
      await world.engine.seal()
      await world.work.finish()
      world.clock.setNowUs(world.clock.nowUs() + 5 * DAY_US)
      for (let minute = 0; minute < 90; minute++) {
        world.clock.advance(60_000)
        await world.work.finish()
      }
      while (world.files.paths().some((path) => path.startsWith('segments/'))) await world.files.list('')
      await world.restart(round === 1 ? 'kill' : 'close')
      await expectView(world, define(BY_PATH), world.records)
      await expectView(world, define(BY_CODE, 'w'), world.records)
    }
    await world.close()
  })
})
