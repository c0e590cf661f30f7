import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MINUTE_US } from '../../../../src/base/units.js'
import type { RowLimits } from '../../../../src/engine/deletion.js'
import { checkFormat } from '../../../../src/engine/disk/directory/format.js'
import type { ArrowEngine } from '../../../../src/engine/store/engine.js'
import { scan } from '../../../../src/plan/builder.js'
import { type KeptRetention, replaceCurrent, withoutHistory } from '../../../../src/retention/history.js'
import { limitsOf } from '../../../../src/retention/row-limits.js'
import {
  changedFile,
  type FileModel,
  fileText,
  type Held,
  hiddenThrough,
  parseText,
  randomFile,
  rowsTime,
} from '../../../retention/random-retention.js'
import { createFakeClock } from '../../../support/clock.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { createModelFiles, type ModelFiles } from '../../../support/model-files.js'
import { below, mulberry32, oneOf, type Random } from '../../../support/random.js'
import { edge, type TestRecord } from '../../../support/records.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'

const PROJECTS = ['a', 'b', 'c', 'x.y', null]
const JUMP_US = 40 * DAY_US
/** Minutes until the settled time follows the clock, and so many minutes until 90 days are removed. */
const SETTLING_MINUTES = 61
const REMOVING_MINUTES = 95
const ALL = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** A service over a directory, the retention files that it has had, and every row that it has accepted. */
interface World {
  files: ModelFiles
  clock: ReturnType<typeof createFakeClock>
  engine: ArrowEngine
  kept: KeptRetention
  revision: number
  held: Held[]
  file: FileModel
  records: TestRecord[]
}

async function start(world: World): Promise<void> {
  const { files, clock } = world
  await checkFormat(files, '.')
  const rowLimits: RowLimits = {
    newestHiddenUs: (source, nowUs) => limitsOf(world.kept).newestHiddenUs(source, nowUs),
    hiddenThroughUs: (source, project, nowUs) => limitsOf(world.kept).hiddenThroughUs(source, project, nowUs),
    removableThroughUs: (source, project, nowUs) => limitsOf(world.kept).removableThroughUs(source, project, nowUs),
    nextRulesUs: (settledUs) => limitsOf(world.kept).nextRulesUs(settledUs),
    get revision() {
      return world.revision
    },
  }
  const disk = { directory: '.', files, release: async () => {} }
  world.engine = openEngine({ clock, disk, rowLimits, sealRows: 40 })
  await world.engine.recover()
}

async function openWorld(random: Random): Promise<World> {
  const file = randomFile(random)
  const world: World = {
    files: createModelFiles(),
    clock: createFakeClock(),
    engine: undefined as unknown as ArrowEngine,
    kept: withoutHistory(parseText(fileText(file))),
    revision: 0,
    held: [],
    file,
    records: [],
  }
  await start(world)
  return world
}

/** The time through which rows of a project are hidden at a time, by the files in the order of their loads. */
function hidden({ held, file }: World, project: string | null, nowUs: number): number {
  const all = [...held, { file, untilUs: Number.POSITIVE_INFINITY }]
  return hiddenThrough(all, nowUs, (one) => rowsTime(one, 'edge_logs', project ?? undefined))
}

/** The service runs for some minutes, each as long as its work takes. */
async function run({ clock, files }: World, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    clock.advance(MINUTE_US / 1000)
    for (let calls = -1; calls !== files.calls; ) {
      calls = files.calls
      for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** Accepts rows as the service does, which refuses rows past their limit. */
async function append(random: Random, world: World): Promise<void> {
  const { clock, records, engine } = world
  const nowUs = clock.nowUs()
  const added = Array.from({ length: below(random, 12) }, (_, i) =>
    edge({
      id: `${records.length}-${i}`,
      timestampUs: nowUs - oneOf(random, [0, HOUR_US, DAY_US, 5 * DAY_US]) - below(random, HOUR_US),
      project: oneOf(random, PROJECTS),
    }),
  ).filter(({ project, timestampUs }) => timestampUs > hidden(world, project, nowUs))
  await appendAll(engine, added)
  records.push(...added)
}

function reload(random: Random, world: World): void {
  const nowUs = world.clock.nowUs()
  world.held.push({ file: world.file, untilUs: nowUs })
  world.file = random() < 0.3 ? randomFile(random) : changedFile(random, world.file)
  world.kept = replaceCurrent(world.kept, parseText(fileText(world.file)), nowUs)
  world.revision++
}

async function restart(random: Random, world: World): Promise<void> {
  if (random() < 0.5) await world.engine.close()
  else void world.engine.close().catch(() => {})
  world.files = world.files.restart()
  await start(world)
}

async function expectVisible(world: World): Promise<void> {
  const nowUs = world.clock.nowUs()
  const visible = world.records.filter(({ project, timestampUs }) => timestampUs > hidden(world, project, nowUs))
  const rows = await readAll(await world.engine.run(scan('edge_logs', ALL).select('id').limit(1e9)))
  expect(rows.map(({ id }) => id).sort()).toEqual(visible.map(({ id }) => id).sort())
}

const storedRows = ({ engine }: World): number => engine.stats().find(({ source }) => source === 'edge_logs')!.rows

/** After enough minutes no row is left of a day that was past the limit of its project before. */
async function expectFreed(world: World): Promise<void> {
  await world.engine.seal()
  const pastUs = world.clock.nowUs()
  await run(world, SETTLING_MINUTES + REMOVING_MINUTES)
  const nowUs = world.clock.nowUs()
  const endOfDay = (us: number) => (Math.floor(us / DAY_US) + 1) * DAY_US - 1
  const mayStay = world.records.filter(
    ({ project, timestampUs }) => endOfDay(timestampUs) > hidden(world, project, pastUs),
  )
  const mustStay = world.records.filter(({ project, timestampUs }) => timestampUs > hidden(world, project, nowUs))
  expect(storedRows(world)).toBeLessThanOrEqual(mayStay.length)
  expect(storedRows(world)).toBeGreaterThanOrEqual(mustStay.length)
}

/** The clock is set ahead for less than an hour, and back. Nothing may be lost, whatever happens in the meantime. */
async function jump(random: Random, world: World): Promise<void> {
  const { clock } = world
  clock.setNowUs(clock.nowUs() + JUMP_US)
  await run(world, below(random, 59))
  await expectVisible(world)
  if (random() < 0.3) await restart(random, world)
  clock.setNowUs(clock.nowUs() - JUMP_US)
  await expectVisible(world)
}

describe('rows of projects', () => {
  const seed = testSeed()
  const days = runs(400)

  it(`are kept as long as the files say, for ${days} days (seed ${seed})`, {
    timeout: 60_000 + 5_000 * days,
  }, async () => {
    const random = mulberry32(seed)
    const world = await openWorld(random)
    for (let day = 0; day < days; day++) {
      await append(random, world)
      if (random() < 0.1) reload(random, world)
      if (random() < 0.1) await restart(random, world)
      if (random() < 0.08) await jump(random, world)
      await run(world, below(random, 10))
      await append(random, world)
      await expectVisible(world)
      if (random() < 0.15) await expectFreed(world)
      await expectVisible(world)
      world.clock.setNowUs(world.clock.nowUs() + below(random, 24) * HOUR_US)
    }
    await expectFreed(world)
    await expectVisible(world)
    await world.engine.close()
  })
})
