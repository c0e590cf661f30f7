import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import type { ViewNote } from '../../../src/engine/engine.js'
import { viewOf } from '../../../src/views/definition/definition.js'
import { readAll } from '../../support/engine.js'
import { edge } from '../../support/records.js'
import { define, openWorld, type World } from './world.js'

const VIEW = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`

async function read({ engine }: World) {
  const notes = new Set<ViewNote>()
  const rows = await engine.run([viewOf(define(VIEW).source)], { onViewNote: (note) => void notes.add(note) })
  return { rows: await readAll(rows), notes: [...notes] }
}

const requests = (world: World, count: number, agoUs = 0) =>
  Array.from({ length: count }, (_, i) =>
    edge({ id: `${i}`, timestampUs: world.clock.nowUs() - agoUs, metadata: { request: { path: `/${i}` } } }),
  )

describe('a reader of a view', () => {
  it('learns from which day on a new view is built', async () => {
    const world = await openWorld()
    await world.append(requests(world, 3, 2 * DAY_US))
    await world.engine.seal()
    world.setViews({ v: VIEW })
    const { rows, notes } = await read(world)
    expect([rows.length, notes]).toEqual([3, [{ buildingFromUs: Date.UTC(2026, 10, 19) * 1000 }]])
    await world.work.finish()
    expect((await read(world)).notes).toEqual([])
    await world.close()
  })

  it('learns that groups were too many, and finds each row among the others', async () => {
    const world = await openWorld({}, { viewBytes: 2_000 })
    world.setViews({ v: VIEW })
    for (let i = 0; i < 3; i++) {
      await world.append(requests(world, 20))
      await world.engine.seal()
      await world.work.finish()
    }
    const { rows, notes } = await read(world)
    expect(notes).toEqual(['partial'])
    expect(rows.reduce((sum, row) => sum + Number(row['aggregate 1']), 0)).toBe(60)
    expect(rows.at(-1)).toMatchObject({ 'key 1': '…' })
    expect(rows.length).toBeLessThan(20)
    await world.close()
  })
})
