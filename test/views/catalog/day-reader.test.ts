import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { ofProject } from '../../../src/plan/of-project.js'
import type { Plan } from '../../../src/plan/plan.js'
import { viewOf } from '../../../src/views/definition/definition.js'
import { readAll } from '../../support/engine.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`

let ids = 0

async function append(world: World, daysAgo: number, count: number): Promise<void> {
  const record = (i: number) =>
    edge({
      id: `${ids++}`,
      project: i % 2 === 0 ? 'a' : 'b',
      timestampUs: Number(world.clock.nowUs()) - daysAgo * DAY_US + (i % 3) * HOUR_US,
      metadata: { request: { path: `/${i % 5}` } },
    })
  await world.append(Array.from({ length: count }, (_, i) => record(i)))
}

/** Notes the files of groups that are opened. */
function watchOpened(world: World): string[] {
  const opened: string[] = []
  const { openToRead } = world.files
  world.files.openToRead = (path) => {
    if (path.startsWith('views/')) opened.push(path)
    return openToRead(path)
  }
  return opened
}

const planOf = (project: string, more: Partial<{ fromUs: number; throughUs: number }> = {}): Plan =>
  ofProject([{ ...viewOf(define(TEXT).source), ...more }], project)

describe('days that were read before', () => {
  it('are read without their files, until late rows come or files are merged', async () => {
    const world = await openWorld({}, { dayFiles: 3 })
    world.setViews({ v: TEXT })
    for (let day = 1; day <= 20; day++) await append(world, day, 12)
    await world.engine.seal()
    await world.work.finish()
    const opened = watchOpened(world)
    const read = async (project = 'a') => {
      opened.length = 0
      await expectView(world, define(TEXT), world.records, project)
      return opened.length
    }
    expect(await read()).toBe(20)
    expect(await read()).toBe(0)
    expect(await read('b')).toBe(20)
    expect(await read('b')).toBe(0)
    // A late row, in an open head, in a segment, and in a file.
    await append(world, 5, 4)
    expect(await read()).toBe(1)
    await world.engine.seal()
    expect(await read()).toBe(1)
    await world.work.finish()
    expect(await read()).toBe(2)
    expect(await read()).toBe(0)
    for (let round = 0; round < 3; round++) {
      await append(world, 5, 4)
      await world.engine.seal()
      await world.work.finish()
      await read()
      expect(await read()).toBe(0)
    }
    await world.close()
  })

  it('are not mixed up with parts of days', async () => {
    const world = await openWorld()
    world.setViews({ v: TEXT })
    await append(world, 3, 30)
    await world.engine.seal()
    await world.work.finish()
    const middle = Number(world.clock.nowUs()) - 3 * DAY_US + HOUR_US
    const part = planOf('a', { fromUs: middle - (middle % HOUR_US) })
    const count = async (plan: Plan) => (await readAll(await world.engine.run(plan))).length
    const [partly, whole] = [await count(part), await count(planOf('a'))]
    expect(partly).toBeLessThan(whole)
    expect([await count(part), await count(planOf('a'))]).toEqual([partly, whole])
    await world.close()
  })

  it('leave no file open if a read ends early', async () => {
    const world = await openWorld()
    world.setViews({ v: TEXT })
    for (let day = 1; day <= 20; day++) await append(world, day, 12)
    await world.engine.seal()
    await world.work.finish()
    let open = 0
    const { openToRead } = world.files
    world.files.openToRead = async (path) => {
      const file = await openToRead(path)
      open++
      return { ...file, close: () => file.close().finally(() => open--) }
    }
    const [view] = planOf('a') as [ReturnType<typeof viewOf>]
    const plan = ofProject([{ ...view, most: { groups: 3, bytes: 1e9 } }], 'a')
    expect((await readAll(await world.engine.run(plan))).length).toBeLessThanOrEqual(6)
    expect(open).toBe(0)
    await world.close()
  })
})
