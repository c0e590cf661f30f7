import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { mulberry32 } from '../../support/random.js'
import { edge, type TestRecord } from '../../support/records.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { define, expectView, openWorld, type World } from './world.js'

const BY_PATH = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`
const BY_METHOD = BY_PATH.replaceAll('path', 'method')
const NOW_US = Date.UTC(2026, 10, 20, 10) * 1000
const OLD_US = 5 * DAY_US

const request = (path: string, agoUs = 0) =>
  edge({ id: path, timestampUs: NOW_US - agoUs, metadata: { request: { path, method: path } } })

/** Appends rows of a new and of an old day, which survive a power cut from then on. */
async function appendSynced(world: World, path: string): Promise<void> {
  await world.append([request(path), request(path, OLD_US)])
  world.clock.advance(1_000)
  for (let turns = 0; turns < 30; turns++) await world.files.list('')
}

/** Returns a service of which the next work merges the files of a day. */
async function openBeforeMerge(): Promise<World> {
  const world = await openWorld({ retentionUs: 3 * DAY_US }, { dayFiles: 1 })
  world.setViews({ v: BY_PATH })
  await appendSynced(world, '/a')
  await world.engine.seal()
  await world.work.finish()
  await appendSynced(world, '/b')
  return world
}

/** Work that seals rows, makes, merges and deletes files, and drops segments. */
async function workOn({ clock, work, engine }: World): Promise<void> {
  await engine.seal()
  await work.finish()
  for (let minutes = 0; minutes < 140; minutes += 10) {
    clock.advance(10 * 60_000)
    await work.finish()
  }
}

const isDead = ({ files }: World) =>
  files.list('').then(
    () => false,
    () => true,
  )

/** Works until the work is done, or the process has died in it. Returns whether the process has died. */
async function workUntilDeath(world: World, work: (world: World) => Promise<void>): Promise<boolean> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  // An engine with a dead disk tries again for good.
  work(world).then(done, done)
  while (!isDone && !(await isDead(world)));
  const died = await isDead(world)
  world.files.heal()
  return died
}

/** Files of views. */
const statesOf = ({ files }: World) => files.paths().filter((path) => path.startsWith('views/') && !/json$/.test(path))
/** Files that only the next start deletes. */
const leftovers = ({ files }: World) => files.paths().filter((path) => /(\.unfinished|\.removed|\.new)$/.test(path))

/** Whether the view has all rows, before and after its work. All rows of the old day are dropped then. */
async function expectWhole(world: World, views: Record<string, readonly TestRecord[]>): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (const [text, records] of Object.entries(views)) await expectView(world, define(text), records)
    await workOn(world)
  }
  await world.restart('close')
  for (const [text, records] of Object.entries(views)) await expectView(world, define(text), records)
  const { rows } = world.engine.stats().find(({ source }) => source === 'edge_logs')!
  expect(rows).toBe(world.records.length / 2)
}

const ENDS = ['a kill', 'a power cut', 'a kill, and later a power cut'] as const
type End = (typeof ENDS)[number]

/** Ends the process. A later power cut takes back what neither the dead process nor the next has synced. */
async function endBy(end: End, world: World, seed: number): Promise<void> {
  await world.restart(end === 'a power cut' ? mulberry32(seed) : 'kill')
  if (end !== 'a kill, and later a power cut') return
  await workOn(world)
  for (let turns = 0; turns < 100; turns++) await world.files.list('')
  await world.restart(seed % 2 === 0 ? () => 0 : mulberry32(seed))
}
/** How much of the call in which the process dies is done. */
const SHARES = [0, 1]
/** A small run tries a part of the calls, and others each time. */
const STEP = Math.max(1, Math.round(20 / costlyRuns(20)))

describe.each(ENDS)('a process that ends by %s while files of views are made, merged and deleted', (end) => {
  const seed = testSeed()

  it(`loses and doubles no row at any call, and leaves no file behind (seed ${seed})`, {
    timeout: 900_000,
  }, async () => {
    const first = seed % STEP
    for (const share of SHARES) {
      let isEnded = false
      let call = first
      for (; !isEnded; call += STEP) {
        const world = await openBeforeMerge()
        world.files.fail({ code: 'DIED', after: call, share })
        isEnded = !(await workUntilDeath(world, workOn))
        await endBy(end, world, seed + call)
        await expectWhole(world, { [BY_PATH]: world.records })
        expect([statesOf(world).length, leftovers(world)], `after ${call} calls`).toEqual([2, []])
        await world.close()
      }
      expect(call).toBeGreaterThan(100)
    }
  })

  it(`keeps both versions of a view that is changed then (seed ${seed})`, { timeout: 900_000 }, async () => {
    let isEnded = false
    for (let call = seed % STEP; !isEnded; call += STEP) {
      const world = await openBeforeMerge()
      world.setViews({ v: BY_METHOD })
      world.files.fail({ code: 'DIED', after: call, share: call % 2 })
      isEnded = !(await workUntilDeath(world, ({ work }) => work.finish()))
      await endBy(end, world, seed + call)
      await world.work.finish()
      const before = [...world.records]
      await appendSynced(world, '/c')
      await expectWhole(world, { [BY_PATH]: before, [BY_METHOD]: world.records })
      expect([statesOf(world).length, leftovers(world)], `after ${call} calls`).toEqual([4, []])
      await world.close()
    }
  })
})
