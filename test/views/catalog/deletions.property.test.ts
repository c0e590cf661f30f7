import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US, MINUTE_US } from '../../../src/base/units.js'
import type { SourceName } from '../../../src/common/sources.js'
import type { ArrowEngine } from '../../../src/engine/store/engine.js'
import { equals } from '../../../src/plan/builder.js'
import { call, column, type Expression, joinConditions, literal } from '../../../src/plan/expression.js'
import { type Operator, type Plan, withInnerPlans } from '../../../src/plan/plan.js'
import { Timestamp } from '../../../src/plan/values/values.js'
import type { GroupableEngine } from '../../../src/views/catalog/catalog.js'
import type { LostGroups } from '../../../src/views/catalog/regroup.js'
import { touchedBuckets } from '../../../src/views/catalog/touched-buckets.js'
import type { ViewDefinition } from '../../../src/views/definition/definition.js'
import { groupsOfFile, openStateFile } from '../../../src/views/state/read-file.js'
import { below, mulberry32, oneOf, type Random } from '../../support/random.js'
import { database, edge, type TestRecord } from '../../support/records.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'
import { define, expectView, idsIn, openWorld, type World } from './world.js'

const KEEP_US = 20 * DAY_US
const RETENTION_US = 4 * DAY_US
const TEXTS: Readonly<Record<string, string>> = {
  hours: `select timestamp_trunc(timestamp, hour) as hour, metadata.k as k, count(*) as n, sum(metadata.v) as s
    from edge_logs group by hour, k`,
  days: `select timestamp_trunc(timestamp, day) as day, count(*) as n, max(event_message) as most
    from (select * from edge_logs union all select * from postgres_logs) group by day`,
}
const UNITS_US = { minute: MINUTE_US, hour: HOUR_US, day: DAY_US }
const PROJECTS = ['a', 'b', '…', null]
/** Later than all rows. */
const MOST_US = Date.UTC(2100, 0) * 1000
const MESSAGES = ['x', 'y', 'z']

/** A deletion of rows that were appended before the row `beforeId`. */
interface TestDeletion {
  id: string
  project: string
  fromUs: number
  throughUs: number
  sources: ReadonlySet<SourceName>
  message: string | undefined
  beforeId: string
}

const isDeleted = (
  { project, fromUs, throughUs, sources, message, beforeId }: TestDeletion,
  row: TestRecord,
): boolean =>
  row.project === project &&
  row.timestampUs >= fromUs &&
  row.timestampUs <= throughUs &&
  sources.has(row.source) &&
  (message === undefined || row.event_message === message) &&
  row.id < beforeId

/** The rows of a plan, without those of deletions. Replaces the engine's own hiding, of which views know nothing. */
function withoutDeleted(plan: Plan, deletions: readonly TestDeletion[]): Plan {
  return plan.flatMap((operator): Operator[] => {
    const inner = withInnerPlans(operator, (one) => withoutDeleted(one, deletions))
    if (inner.op !== 'scan') return [inner]
    const own = deletions.filter(({ sources }) => sources.has(inner.sources[0]!))
    return [inner, ...own.map((one) => ({ op: 'filter' as const, where: call('not', call('is_true', matches(one))) }))]
  })
}

function matches({ project, fromUs, throughUs, message, beforeId }: TestDeletion): Expression {
  const conditions = [
    equals('project', project),
    call('ge', column('timestamp'), literal(new Timestamp(Math.max(0, fromUs)))),
    call('le', column('timestamp'), literal(new Timestamp(Math.min(MOST_US, throughUs)))),
    call('lt', column('id'), literal(beforeId)),
    ...(message === undefined ? [] : [equals('event_message', message)]),
  ]
  return joinConditions('and', conditions)
}

/** The engine as views see it. The deletions of a snapshot are those at the time of the snapshot. */
const hiding = (engine: ArrowEngine, deletions: readonly TestDeletion[]): GroupableEngine => ({
  enforceLimits: engine.enforceLimits,
  seal: engine.seal,
  groupable(sources) {
    const rows = engine.groupable(sources)
    const hidden = [...deletions]
    // Groups of whole parts that are kept in memory would be those of other rows.
    return {
      ...rows,
      group: (plan, isRead, run) => rows.group(withoutDeleted(plan, hidden), isRead, { ...run, isCached: false }),
    }
  },
})

