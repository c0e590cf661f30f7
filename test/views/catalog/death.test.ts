import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`
const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
/** More calls than any of the works takes. */
const MOST_CALLS = 500

const request = (path: string, agoUs = 0) =>
  edge({ id: path, timestampUs: NOW_US - agoUs, metadata: { request: { path } } })

/** Returns a service whose next work merges the files of a day. */
async function openBeforeMerge(): Promise<World> {
  const world = await openWorld({ retentionUs: 3 * DAY_US }, { dayFiles: 1 })
  world.setViews({ v: TEXT })
  for (const path of ['/a', '/b']) {
    await world.append([request(path), request(path, 5 * DAY_US)])
    await world.engine.seal()
    if (path === '/a') await world.work.finish()
  }
  return world
}

/** Work that makes, merges and deletes files, and drops segments. */
async function workOn({ clock, work }: World): Promise<void> {
  await work.finish()
  for (let i = 0; i < 3; i++) {
    clock.advance(60_000)
    await work.finish()
  }
}

const statesOf = ({ files }: World) => files.paths().filter((path) => path.startsWith('views/') && !/json$/.test(path))

describe('a process that ends while files of views are made, merged and deleted', () => {
  it('loses and doubles no row at any call, and leaves no file without an owner', { timeout: 120_000 }, async () => {
    let calls = 0
    for (; calls < MOST_CALLS; calls++) {
      const world = await openBeforeMerge()
      world.files.fail({ code: 'DIED', after: calls })
      await workOn(world).catch(() => {})
      const isDead = await world.files.list('').then(
        () => false,
        () => true,
      )
      world.files.heal()
      await world.restart('kill')
      await expectView(world, define(TEXT), world.records)
      await workOn(world)
      await expectView(world, define(TEXT), world.records)
      expect(statesOf(world), `after ${calls} calls`).toHaveLength(2)
      await world.close()
      if (!isDead) break
    }
    expect(calls).toBeGreaterThan(50)
    expect(calls).toBeLessThan(MOST_CALLS)
  })
})
