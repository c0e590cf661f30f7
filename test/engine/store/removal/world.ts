import { expect } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import { GIB, HOUR_US } from '../../../../src/base/units.js'
import type { SourceName } from '../../../../src/common/sources.js'
import type { Deletion, RowLimits } from '../../../../src/engine/deletion.js'
import { checkFormat } from '../../../../src/engine/disk/directory/format.js'
import { type ArrowEngine, createReadingEngine } from '../../../../src/engine/store/engine.js'
import { listStoredRows } from '../../../../src/engine/store/export/stored-rows.js'
import { contains, count, equals, scan } from '../../../../src/plan/builder.js'
import { createFakeClock } from '../../../support/clock.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import type { ModelFiles } from '../../../support/model-files.js'
import { below, oneOf, type Random } from '../../../support/random.js'
import { database, edge, type TestRecord } from '../../../support/records.js'

const SOURCES = ['edge_logs', 'postgres_logs'] as const
const PROJECTS = ['a', 'b', 'ü', null]
export const ALL = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** A deletion, and the facts that the oracle needs: the rows that had arrived, and the text of the condition. */
interface Asked {
  deletion: Deletion
  arrived: number
  text: string | undefined
  isErased: boolean
}

/** A process over a directory, and everything that was ever sent and deleted. */
export interface World {
  files: ModelFiles | undefined
  clock: ReturnType<typeof createFakeClock>
  engine: ArrowEngine
  records: TestRecord[]
  asked: Asked[]
}

/** How long rows of the project `b` are kept, so that their removal and that of deletions meet in segments. */
const KEPT_US = 50 * HOUR_US
const limitOf = (project: string | null | undefined, nowUs: number) =>
  project === 'b' ? nowUs - KEPT_US : Number.NEGATIVE_INFINITY
const LIMITS: RowLimits = {
  newestHiddenUs: (_, nowUs) => nowUs - KEPT_US,
  hiddenThroughUs: (_, project, nowUs) => limitOf(project, nowUs),
  removableThroughUs: (_, project, settledUs) => limitOf(project, settledUs),
  nextRulesUs: () => Number.POSITIVE_INFINITY,
  revision: 0,
}

async function start(world: Pick<World, 'files' | 'clock' | 'asked'>): Promise<ArrowEngine> {
  const { files, clock, asked } = world
  if (files !== undefined) await checkFormat(files, '.')
  const disk = files && { directory: '.', files, release: async () => {} }
  const engine = openEngine({ clock, sealRows: 30, rowLimits: LIMITS, ...(disk && { disk }) })
  for (const { deletion, isErased } of asked) if (!isErased) engine.deleting.hide(deletion)
  await engine.recover()
  return engine
}

export async function openWorld(files: ModelFiles | undefined): Promise<World> {
  const parts = { files, clock: createFakeClock(), asked: [] as Asked[] }
  return { ...parts, engine: await start(parts), records: [] }
}

function randomRecord(random: Random, number: number, nowUs: number): TestRecord {
  const make = oneOf(random, [edge, database])
  return make({
    id: `id-${number}-`,
    timestampUs: nowUs - below(random, 60) * HOUR_US - below(random, 1e6),
    project: oneOf(random, PROJECTS),
    event_message: `message-${number}-`,
    metadata: {
      request: { path: `/path/${number}/`, method: oneOf(random, ['GET', 'POST']) },
      n: number,
      parsed: { user_name: `user-${below(random, 5)}` },
    },
  })
}

export async function append(random: Random, { engine, records, clock }: World): Promise<void> {
  const added = Array.from({ length: 1 + below(random, 25) }, (_, i) =>
    randomRecord(random, records.length + i, clock.nowUs()),
  )
  await appendAll(engine, added)
  records.push(...added)
}

export async function deleteSome(random: Random, { engine, clock, records, asked }: World): Promise<void> {
  const sources = below(random, 3) === 0 ? SOURCES : [oneOf(random, SOURCES)]
  const text = below(random, 2) === 0 ? undefined : `${below(random, 10)}-`
  const isWhole = below(random, 3) === 0
  const startUs = clock.nowUs() - below(random, 60) * HOUR_US
  const project = oneOf(
    random,
    PROJECTS.filter((one) => one !== null),
  )
  const lastHeads = await engine.deleting.closeHeads(sources, project)
  const where = text === undefined ? undefined : contains('event_message', text)
  const deletion: Deletion = {
    id: `${asked.length}`,
    project,
    ...(isWhole ? ALL : { fromUs: startUs, throughUs: startUs + below(random, 30) * HOUR_US - 1 }),
    sources: new Map([...lastHeads].map(([source, lastHead]) => [source, { lastHead, where }])),
  }
  engine.deleting.hide(deletion)
  asked.push({ deletion, arrived: records.length, text, isErased: false })
}

