import { beforeEach, expect, it } from 'vitest'
import { createMetrics, type Metrics } from '../../../../src/base/metrics.js'
import { decodeUtf8 } from '../../../../src/base/text/utf8.js'
import { DAY_US, GIB } from '../../../../src/base/units.js'
import { enforceRetention } from '../../../../src/engine/store/tables/retention.js'
import { createStore, type Store } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { createModelFiles } from '../../../support/model-files.js'
import { NINE_AND_OWN, OWN_SOURCE } from '../../../support/own-source.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { edge } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { createTestSealer } from '../../../support/sealer.js'
import { testSeed } from '../../../support/seed.js'
import { openPersistence } from '../persistence/open-persistence.js'
import { ALL_COLUMNS, noYield } from '../support.js'

const RETENTION_DAYS = 10
const SOURCES = ['edge_logs', 'auth_logs', 'postgres_logs', OWN_SOURCE] as const
const STEPS = 60
const SEAL_ROWS = 12

let metrics: Metrics

beforeEach(() => {
  metrics = createMetrics()
})

/** Returns the ids of all sources, sorted. Segments may be on disk. */
async function idsOfAll(store: Store): Promise<string[]> {
  const ids: string[] = []
  for (const source of NINE_AND_OWN) {
    const { parts, release } = store.view(source)
    for (const part of parts) {
      const { openCold, rows } = await part.open(noYield, ALL_COLUMNS)
      const read = openCold()
      for (let row = 0; row < rows; row++) ids.push(decodeUtf8((await read(row)).id))
    }
    release()
  }
  return ids.sort()
}

/** A store, in memory or on disk. */
interface Opened {
  readonly store: Store
  /** Restarts a store that is on disk. */
  restart(): Promise<void>
}

/** A store and a clock, and the days of all appended rows, by id. */
interface World {
  random: Random
  opened: Opened
  nowUs: number
  /** The latest day that a check has seen as the first day to keep. */
  firstDay: number
  days: Map<string, number>
  /** Checks whose heads may still be sealed. */
  checks: Promise<void>[]
}

const inMemory = async (): Promise<Opened> => {
  const store = createStore({ sealRows: SEAL_ROWS, sealBytes: GIB, sealer: createTestSealer() })
  return { store, restart: async () => {} }
}

async function onDisk(): Promise<Opened> {
  let files = createModelFiles()
  let opened = await openPersistence(files, SEAL_ROWS)
  return {
    get store() {
      return opened.store
    },
    async restart() {
      files = files.restart()
      opened.diskRetry.abandon()
      opened = await openPersistence(files, SEAL_ROWS)
      expect(opened.damages).toEqual([])
    },
  }
}

/** Appends some rows that ingest would accept: none is older than the retention. */
async function appendSome({ random, opened, nowUs, days }: World): Promise<void> {
  const source = oneOf(random, SOURCES)
  const records = Array.from({ length: 1 + below(random, 5) }, () => {
    const ageUs = random() < 0.5 ? below(random, 60e6) : below(random, RETENTION_DAYS * DAY_US)
    const timestampUs = nowUs - ageUs
    const id = `${days.size}`
    days.set(id, Math.floor(timestampUs / DAY_US))
    return { ...edge({ id, timestampUs }), source }
  })
  await opened.store.append(toBatch(source, records))
}

/** Runs a check, and expects that rows of at most one day are gone. */
async function check(world: World): Promise<void> {
  const { nowUs, days, checks } = world
  const { store } = world.opened
  const before = await idsOfAll(store)
  checks.push(enforceRetention(store, nowUs, RETENTION_DAYS * DAY_US, metrics))
  world.firstDay = Math.max(world.firstDay, Math.floor(nowUs / DAY_US) - RETENTION_DAYS)
  const after = new Set(await idsOfAll(store))
  const gone = new Set(before.filter((id) => !after.has(id)).map((id) => days.get(id)))
  expect(gone.size).toBeLessThanOrEqual(1)
}

/** Expects each row of a day that is kept once, and no row twice. */
async function expectKept({ opened, days, firstDay }: World): Promise<void> {
  const ids = await idsOfAll(opened.store)
  const found = new Set(ids)
  expect(found.size).toBe(ids.length)
  for (const [id, day] of days) if (day >= firstDay) expect(found, `row ${id} of day ${day}`).toContain(id)
}

/** Restarts a store that may be sealing old heads. */
async function restart(world: World): Promise<void> {
  world.checks = []
  await world.opened.restart()
}

async function step(world: World): Promise<void> {
  const { random, opened } = world
  const chance = random()
  if (chance < 0.4) await appendSome(world)
  else if (chance < 0.75) await check(world)
  else if (chance < 0.9) world.nowUs += below(random, 2 * DAY_US)
  else if (chance < 0.95) await opened.store.sealAll()
  else await restart(world)
  if (random() < 0.3) await Promise.all([...world.checks.splice(0), opened.store.settled()])
  await expectKept(world)
}

it.each([
  ['in memory', inMemory],
  ['on disk', onDisk],
])('rows of random days are there once as long as they are kept, and gone some minutes later: %s', async (_, open) => {
  for (let run = 0; run < runs(50); run++) {
    const seed = testSeed() + run
    const random = mulberry32(seed)
    const opened = await open()
    const world: World = { random, opened, nowUs: 100 * DAY_US, firstDay: 0, days: new Map(), checks: [] }
    try {
      for (let i = 0; i < STEPS; i++) await step(world)
      if (random() < 0.5) await restart(world)
      // A check may run already, another check seals the heads, and each day takes a further check.
      for (let i = 0; i < new Set(world.days.values()).size + 2; i++) {
        await check(world)
        await Promise.all([...world.checks.splice(0), opened.store.settled()])
      }
      await expectKept(world)
      const kept = [...world.days].filter(([, day]) => day >= world.firstDay).map(([id]) => id)
      expect(await idsOfAll(opened.store)).toEqual(kept.sort())
      await restart(world)
      expect(await idsOfAll(opened.store)).toEqual(kept)
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  }
})
