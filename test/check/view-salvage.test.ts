import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../src/base/units.js'
import { edge, type TestRecord } from '../support/records.js'
import { define, expectView, idsIn, openWorld, type World } from '../views/catalog/world.js'
import { repair } from './checked.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.method as method, count(*) as n
  from edge_logs group by hour, method`
const ROWS = 3_000

const requests = (world: World, method: string, count: number): TestRecord[] =>
  Array.from({ length: count }, (_, i) =>
    edge({
      id: `${method}${i}`,
      timestampUs: world.clock.nowUs() + i,
      event_message: `${method} ${i} ${(i * 7919) % 1000}`,
      metadata: { request: { method } },
    }),
  )

/** Returns a service with two segments in a file of a view. The first segment is damaged and was repaired. */
async function openRepaired(isReleased: boolean): Promise<World> {
  const world = await openWorld({ retentionUs: 2 * DAY_US })
  world.setViews({ v: TEXT })
  for (const [method, count] of [
    ['GET', ROWS],
    ['PUT', 3],
  ] as const) {
    await world.append(requests(world, method, count))
    await world.engine.seal()
  }
  await world.work.finish()
  if (isReleased) {
    world.clock.setNowUs(world.clock.nowUs() + 4 * DAY_US)
    world.clock.advance(60_000)
    await world.work.finish()
  }
  await world.close()
  const cold = world.files.paths().find((path) => /00000001-0\/cold\.arrow$/.test(path))!
  const bytes = world.files.peek(cold)!
  bytes[2_000]! ^= 1
  world.files.put(cold, bytes)
  const { done } = await repair(world.files, world.clock.nowUs())
  expect(done.join('\n')).toContain('has the intact rows')
  return world
}

describe('the repair of a segment whose rows a view has', () => {
  it.each([false, true])('counts no row twice, and keeps the damaged rows in the view (released: %s)', async (is) => {
    const world = await openRepaired(is)
    // The world has closed already.
    await world.restart('kill')
    const { size } = await idsIn(world.engine)
    expect(size).toBeGreaterThan(3)
    expect(size).toBeLessThan(ROWS + 3)
    await expectView(world, define(TEXT), world.records)
    await world.append(requests(world, 'POST', 5))
    await expectView(world, define(TEXT), world.records)
    for (const how of ['kill', 'close'] as const) {
      await world.engine.seal()
      await world.work.finish()
      await world.restart(how)
      await expectView(world, define(TEXT), world.records)
    }
    await world.close()
  })

  it('keeps the rows in the view when the intact rows are dropped', async () => {
    const world = await openRepaired(true)
    await world.restart('kill')
    for (let minutes = 0; minutes < 140; minutes += 10) {
      world.clock.advance(10 * 60_000)
      await world.work.finish()
    }
    await world.restart('close')
    expect((await idsIn(world.engine)).size).toBe(0)
    await expectView(world, define(TEXT), world.records)
    await world.close()
  })
})
