import { dayOf } from '../../base/time/moment.js'
import { DAY_US } from '../../base/units.js'
import { noViews, type ReadView, type ViewRange, type ViewRun } from '../../engine/engine.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import type { Scalar } from '../../plan/values/values.js'
import { type Catalog, setAsideDamaged } from './catalog.js'
import { DayReader, type Reading, type StaleFile } from './day-reader.js'
import { groupBuckets, groupByDay } from './group-rows.js'
import { getsAnyRows, getsRows, longestKeepUs } from './kept-view.js'
import type { LiveState } from './live-states.js'
import { createExpired } from './project-limits.js'
import { staleBuckets } from './touched-buckets.js'

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
  const { kept, live, readers, engine, clock, rowLimits } = catalog
  const view = kept.get(identity)
  if (view === undefined || engine === undefined) throw noViews(`no view ${name} is kept`)
  const nowUs = clock.nowUs()
  const oldestUs = nowUs - (view.keepsUs.get(name) ?? longestKeepUs(view)) - view.unitUs
  const hiddenUs = asked.project === undefined ? NEVER_US : rowLimits.viewsHiddenThroughUs(asked.project, nowUs)
  const range = { ...asked, fromUs: Math.max(asked.fromUs, oldestUs, hiddenUs - view.unitUs + 1) }
  const isExpired = createExpired(catalog, view.unitUs, nowUs)
  // Everything is chosen at once, so that no row is in a file and in a part that is read.
  const leave = readers.enter()
  const states = live.of(identity)
  const stale = findStale(catalog, states, asked.project)
  const rows = engine.groupable(getsAnyRows(view) || stale.size > 0 ? view.sources : [])
  const fileOf = ({ stored }: Part) => stored && live.fileOf(identity, stored.check)
  const isCovered = (part: Part) => fileOf(part) !== undefined
  if (stale.size > 0) for (const part of rows.parts) stale.get(fileOf(part)!)?.parts.push(part)
  const isRead = (part: Part) => !part.isSetAside && getsRows(view, part.stored) && !isCovered(part)
  const uncovered = rows.parts.filter(isRead)
  try {
    yield* readDays({ catalog, view, range, run, isExpired, states, stale, rows, uncovered })
  } catch (error) {
    setAsideDamaged(catalog, states, error)
    throw error
  } finally {
    rows.release()
    leave()
  }
}

const NEVER_US = Number.NEGATIVE_INFINITY

/** Finds the files with groups of deleted rows. `project` is the only project that is read, if given. */
function findStale(catalog: Catalog, states: readonly LiveState[], project: string | undefined) {
  const stale = new Map<LiveState, StaleFile>()
  for (const state of states) {
    const buckets = staleBuckets(catalog, state, project)
    if (buckets.length > 0) stale.set(state, { buckets, parts: [] })
  }
  return stale
}

async function* readDays(reading: Reading): AsyncGenerator<readonly (readonly Scalar[])[], void> {
  const { view, range, run, states, uncovered } = reading
  const heads = uncovered.filter(({ stored }) => stored === undefined)
  const sealed = uncovered.filter(({ stored }) => stored !== undefined)
  const ofHeads = await groupByDay(reading, heads, wholeDays(range), run)
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
    (day) => ofHeads.has(day) || sealed.some(({ minUs }) => dayOf(minUs) === day) || isStale(reading, day),
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
      const ofDay = (await groupByDay(reading, parts, wholeDays(range), counted.run)).get(day)
      const left = await groupStale(reading, day, counted.run)
      const streams = [...stored, ...left, ofDay, ofHeads.get(day)].filter((stream) => stream !== undefined)
      yield* reader.merge(place, streams)
      counted.free()
    }
  } finally {
    await reader.end()
  }
}

const staleOf = ({ stale }: Reading, day: number) => [...stale].filter(([{ facts }]) => facts.day === day)
const isStale = (reading: Reading, day: number) => staleOf(reading, day).length > 0

/** Groups the rows that deletions have left in the buckets of a day that no file tells. */
async function groupStale(reading: Reading, day: number, run: ViewRun) {
  const streams = []
  for (const [, { buckets, parts }] of staleOf(reading, day))
    streams.push(...(await groupBuckets(reading, parts, { day, buckets }, run)))
  return streams
}

/** The days of a range, whole, so that the groups of parts serve later reads. */
const wholeDays = (range: ViewRange): ViewRange => ({
  ...range,
  fromUs: dayOf(range.fromUs) * DAY_US,
  throughUs: (dayOf(range.throughUs) + 1) * DAY_US - 1,
})

/** Counts the memory of a part of a run, so that the memory can be given back before the run ends. */
function countMemory(run: ViewRun): { run: ViewRun; free(): void } {
  let bytes = 0
  const add = (more: number) => {
    bytes += more
    run.memory.add(more)
  }
  return { run: { ...run, memory: { add } }, free: () => run.memory.add(-bytes) }
}
