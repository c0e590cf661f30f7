import { describe, expect, it } from 'vitest'
import { DAY_US } from '../../../src/base/units.js'
import { edge, type TestRecord } from '../../support/records.js'
import { define, expectView, idsIn, openWorld, type World } from './world.js'

const TEXT = `select timestamp_trunc(timestamp, hour) as hour, request.path as path, count(*) as n
  from edge_logs group by hour, path`
const OTHER = TEXT.replace('count(*) as n', 'count(*) as n, max(request.path) as most')
const THIRD = TEXT.replace('from edge_logs', "from edge_logs where request.path != '/x'")
const OLD_NAME = 'v@2026-11-25'

let ids = 0
const request = (world: World, path: string) =>
  edge({ id: `${ids++}`, timestampUs: world.clock.nowUs(), metadata: { request: { path } } })

/** Returns a service with a view of rows that are deleted by their age: only the files of the view have the rows. */
async function openWithHistory(): Promise<World> {
  const world = await openWorld({ retentionUs: 3 * DAY_US })
  world.setViews({ v: TEXT })
  await world.append([request(world, '/a'), request(world, '/b')])
  await world.engine.seal()
  await world.work.finish()
  await dropRows(world)
  return world
}

/** Lets all rows be deleted by their age. */
async function dropRows(world: World): Promise<void> {
  world.clock.setNowUs(world.clock.nowUs() + 5 * DAY_US)
  for (let minutes = 0; minutes < 140; minutes += 10) {
    world.clock.advance(10 * 60_000)
    await world.work.finish()
  }
  expect((await idsIn(world.engine)).size).toBe(0)
  while (world.files.paths().some((path) => path.startsWith('segments/'))) await world.files.list('')
}

/** Edits the files of views, and adds a row. */
async function edit(world: World, texts: Record<string, string>, between: Between): Promise<TestRecord> {
  // A process that was killed at once sees the change when the next process starts.
  world.setViews(texts)
  if (between !== 'nothing') await world.restart(between)
  await world.work.finish()
  const record = request(world, '/new')
  await world.append([record])
  if (between !== 'nothing') await world.restart(between)
  return record
}

/** The names of the views that can be read, sorted. */
const namesIn = ({ views }: World) => [...views.readable.names()].sort()

const BETWEENS = ['nothing', 'close', 'kill'] as const
type Between = (typeof BETWEENS)[number]

/** Texts of the same view. */
const SAME = {
  'a comment': `-- Requests by path.\n${TEXT}`,
  'a new HAVING': `${TEXT} having n > 1`,
  'another HAVING and ORDER BY': `${TEXT} having n > 2 and path != '/' order by n desc limit 5`,
  'other names of columns': TEXT.replace('as hour', 'as h').replace('as path', 'as p').replace('hour, path', 'h, p'),
  'another order of columns': TEXT.replace(
    'request.path as path, count(*) as n',
    'count(*) as n, request.path as path',
  ),
}

describe.each(BETWEENS)('a file of a view is edited, with %s between', (between) => {
  it.each(Object.entries(SAME))('%s keeps the history', async (_, text) => {
    const world = await openWithHistory()
    await edit(world, { v: text }, between)
    expect(namesIn(world)).toEqual(['v'])
    await expectView(world, define(text), world.records)
    await world.close()
  })

  it('another aggregate begins a new view, and the old one stays readable', async () => {
    const world = await openWithHistory()
    const history = [...world.records]
    const row = await edit(world, { v: OTHER }, between)
    expect(namesIn(world)).toEqual(['v', OLD_NAME])
    await expectView(world, define(OTHER), [row])
    await expectView(world, define(TEXT, OLD_NAME), history)
    const second = await edit(world, { v: THIRD }, between)
    expect(namesIn(world)).toEqual(['v', OLD_NAME, `${OLD_NAME}.2`])
    await expectView(world, define(THIRD), [row, second])
    await expectView(world, define(OTHER, `${OLD_NAME}.2`), [row])
    await expectView(world, define(TEXT, OLD_NAME), history)
    await world.close()
  })

  it('a text that comes back takes the place of its old version', async () => {
    const world = await openWithHistory()
    const row = await edit(world, { v: OTHER }, between)
    await edit(world, { v: TEXT }, between)
    expect(namesIn(world)).toEqual(['v', OLD_NAME])
    await expectView(world, define(TEXT), world.records)
    await expectView(world, define(OTHER, OLD_NAME), [row])
    await world.close()
  })

  it('a renamed view has its history', async () => {
    const world = await openWithHistory()
    await edit(world, { w: TEXT }, between)
    expect(namesIn(world)).toEqual(['w'])
    await expectView(world, define(TEXT, 'w'), world.records)
    await edit(world, { v: TEXT }, between)
    expect(namesIn(world)).toEqual(['v'])
    await expectView(world, define(TEXT), world.records)
    await world.close()
  })

  it('a deleted view cannot be read, and has its history and the stored rows when it is restored', async () => {
    const world = await openWithHistory()
    await edit(world, {}, between)
    expect(namesIn(world)).toEqual([])
    await edit(world, { v: TEXT }, between)
    expect(namesIn(world)).toEqual(['v'])
    await expectView(world, define(TEXT), world.records)
    await world.close()
  })

  it('rows that are dropped while the view is deleted are not in the restored view', async () => {
    const world = await openWithHistory()
    const history = [...world.records]
    await edit(world, {}, between)
    await world.engine.seal()
    await dropRows(world)
    const row = await edit(world, { v: TEXT }, between)
    await expectView(world, define(TEXT), [...history, row])
    await world.close()
  })

  it('a longer keep shows what was not deleted yet, a shorter hides at once', async () => {
    const world = await openWithHistory()
    for (const days of [2, 30]) {
      world.setViews({ v: TEXT }, days * DAY_US)
      if (between !== 'nothing') await world.restart(between)
      await expectView(world, define(TEXT, 'v', days * DAY_US), world.records)
    }
    await world.close()
  })
})