export async function eraseOne(random: Random, { engine, asked, clock }: World): Promise<void> {
  const open = asked.filter(({ isErased }) => !isErased)
  if (open.length === 0) return
  const one = oneOf(random, open)
  // Rows past their limit are removed at the same time.
  const minutes = 55 + below(random, 6)
  for (let minute = 0; minute < minutes; minute++) clock.advance(60_000)
  const erased = engine.deleting.erase(one.deletion, new AbortController().signal)
  // The process may die before the end is awaited.
  erased.catch(() => {})
  for (let minute = 0; minute < 12; minute++) {
    clock.advance(60_000)
    for (let turns = below(random, 12); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
  }
  await erased
  one.isErased = true
}

/** Ends the process in order, by a kill or by a power cut, and starts the next. */
export async function restart(random: Random, world: World): Promise<void> {
  if (world.files === undefined) return
  const how = below(random, 3)
  if (how === 0) await world.engine.close()
  else {
    // Rows that were not synced are lost in a power cut, which is no subject here.
    if (how === 2) await synced(world)
    void world.engine.close().catch(() => {})
  }
  world.files = how === 1 ? world.files.restart() : world.files.cutPower(random)
  world.engine = await start(world)
}

/** Lets the engine sync until a sync that began now is done: one that had begun before has other rows. */
async function synced({ clock }: World): Promise<void> {
  for (let syncs = 0; syncs < 3; syncs++) {
    clock.advance(1_000)
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Starts the next process over the same files. */
export async function startAgain(world: World): Promise<void> {
  world.engine = await start(world)
}

const isDeleted = ({ records, asked }: World, number: number): boolean => {
  const { source, timestampUs, project, event_message } = records[number]!
  return asked.some(
    ({ deletion: { project: of, fromUs, throughUs, sources }, arrived, text }) =>
      number < arrived &&
      project === of &&
      sources.has(source) &&
      timestampUs >= fromUs &&
      timestampUs <= throughUs &&
      (text === undefined || event_message.includes(text)),
  )
}

const left = (world: World): TestRecord[] => world.records.filter((_, number) => !isDeleted(world, number))

const visible = (world: World): TestRecord[] =>
  left(world).filter(({ project, timestampUs }) => timestampUs > limitOf(project, world.clock.nowUs()))

const idsIn = async (
  engine: Pick<ArrowEngine, 'run'>,
  source: SourceName,
  { project, text }: { project?: string; text?: string } = {},
): Promise<unknown[]> => {
  const ofProject = project === undefined ? undefined : equals('project', project)
  const ofText = text === undefined ? undefined : contains('event_message', text)
  const rows = scan(source, ALL).filter(ofProject, ofText)
  return (await readAll(await engine.run(rows.select('id').limit(1e9)))).map(({ id }) => id).sort()
}

const countsIn = async (engine: Pick<ArrowEngine, 'run'>, source: SourceName): Promise<Map<unknown, unknown>> => {
  const groups = await readAll(
    await engine.run(scan(source, ALL).group('project').aggregate({ n: count() }).limit(1e9)),
  )
  return new Map(groups.map(({ project, n }) => [project, Number(n)]))
}

export async function expectLeft(world: World, engine: Pick<ArrowEngine, 'run'> = world.engine): Promise<void> {
  const records = visible(world)
  for (const source of SOURCES) {
    const own = records.filter((record) => record.source === source)
    expect(await idsIn(engine, source)).toEqual(own.map(({ id }) => id).sort())
    const ofA = own.filter(({ project }) => project === 'a')
    expect(await idsIn(engine, source, { project: 'a' })).toEqual(ofA.map(({ id }) => id).sort())
    const ofText = own.filter(({ event_message }) => event_message.includes('7-'))
    expect(await idsIn(engine, source, { text: '7-' })).toEqual(ofText.map(({ id }) => id).sort())
    const counts = new Map<unknown, number>()
    for (const { project } of own) counts.set(project, (counts.get(project) ?? 0) + 1)
    expect(await countsIn(engine, source)).toEqual(counts)
  }
}

/** Expects that the files have exactly the texts of the rows that are left, once all deletions are erased. */
export async function expectErased(world: World): Promise<void> {
  if (world.files === undefined) return
  await world.engine.close()
  const files = world.files.restart()
  const found = new Map<string, number>()
  for (const { read } of await listStoredRows(files, () => expect.fail('a segment is damaged'))) {
    const batches = await read(() => expect.fail('a journal is damaged'))
    const text = Buffer.concat(batches.map(({ ipc }) => ipc)).toString('latin1')
    for (const [id] of text.matchAll(/id-\d+-/g)) found.set(id, (found.get(id) ?? 0) + 1)
  }
  // Rows past their limit are removed later.
  const mayStay = new Set(left(world).map(({ id }) => id))
  expect([...found.keys()].filter((id) => !mayStay.has(id))).toEqual([])
  expect(visible(world).filter(({ id }) => !found.has(id))).toEqual([])
  expect(Math.max(1, ...found.values())).toBe(1)
  const reading = createReadingEngine(
    { directory: '.', files, release: async () => {} },
    new Map(SOURCES.map((source) => [source, ALL])),
    { clock: world.clock, metrics: createMetrics(), rowsLimitBytes: GIB, rowLimits: LIMITS },
  )
  await reading.recover()
  await expectLeft(world, reading)
  await reading.close()
}
