import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import { check } from '../../check/checked.js'
import { createFakeClock } from '../../support/clock.js'
import { createModelFiles, type ModelFiles } from '../../support/model-files.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { edge } from '../../support/records.js'
import { runs } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { define, expectView, idsIn, openWorld, type World } from './world.js'

const RETENTION_US = 4 * DAY_US
const TEXTS = ['metadata.k', 'metadata.v', 'event_message'].map(
  (key) =>
    `select timestamp_trunc(timestamp, day) as day, ${key} as key, count(*) as n from edge_logs group by day, key`,
)
/** The order in docs/operations.md, as far as this service has the directories. */
const COPIED = ['format.json', 'views', 'journal', 'segments']
/** A copy that takes longer than an hour is not promised to be complete. */
const COPY_MINUTES = 55

/** A service that takes rows, and the ids of the rows that each text of its view got. */
interface Service {
  random: Random
  world: World
  text: string
  known: Map<string, Set<string>>
  ids: number
}

async function append({ random, world, known, text, ...service }: Service & { ids: number }): Promise<number> {
  const records = Array.from({ length: 1 + below(random, 5) }, (_, i) =>
    edge({
      id: `${service.ids + i}`,
      timestampUs: world.clock.nowUs() - oneOf(random, [0, HOUR_US, below(random, 8) * DAY_US]),
      project: oneOf(random, ['a', 'b']),
      event_message: oneOf(random, ['x', 'y']),
      metadata: { k: below(random, 3), v: oneOf(random, ['/', null, 1]) },
    }),
  )
  await world.append(records)
  for (const { id } of records) known.get(text)!.add(id)
  return service.ids + records.length
}

/** Does something that a service does, in at most `minutes`. Returns the minutes. */
async function doSomething(service: Service, minutes: number): Promise<number> {
  const { random, world } = service
  const step = oneOf(random, ['append', 'append', 'seal', 'work', 'time', 'time'])
  if (step === 'append') service.ids = await append(service)
  if (step === 'seal') await world.engine.seal()
  if (step === 'work') await world.work.finish()
  if (step !== 'time') return 0
  const taken = Math.min(minutes, 1 + below(random, 20))
  for (let minute = 0; minute < taken; minute++) {
    world.clock.advance(60_000)
    await world.work.finish()
  }
  return taken
}

async function change(service: Service): Promise<void> {
  const { random, world, known } = service
  service.text = oneOf(random, TEXTS)
  const stored = known.get(service.text) ?? new Set()
  for (const id of await idsIn(world.engine)) stored.add(id)
  known.set(service.text, stored)
  world.setViews({ v: service.text })
  await world.work.finish()
}

/** Copies file by file, while the service works. A file may vanish. */
async function backUp(service: Service): Promise<ModelFiles> {
  const { random, world } = service
  const copy = createModelFiles()
  let minutes = COPY_MINUTES
  async function copyTree(path: string): Promise<void> {
    const bytes = world.files.paths().includes(path) ? world.files.peek(path) : undefined
    if (bytes !== undefined) return copy.put(path, bytes)
    for (const name of shuffled(random, await world.files.list(path))) {
      if (below(random, 3) === 0) minutes -= await doSomething(service, minutes)
      await copyTree(`${path}/${name}`)
    }
  }
  for (const path of COPIED) {
    await copyTree(path)
    for (let i = below(random, 4); i > 0; i--) minutes -= await doSomething(service, minutes)
  }
  return copy
}

/** The system lists names in any order. */
function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const places = items.map((item) => ({ item, place: random() }))
  return places.sort((a, b) => a.place - b.place).map(({ item }) => item)
}

/** The backup has the rows of before, and each later row in its views as often as in its stored rows. */
async function checkBackup(service: Service, files: ModelFiles, before: Map<string, Set<string>>): Promise<void> {
  const { world, text } = service
  // The rest of a segment may vanish during the copy: the service has deleted its rows.
  const isStillThere = ({ path }: { path: string }) => world.files.paths().includes(path)
  expect((await check(files)).faults.filter(isStillThere)).toEqual([])
  const clock = createFakeClock(world.clock.nowUs())
  const restored = await openWorld({ retentionUs: RETENTION_US }, {}, { files, clock, texts: { v: text } })
  for (let round = 0; round < 2; round++) {
    const stored = await idsIn(restored.engine)
    for (const [of, ids] of before) {
      const later = (id: string) => of === text && stored.has(id) && service.known.get(of)!.has(id)
      const records = world.records.filter(({ id }) => ids.has(id) || later(id))
      await expectView({ ...restored, clock }, define(of), records)
    }
    await restored.engine.seal()
    await restored.work.finish()
  }
  await restored.close()
}

describe('a backup of a service that makes, merges and releases files of views', () => {
  const seed = testSeed()
  const services = runs(20)

  it(`restores all rows (seed ${seed})`, { timeout: 60_000 + 20_000 * services }, async () => {
    for (let i = 0; i < services; i++) {
      const random = mulberry32(seed + i)
      const dayFiles = oneOf(random, [1, 2, 4])
      const world = await openWorld({ retentionUs: RETENTION_US }, { dayFiles })
      const service: Service = { random, world, text: '', known: new Map(), ids: 0 }
      await change(service)
      try {
        for (let copies = 0; copies < 5; copies++) {
          for (let steps = below(random, 12); steps > 0; steps--) await doSomething(service, 60)
          if (below(random, 2) === 0) await change(service)
          const before = new Map([...service.known].map(([text, ids]) => [text, new Set(ids)]))
          await checkBackup(service, await backUp(service), before)
        }
      } catch (error) {
        expect.fail(`seed ${seed + i}: ${(error as Error).stack}`)
      }
      await world.close()
    }
  })
})
