import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { projectKey } from '../../../src/views/state/group.js'
import { groupsOfFile, openStateFile } from '../../../src/views/state/read-file.js'
import { edge } from '../../support/records.js'
import { define, expectView, idsIn, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, event_message as text, count(*) as n
  from edge_logs group by hour, text`
const KEEP_US = 30 * DAY_US
const VIEW = define(TEXT, 'v', KEEP_US)

/** A service that keeps the groups of the project `a` for two days, with rows of ten days in files. */
async function filled(): Promise<World> {
  const rowLimits = {
    hiddenThroughUs: () => Number.NEGATIVE_INFINITY,
    viewsHiddenThroughUs: (project: string | undefined, nowUs: number) =>
      project === 'a' ? nowUs - 2 * DAY_US : Number.NEGATIVE_INFINITY,
  }
  const world = await openWorld({}, { rowLimits }, { texts: { v: TEXT }, keepUs: KEEP_US })
  const records = ['a', 'aa', null].flatMap((project) =>
    Array.from({ length: 30 }, (_, i) =>
      edge({ id: `${project} ${i}`, project, timestampUs: world.clock.nowUs() - i * 8 * HOUR_US }),
    ),
  )
  await world.append(records)
  await world.engine.seal()
  await world.work.finish()
  return world
}

/** The rows of the shown groups. */
const shown = ({ records, clock }: World) =>
  records.filter(({ project, timestampUs }) => {
    const endUs = Math.floor(timestampUs / HOUR_US + 1) * HOUR_US
    return project !== 'a' || endUs > clock.nowUs() - 2 * DAY_US
  })

async function expectShown(world: World): Promise<void> {
  for (const project of [undefined, 'a', 'aa']) await expectView(world, VIEW, shown(world), project)
}

/** The number of buckets of the project `a` in all files. */
async function bucketsInFiles({ files }: World): Promise<number> {
  let count = 0
  for (const path of files.paths().filter((one) => /^views\/[0-9a-f]{64}\//.test(one))) {
    const state = await openStateFile(files, path)
    const range = { project: projectKey('a'), fromUs: 0, toUs: Number.POSITIVE_INFINITY }
    for await (const groups of groupsOfFile(files, state, state.facts.states, range)) count += groups.length
  }
  return count
}

async function pass(world: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    world.clock.advance(60_000)
    await world.work.finish()
  }
}

describe('rows of a project that are kept less long than the view keeps groups', () => {
  it('are grouped although queries hide them, also those that were not sealed by then', async () => {
    const hiddenThroughUs = (_: string, project: string | undefined, nowUs: number) =>
      project === 'a' ? nowUs - HOUR_US : Number.NEGATIVE_INFINITY
    const removableThroughUs = () => Number.NEGATIVE_INFINITY
    const newestHiddenUs = (_: string, nowUs: number) => nowUs - HOUR_US
    const limits = { hiddenThroughUs, removableThroughUs, newestHiddenUs, nextRulesUs: () => Number.POSITIVE_INFINITY }
    const options = { rowLimits: { ...limits, revision: 1 } }
    const world = await openWorld(options, {}, { texts: { v: TEXT }, keepUs: KEEP_US })
    const timestampUs = world.clock.nowUs() - 2 * HOUR_US
    await world.append(['a', 'b'].map((project) => edge({ id: project, project, timestampUs })))
    expect(await idsIn(world.engine)).toEqual(new Set(['b']))
    await expectView(world, VIEW, world.records)
    await world.engine.seal()
    await world.work.finish()
    await expectView(world, VIEW, world.records)
    await world.close()
  })
})

describe('groups of a project that are kept less long than the view keeps groups', () => {
  it('are hidden at once, as time goes by too, and those of others stay', async () => {
    const world = await filled()
    await expectShown(world)
    world.clock.setNowUs(world.clock.nowUs() + DAY_US)
    await expectShown(world)
    await world.close()
  })

  it('are deleted a day at a time, an hour after the limit', async () => {
    const world = await filled()
    expect(await bucketsInFiles(world)).toBe(30)
    await pass(world, 59)
    expect(await bucketsInFiles(world)).toBe(30)
    await pass(world, 5)
    const after = await bucketsInFiles(world)
    expect(after).toBeGreaterThan(15)
    expect(after).toBeLessThan(30)
    await pass(world, 20)
    expect(await bucketsInFiles(world)).toBeLessThan(10)
    await expectShown(world)
    await world.restart('kill')
    await expectShown(world)
    await world.close()
  })

  it('are there again after the clock was ahead', async () => {
    const world = await filled()
    await pass(world, 30)
    const nowUs = world.clock.nowUs()
    world.clock.setNowUs(nowUs + 20 * DAY_US)
    await pass(world, 55)
    world.clock.setNowUs(nowUs + HOUR_US)
    await pass(world, 5)
    await expectShown(world)
    await world.close()
  })
})
