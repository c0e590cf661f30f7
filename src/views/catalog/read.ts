import { dayOf } from '../../base/time/moment.js'
import { DAY_US } from '../../base/units.js'
import { noViews, type ReadView, type ViewRange, type ViewRun } from '../../engine/engine.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import { ofProject } from '../../plan/of-project.js'
import type { Plan, TimeRange } from '../../plan/plan.js'
import type { Scalar } from '../../plan/values/values.js'
import { withinTime } from '../../plan/within-time.js'
import type { GroupStream } from '../state/group.js'
import { streamsByDay } from '../state/memory-groups.js'
import { mergingOf } from '../state/merged-states.js'
import { type Catalog, setAsideDamaged } from './catalog.js'
import { DayReader, type Reading } from './day-reader.js'
import { getsAnyRows, getsRows, type KeptView, longestKeepUs } from './kept-view.js'

/**
 * Returns the reader of the views of a catalog. The groups of files are merged with groups of all rows that no file
 * has, a day at a time, the newest day first. All groups of an iteration are those of a single moment.
 */
export const createReadView =
  (catalog: Catalog): ReadView =>
  (view, range, run) =>
    readGroups(catalog, view, range, run)

async function* readGroups(
  catalog: Catalog,
  { name, identity }: Parameters<ReadView>[0],
  asked: ViewRange,
  run: ViewRun,
): AsyncGenerator<readonly (readonly Scalar[])[], void> {
  const { kept, live, readers, engine, clock } = catalog
  const view = kept.get(identity)
  if (view === undefined || engine === undefined) throw noViews(`no view ${name} is kept`)
  const oldestUs = clock.nowUs() - (view.keepsUs.get(name) ?? longestKeepUs(view)) - view.unitUs
  const range = { ...asked, fromUs: Math.max(asked.fromUs, oldestUs) }
  // Everything is chosen at once, so that no row is in a file and in a part that is read.
  const leave = readers.enter()
  const rows = engine.groupable(getsAnyRows(view) ? view.sources : [])
  const states = live.of(identity)
  const isCovered = ({ stored }: Part) => stored !== undefined && live.fileOf(identity, stored.check) !== undefined
  const isRead = (part: Part) => !part.isSetAside && getsRows(view, part.stored) && !isCovered(part)
  const uncovered = rows.parts.filter(isRead)
  try {
    yield* readDays({ catalog, view, range, run, states, rows, uncovered })
  } catch (error) {
    setAsideDamaged(catalog, states, error)
    throw error
  } finally {
    rows.release()
    leave()
  }
}

async function* readDays(reading: Reading): AsyncGenerator<readonly (readonly Scalar[])[], void> {
  const { view, range, run, states, uncovered } = reading
  const heads = uncovered.filter(({ stored }) => stored === undefined)
  const sealed = uncovered.filter(({ stored }) => stored !== undefined)
  const ofHeads = await groupedByDay(reading, heads, range, run)
  const days = new Set([
    ...states.map(({ facts }) => facts.day),
    ...ofHeads.keys(),
    ...sealed.map(({ minUs }) => dayOf(minUs)),
  ])
  if (!view.isBuilt && sealed.length > 0) {
    const newest = sealed.reduce((most, { maxUs }) => Math.max(most, dayOf(maxUs)), Number.NEGATIVE_INFINITY)
    run.onNote?.({ buildingFromUs: (newest + 1) * DAY_US })
  }
  const [first, last] = [dayOf(range.fromUs), dayOf(range.throughUs)]
  const wanted = [...days].filter((one) => one >= first && one <= last).sort((a, b) => b - a)
  const reader = new DayReader(
    reading,
    wanted,
    (day) => ofHeads.has(day) || sealed.some(({ minUs }) => dayOf(minUs) === day),
  )
  try {
    for (const [place, day] of wanted.entries()) {
      const stored = reader.read(place)
      if ('rows' in stored) {
        if (stored.isPartial) run.onNote?.('partial')
        yield stored.rows
        continue
      }
      const counted = countMemory(run)
      const parts = sealed.filter(({ minUs }) => dayOf(minUs) === day)
      const ofDay = (await groupedByDay(reading, parts, range, counted.run)).get(day)
      const streams = [...stored, ofDay, ofHeads.get(day)].filter((stream) => stream !== undefined)
      yield* reader.merge(place, streams)
      counted.free()
    }
  } finally {
    await reader.end()
  }
}

/** Groups the rows of parts, of the days of a range. */
async function groupedByDay(
  { view, rows }: Reading,
  parts: readonly Part[],
  range: ViewRange,
  run: ViewRun,
): Promise<Map<number, GroupStream>> {
  if (parts.length === 0) return new Map()
  const wanted = new Set(parts)
  const { groups, aggregation } = await rows.group(planOf(view, range), (part) => wanted.has(part), {
    ...run,
    isCached: true,
  })
  return streamsByDay(groups, view.restKeys, mergingOf(aggregation, run.yieldIfDue))
}

/** The grouping of the rows of a project, or of all, of the days of a range. */
function planOf({ grouping }: KeptView, { project, fromUs, throughUs }: ViewRange): Plan {
  const days: TimeRange = { fromUs: dayOf(fromUs) * DAY_US, throughUs: (dayOf(throughUs) + 1) * DAY_US - 1 }
  const plan = withinTime(grouping, days)
  return project === undefined ? plan : ofProject(plan, project)
}

/** Counts the memory of a part of a run, so that the memory can be given back before the run ends. */
function countMemory(run: ViewRun): { run: ViewRun; free(): void } {
  let bytes = 0
  const add = (more: number) => {
    bytes += more
    run.memory.add(more)
  }
  return { run: { ...run, memory: { add } }, free: () => run.memory.add(-bytes) }
}
