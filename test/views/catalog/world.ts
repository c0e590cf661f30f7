import { expect } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import type { ArrowEngine, ArrowEngineOptions } from '../../../src/engine/store/engine.js'
import type { Row } from '../../../src/plan/answer.js'
import { column } from '../../../src/plan/expression.js'
import { ofProject } from '../../../src/plan/of-project.js'
import type { Plan } from '../../../src/plan/plan.js'
import type { GroupableEngine, ViewLimits } from '../../../src/views/catalog/catalog.js'
import { openViews, type Views } from '../../../src/views/catalog/open-views.js'
import type { DeletionOfGroups } from '../../../src/views/catalog/touched-buckets.js'
import type { ViewWork } from '../../../src/views/catalog/work.js'
import { type ViewDefinition, viewDefinition, viewOf } from '../../../src/views/definition/definition.js'
import { runPlan } from '../../oracle/plan/run.js'
import { createFakeClock } from '../../support/clock.js'
import { appendAll, openEngine } from '../../support/engine.js'
import { createModelFiles, type ModelFiles } from '../../support/model-files.js'
import type { Random } from '../../support/random.js'
import { compareRows } from '../../support/random-plans.js'
import type { TestRecord } from '../../support/records.js'

/** A log line of the service. */
interface Logged {
  message: string
  code: unknown
  [name: string]: unknown
}

/** A service of an engine and views over a file system in memory, and every row that was ever accepted. */
export interface World {
  files: ModelFiles
  readonly clock: ReturnType<typeof createFakeClock>
  engine: ArrowEngine
  views: Views
  work: ViewWork
  readonly records: TestRecord[]
  readonly logged: Logged[]
  append(records: readonly TestRecord[]): Promise<void>
  /** Sets the files of views: texts by name. */
  setViews(texts: Readonly<Record<string, string>>, keepUs?: number): void
  /**
   * Ends the process in order, where it stands, or by a power cut, and starts the next. `between` is called when the
   * rows are recovered and the views have not started.
   */
  restart(how: 'close' | 'kill' | Random, between?: (engine: ArrowEngine) => void | Promise<void>): Promise<void>
  close(): Promise<void>
}

/** Limits of the catalog of views, see `CatalogOptions`. */
interface Sizes {
  dayFiles?: number
  viewBytes?: number
  rowLimits?: ViewLimits
  /** The engine as views see it, given the engine. */
  engineOf?: (engine: ArrowEngine) => GroupableEngine
  /** The deletions that are hidden from views at each start. */
  hidden?: () => Iterable<DeletionOfGroups>
}

export const define = (text: string, name = 'v', keepUs = 30 * DAY_US): ViewDefinition =>
  viewDefinition(text, { name, keepUs, place: { line: 1, column: 1 } })

/** Where a service starts. */
interface Place {
  files?: ModelFiles
  clock?: World['clock']
  /** The files of views, see `World.setViews`. */
  texts?: Readonly<Record<string, string>>
  keepUs?: number
}

export async function openWorld(
  options: Partial<ArrowEngineOptions> = {},
  {
    isInMemory = false,
    engineOf = (engine) => engine,
    hidden = () => [],
    ...sizes
  }: Sizes & { isInMemory?: boolean } = {},
  { files: found = createModelFiles(), clock = createFakeClock(), texts = {}, keepUs }: Place = {},
): Promise<World> {
  const logged: Logged[] = []
  const log = (message: string, fields = {}) => void logged.push({ message, code: undefined, ...fields })
  const read = (of: Readonly<Record<string, string>>, keptUs?: number) =>
    Object.entries(of).map(([name, text]) => ({ text, definition: define(text, name, keptUs) }))
  let current: Parameters<Views['setCurrent']>[0] = read(texts, keepUs)

  async function start(files: ModelFiles, between: Parameters<World['restart']>[1] = () => {}) {
    const views = await openViews({ files: isInMemory ? undefined : files, clock, log, ...sizes })
    views.setCurrent(current)
    for (const deletion of hidden()) views.hide(deletion)
    const disk = isInMemory ? undefined : { directory: 'data', files, release: async () => {} }
    const { readView, keeper } = views
    const engine = openEngine({ metrics: createMetrics(), clock, log, disk, readView, keeper, ...options })
    await engine.recover()
    await between(engine)
    return { files, views, engine, work: await views.start(engineOf(engine)) }
  }

  const world: World = {
    ...(await start(found)),
    clock,
    records: [],
    logged,
    async append(records) {
      await appendAll(world.engine, records)
      world.records.push(...records)
    },
    setViews(texts, keepUs) {
      current = read(texts, keepUs)
      world.views.setCurrent(current)
    },
    async restart(how, between) {
      if (how === 'close') await world.close()
      const files = typeof how === 'function' ? world.files.cutPower(how) : world.files.restart()
      // An engine that was killed would try again for good.
      if (how !== 'close') void world.close().catch(() => {})
      Object.assign(world, await start(files, between))
    },
    async close() {
      await world.work.stop()
      await world.engine.close()
    },
  }
  return world
}

async function rowsOf(engine: ArrowEngine, plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of await engine.run(plan)) rows.push(row)
  return rows
}

const ALL = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/** The ids of the rows that are still stored. */
export async function idsIn(engine: ArrowEngine): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const source of ['edge_logs', 'postgres_logs'] as const) {
    const plan: Plan = [
      { op: 'scan', sources: [source], ...ALL },
      { op: 'select', columns: [{ name: 'id', value: column('id') }] },
    ]
    for (const { id } of await rowsOf(engine, plan)) ids.add(id as string)
  }
  return ids
}

/** Expects that a view has exactly the groups of some rows, as far as it keeps them. */
export async function expectView(
  { engine, clock }: World,
  view: ViewDefinition,
  records: readonly TestRecord[],
  project?: string,
): Promise<void> {
  const whole: Plan = [viewOf(view.source)]
  const plan = project === undefined ? whole : ofProject(whole, project)
  const ofProjects = records.filter((record) => project === undefined || record.project === project)
  const outcome = runPlan(view.grouping, ofProjects)
  const bucket = outcome.columns.indexOf(view.source.bucket)
  const unitUs = { minute: HOUR_US / 60, hour: HOUR_US, day: DAY_US }[view.unit]
  const rows = outcome.rows.filter((row) => {
    const startUs = Number((row[bucket]!.value as { us: number | bigint }).us)
    return startUs + unitUs >= clock.nowUs() - view.keepUs
  })
  expect([...outcome.must]).toEqual([])
  const expected = { ...outcome, rows, ranks: rows.map(() => 0), limit: Number.POSITIVE_INFINITY, offset: 0 }
  compareRows(await rowsOf(engine, plan), expected, plan)
}