/** A random run of a service with rows that are deleted on request. */
class Run {
  readonly #random: Random
  readonly #world: World
  readonly #deletions: TestDeletion[]
  /** The deletions with groups that are not computed again yet, and the groups that each has lost. */
  readonly #open = new Map<TestDeletion, readonly LostGroups[]>()
  /** The buckets of which each deletion takes rows that were gone before. */
  readonly #gone = new Map<TestDeletion, { view: string; bucketUs: number }[]>()
  readonly #known = new Map<ViewDefinition, Set<string>>()
  #rows = 0
  readonly steps: string[] = []

  constructor(random: Random, world: World, deletions: TestDeletion[]) {
    this.#random = random
    this.#world = world
    this.#deletions = deletions
    for (const [name, text] of Object.entries(TEXTS)) this.#known.set(define(text, name, KEEP_US), new Set())
  }

  async step(): Promise<void> {
    const steps = ['append', 'append', 'append', 'seal', 'work', 'time', 'delete', 'regroup', 'die', 'restart']
    const step = oneOf(this.#random, steps)
    this.steps.push(step)
    if (step === 'append') await this.#append()
    if (step === 'seal') await this.#world.engine.seal()
    if (step === 'work') await this.#world.work.finish()
    if (step === 'time') await this.#pass()
    if (step === 'delete') await this.#delete()
    if (step === 'regroup') for (const deletion of this.#open.keys()) await this.#regroup(deletion)
    if (step === 'die') await this.#die()
    if (step === 'restart') await this.#restart(oneOf(this.#random, ['close', 'kill']))
    await this.#check()
  }

  async #append(): Promise<void> {
    const records = Array.from({ length: 1 + below(this.#random, 8) }, () => {
      const ago = oneOf(this.#random, [0, HOUR_US, DAY_US, below(this.#random, 6 * 24) * HOUR_US])
      return oneOf(this.#random, [edge, edge, database])({
        id: String(this.#rows++).padStart(6, '0'),
        timestampUs: this.#world.clock.nowUs() - ago,
        project: oneOf(this.#random, PROJECTS),
        event_message: oneOf(this.#random, MESSAGES),
        metadata: { k: below(this.#random, 3), v: below(this.#random, 10) },
      })
    })
    await this.#world.append(records)
    for (const [{ sources }, ids] of this.#known)
      for (const { id, source } of records) if (sources.includes(source)) ids.add(id)
  }

  async #pass(): Promise<void> {
    const { clock, work } = this.#world
    clock.setNowUs(clock.nowUs() + oneOf(this.#random, [1, 24, 48]) * HOUR_US)
    for (let minutes = 0; minutes < 70; minutes += 10) {
      clock.advance(10 * 60_000)
      await work.finish()
    }
  }

  async #delete(): Promise<void> {
    const random = this.#random
    const nowUs = this.#world.clock.nowUs()
    const fromUs = oneOf(random, [Number.NEGATIVE_INFINITY, nowUs - below(random, 10 * 24 * 60) * MINUTE_US])
    const lengthUs = oneOf(random, [0, HOUR_US, DAY_US, below(random, 5 * DAY_US)])
    const deletion: TestDeletion = {
      id: `d${this.#deletions.length}`,
      project: oneOf(random, ['a', 'b', '…']),
      fromUs,
      throughUs: Number.isFinite(fromUs)
        ? fromUs + lengthUs
        : oneOf(random, [nowUs - lengthUs, Number.MAX_SAFE_INTEGER]),
      sources: new Set(oneOf<SourceName[]>(random, [['edge_logs'], ['postgres_logs'], ['edge_logs', 'postgres_logs']])),
      message: oneOf(random, [undefined, ...MESSAGES]),
      beforeId: String(this.#rows).padStart(6, '0'),
    }
    this.steps.push(`  ${JSON.stringify(deletion, (_, value) => (value instanceof Set ? [...value] : value))}`)
    // The work of views has a snapshot of before.
    const working = oneOf(random, [true, false]) ? this.#world.work.finish() : undefined
    const stored = await idsIn(this.#world.engine)
    this.#world.views.hide(deletion)
    this.#deletions.push(deletion)
    this.#open.set(deletion, [])
    for (const [view, ids] of this.#known) this.#forget(view, ids, deletion, stored)
    await working
  }

  /** Removes the ids of the deleted rows, and of rows in touched buckets that are not stored any more. */
  #forget(view: ViewDefinition, ids: Set<string>, deletion: TestDeletion, stored: ReadonlySet<string>): void {
    const unitUs = UNITS_US[view.unit]
    if (!view.sources.some((source) => deletion.sources.has(source))) return
    for (const record of this.#world.records) {
      const bucketUs = Math.floor(record.timestampUs / unitUs) * unitUs
      const isTouched =
        record.project === deletion.project && bucketUs <= deletion.throughUs && bucketUs + unitUs > deletion.fromUs
      const isStored = stored.has(record.id)
      if (!isTouched || (isStored && !isDeleted(deletion, record)) || !ids.delete(record.id)) continue
      const isKept = bucketUs + unitUs >= this.#world.clock.nowUs() - KEEP_US
      if (!isStored && isKept)
        this.#gone.set(deletion, [...(this.#gone.get(deletion) ?? []), { view: view.name, bucketUs }])
    }
  }

  async #regroup(deletion: TestDeletion): Promise<void> {
    await this.#world.views.regroup(deletion, {
      signal: new AbortController().signal,
      lost: this.#open.get(deletion)!,
      saveLost: async (lost) => void this.#open.set(deletion, lost),
    })
    const lost = this.#open.get(deletion)!
    this.#open.delete(deletion)
    this.#world.views.forget(deletion.id)
    await this.#expectNoOldFiles(deletion)
    for (const { view, bucketUs } of this.#gone.get(deletion) ?? [])
      expect(
        lost.filter((one) => one.view === view && one.fromUs <= bucketUs && one.throughUs >= bucketUs),
      ).toHaveLength(1)
  }

  /** No file has touched groups, unless the file was made without the deleted rows. */
  async #expectNoOldFiles(deletion: TestDeletion): Promise<void> {
    const { files } = this.#world
    for (const path of files.paths().filter((one) => /^views\/[0-9a-f]{64}\//.test(one))) {
      const state = await openStateFile(files, path)
      const { view, day, states, without } = state.facts
      const definition = [...this.#known.keys()].find(({ identity }) => identity === view)!
      const of = { sources: definition.sources, unitUs: UNITS_US[definition.unit] }
      const buckets = touchedBuckets(deletion, of, day)
      if (buckets === undefined || without?.includes(deletion.id)) continue
      for await (const groups of groupsOfFile(files, state, states, buckets)) expect([path, groups]).toEqual([path, []])
    }
  }

  /** The process ends at a random call of the disk while groups are computed again. */
  async #die(): Promise<void> {
    const { files } = this.#world
    const [deletion] = this.#open.keys()
    if (deletion === undefined) return
    files.fail({ code: 'DIED', after: below(this.#random, 40), share: this.#random() })
    await this.#regroup(deletion).catch((error) => {
      if ((error as { code?: unknown }).code !== 'DIED') throw error
    })
    files.heal()
    await this.#restart('kill')
  }

  async #restart(how: 'close' | 'kill'): Promise<void> {
    await this.#world.restart(how, () => {})
  }

  async #check(): Promise<void> {
    const project = oneOf(this.#random, [undefined, 'a', 'b', '…'])
    for (const [view, ids] of this.#known) {
      const records = this.#world.records.filter(({ id }) => ids.has(id))
      await expectView(this.#world, view, records, project)
    }
  }

  /** The views that a new process is to hide from. */
  get open(): Iterable<TestDeletion> {
    return this.#open.keys()
  }
}

describe('views of a service whose rows are deleted on request', () => {
  const seed = testSeed()
  const services = costlyRuns(200)

  it(`have all rows that are left (seed ${seed})`, { timeout: 60_000 + 20_000 * services }, async () => {
    for (let i = 0; i < services; i++) {
      const random = mulberry32(seed + i)
      const deletions: TestDeletion[] = []
      let run: Run | undefined
      const world = await openWorld(
        { retentionUs: RETENTION_US },
        {
          dayFiles: oneOf(random, [1, 2, 4]),
          engineOf: (engine) => hiding(engine, deletions),
          hidden: () => run?.open ?? [],
        },
        { texts: TEXTS, keepUs: KEEP_US },
      )
      run = new Run(random, world, deletions)
      try {
        for (let step = 0; step < 40; step++) await run.step()
      } catch (error) {
        expect.fail(`seed ${seed + i}: ${(error as Error).stack}\n${run.steps.join('\n')}`)
      }
      await world.close()
    }
  })
})
