import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MILLISECOND_US } from '../../../src/base/units.js'
import { dropStored, listStored } from '../../../src/views/catalog/stored-views.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld, type World } from './world.js'

const BY_PATH = `select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as n
  from edge_logs group by hour, path`
const BY_METHOD = BY_PATH.replaceAll('path', 'method')

const record = (world: World, i: number, agoUs = 0) =>
  edge({
    id: `${i}-${agoUs}`,
    timestampUs: Number(world.clock.nowUs()) - agoUs,
    metadata: { request: { path: `/${i % 4}`, method: 'GET' } },
  })

const rows = (world: World, count: number, agoUs = 0) =>
  Array.from({ length: count }, (_, i) => record(world, i, agoUs))

const hourOf = (world: World, agoUs = 0) => {
  const us = Number(world.clock.nowUs()) - agoUs
  return new Date((us - (us % HOUR_US)) / MILLISECOND_US).toISOString()
}

const bytesIn = async ({ files }: World, text: string) => files.bytesBelow(`views/${define(text).identity}`)

describe('the list of views', () => {
  it('has rows, bytes, the first and the last bucket, and how many rows are grouped', async () => {
    const world = await openWorld()
    world.setViews({ v: BY_PATH, w: BY_METHOD })
    const none = { is_current: true, rows: 0, bytes: 0, first: null, last: null, progress: 1 }
    expect(world.views.list()).toEqual([
      { name: 'v', ...none },
      { name: 'w', ...none },
    ])
    await world.append([...rows(world, 30, 2 * DAY_US), ...rows(world, 10)])
    await world.engine.seal()
    expect(world.views.list().map(({ progress }) => progress)).toEqual([0, 0])
    await world.work.finish()
    const found = { is_current: true, first: hourOf(world, 2 * DAY_US), last: hourOf(world), progress: 1 }
    const expected = [
      { name: 'v', rows: 8, bytes: await bytesIn(world, BY_PATH), ...found },
      { name: 'w', rows: 2, bytes: await bytesIn(world, BY_METHOD), ...found },
    ]
    expect(world.views.list()).toEqual(expected)
    expect([...world.views.bytes()]).toEqual(expected.map(({ name, bytes }) => [name, bytes]))
    await world.append(rows(world, 10).map((one) => ({ ...one, id: `more-${one.id}` })))
    await world.engine.seal()
    expect(world.views.list()[0]!.progress).toBeCloseTo(0.8, 10)
    await world.close()
  })

  it('has old versions, and views whose file is gone, which count as others in metrics', async () => {
    const world = await openWorld()
    world.setViews({ v: BY_PATH, gone: BY_PATH.replace('edge_logs', 'auth_logs'), same: BY_PATH })
    await world.append(rows(world, 10))
    await world.engine.seal()
    await world.work.finish()
    world.setViews({ v: BY_METHOD })
    await world.work.finish()
    const day = hourOf(world).slice(0, 10)
    const listed = world.views.list()
    expect(listed.map(({ name, is_current, progress }) => [name, is_current, progress])).toEqual([
      ['gone', false, null],
      ['same', false, null],
      ['v', true, 1],
      [`v@${day}`, false, null],
    ])
    expect(listed.find(({ name }) => name === `v@${day}`)!.rows).toBe(4)
    expect([...world.views.bytes()]).toEqual([
      ['v', await bytesIn(world, BY_METHOD)],
      ['(others)', await bytesIn(world, BY_PATH)],
    ])
    await world.close()
  })
})

describe('the data directory of a stopped service', () => {
  async function stopped() {
    const world = await openWorld({}, { dayFiles: 2 })
    world.setViews({ v: BY_PATH, w: BY_METHOD, same: BY_PATH })
    for (let round = 0; round < 3; round++) {
      await world.append(rows(world, 10, round * HOUR_US).map((one) => ({ ...one, id: `${round}-${one.id}` })))
      await world.engine.seal()
      await world.work.finish()
    }
    const listed = world.views.list()
    await world.close()
    return { world, listed }
  }

  it('has the list that the service had', async () => {
    const { world, listed } = await stopped()
    expect(await listStored(world.files)).toEqual(listed.map((view) => ({ ...view, progress: null })))
  })

  it('loses a view that is dropped, and its files unless another view groups the same', async () => {
    const { world } = await stopped()
    const names = async () => (await listStored(world.files)).map(({ name }) => name)
    await expect(dropStored(world.files, 'x')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('there is no view x'),
    })
    await dropStored(world.files, 'v')
    expect(await names()).toEqual(['same', 'w'])
    expect(await bytesIn(world, BY_PATH)).toBeGreaterThan(0)
    await dropStored(world.files, 'same')
    expect(await bytesIn(world, BY_PATH)).toBe(0)
    expect(await names()).toEqual(['w'])
    await world.restart('kill')
    await world.work.finish()
    // The files of the views are still there, and so are the rows.
    for (const text of [BY_PATH, BY_METHOD]) await expectView(world, define(text), world.records)
    await world.close()
  })

  it('loses a view whole or not at all, wherever the process dies', async () => {
    for (let after = 0; ; after++) {
      const { world } = await stopped()
      world.files.fail({ code: 'DIED', after, forGood: true })
      const isDone = await dropStored(world.files, 'w').then(
        () => true,
        () => false,
      )
      world.files.heal()
      await world.restart('kill')
      await world.work.finish()
      for (const text of [BY_PATH, BY_METHOD]) await expectView(world, define(text), world.records)
      await world.close()
      if (isDone) return
    }
  })
})
