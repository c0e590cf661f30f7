import { expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`
const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000

const request = (path: string, agoUs = 0) =>
  edge({ id: path, timestampUs: NOW_US - agoUs, metadata: { request: { path } } })

/** Of all changes that were not synced, none survives the power cut. */
const NOTHING_SURVIVES = () => 0

const isDead = ({ files }: World) =>
  files.list('').then(
    () => false,
    () => true,
  )

it('a journal whose removal was not synced before a kill does not come back', async () => {
  const world = await openWorld({ retentionUs: 3 * DAY_US })
  world.setViews({ v: TEXT })
  await world.append([request('/a'), request('/b', 5 * DAY_US)])
  // The journal, with its name, is synced. Then the process ends between its removal and the sync of the removal.
  world.clock.advance(1_000)
  const isRemoved = () => world.files.paths().every((path) => !path.startsWith('journal/'))
  for (let calls = 0; !isRemoved() && calls < 10; calls++) {
    world.files.fail({ code: 'DIED', after: calls, share: 1, only: ['remove'] })
    world.engine.seal().catch(() => {})
    while (!(await isDead(world)));
    if (!isRemoved()) await world.restart('kill')
  }
  expect(isRemoved()).toBe(true)
  world.files.heal()
  await world.restart('kill')
  for (let minute = 0; minute < 90; minute++) {
    await world.work.finish()
    world.clock.advance(60_000)
  }
  expect(world.engine.stats().find(({ source }) => source === 'edge_logs')!.rows).toBe(1)
  await world.restart(NOTHING_SURVIVES)
  await expectView(world, define(TEXT), world.records)
  await world.engine.seal()
  await world.work.finish()
  await expectView(world, define(TEXT), world.records)
  await world.close()
})

/** Works, and ends the process after the n-th rename, before its sync. Returns whether there is an n-th rename. */
async function dieAfterRename(world: World, n: number): Promise<boolean> {
  world.files.fail({ code: 'DIED', after: n, share: 1, only: ['rename'] })
  const died = await world.work.finish().then(
    () => isDead(world),
    () => isDead(world),
  )
  world.files.heal()
  await world.restart('kill')
  return died
}

it('a list of views that was not synced before a kill does not come back', async () => {
  const other = TEXT.replace('count(*) as n', 'count(*) as n, max(request.path) as most')
  for (let n = 0, died = true; died; n++) {
    const world = await openWorld()
    world.setViews({ v: TEXT })
    await world.append([request('/a')])
    await world.engine.seal()
    await world.work.finish()
    const before = [...world.records]
    world.setViews({ v: other })
    await world.work.finish()
    // No file is written for the text that comes back.
    world.setViews({ v: TEXT })
    died = await dieAfterRename(world, n)
    await world.work.finish()
    await world.append([request('/b')])
    world.clock.advance(1_000)
    for (let turns = 0; turns < 30; turns++) await world.files.list('')
    await world.restart(NOTHING_SURVIVES)
    await expectView(world, define(TEXT), world.records)
    await expectView(world, define(other), before)
    await world.close()
  }
})

it('a file of a view that was not synced before a kill stays when its segments are dropped', async () => {
  for (let n = 0, died = true; died; n++) {
    const world = await openWorld({ retentionUs: 3 * DAY_US })
    world.setViews({ v: TEXT })
    await world.append([request('/a', 5 * DAY_US)])
    await world.engine.seal()
    died = await dieAfterRename(world, n)
    for (let minutes = 0; minutes < 140; minutes += 10) {
      await world.work.finish()
      world.clock.advance(10 * 60_000)
    }
    while (world.files.paths().some((path) => path.startsWith('segments/'))) await world.files.list('')
    await world.files.syncDirectory('segments/edge_logs/2026-11-15')
    await world.restart(NOTHING_SURVIVES)
    await expectView(world, define(TEXT), world.records)
    await world.close()
  }
})
