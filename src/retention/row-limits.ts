import type { SourceName } from '../common/sources.js'
import type { RowLimits } from '../engine/deletion.js'
import { endsOf, formersOf, type KeptRetention } from './history.js'
import { keptOfJson } from './kept-json.js'
import { type ProjectTimes, type Rules, rowsTimeUs, viewsTimeUs } from './rules.js'

/** Tells which rows and groups are past their time. Times are in microseconds since the epoch. */
export interface RetentionLimits extends Omit<RowLimits, 'revision'> {
  /** Returns the time of the newest row of any source and project that is hidden at a time. */
  newestOfAllUs(nowUs: number): number
  /** Returns the time through which groups of views of a project are hidden at a time. -Infinity: none are. */
  viewsHiddenThroughUs(project: string | undefined, nowUs: number): number
}

/** Returns how long something is kept by rules, and by the times of a project. */
type TimeOf = (rules: Rules, times: ProjectTimes | undefined) => number

/** Returns the limits of a retention and its former times. */
export function limitsOf(kept: KeptRetention): RetentionLimits {
  const timesOf = (project: string | undefined) =>
    project === undefined ? undefined : kept.current.projects.get(project)
  const rowsOf =
    (source: SourceName): TimeOf =>
    (rules, times) =>
      rowsTimeUs(rules, times, source)

  function hiddenThroughUs(project: string | undefined, nowUs: number, timeOf: TimeOf): number {
    let hiddenUs = nowUs - timeOf(kept.current.rules, timesOf(project))
    for (const former of formersOf(kept, project)) {
      // A query at a time before the end of the former times sees the rows of that time.
      const untilUs = Math.min(former.endedAtUs, nowUs)
      hiddenUs = Math.max(hiddenUs, untilUs - timeOf(former.rules, former.times))
    }
    return hiddenUs
  }

  /** Rows may be removed if they were hidden at the settled time, by the times of then, and so ever since. */
  function removableThroughUs(source: SourceName, project: string | undefined, settledUs: number): number {
    const timeOf = rowsOf(source)
    let hiddenUs = Number.NEGATIVE_INFINITY
    for (const { endedAtUs, rules, times } of formersOf(kept, project)) {
      if (endedAtUs > settledUs) return Math.max(hiddenUs, settledUs - timeOf(rules, times))
      hiddenUs = Math.max(hiddenUs, endedAtUs - timeOf(rules, times))
    }
    return Math.max(hiddenUs, settledUs - timeOf(kept.current.rules, timesOf(project)))
  }

  const newest = createNewest(kept)
  let ends: readonly number[] | undefined
  return {
    newestHiddenUs: newest.ofSource,
    newestOfAllUs: newest.ofAll,
    hiddenThroughUs: (source, project, nowUs) => hiddenThroughUs(project, nowUs, rowsOf(source)),
    removableThroughUs,
    nextRulesUs(settledUs) {
      ends ??= endsOf(kept)
      return ends.find((endUs) => endUs > settledUs) ?? Number.POSITIVE_INFINITY
    },
    viewsHiddenThroughUs: (project, nowUs) => hiddenThroughUs(project, nowUs, viewsTimeUs),
  }
}

/** Returns functions of the newest hidden row of all projects. Projects with equal times are looked at once. */
function createNewest(kept: KeptRetention): { ofSource: RowLimits['newestHiddenUs']; ofAll(nowUs: number): number } {
  const { current, formerRules, formerProjects } = kept
  const timesInForce = [undefined, ...new Set(current.projects.values())]
  const leastOf = (rules: Rules, source: SourceName) =>
    timesInForce.reduce((least, times) => Math.min(least, rowsTimeUs(rules, times, source)), Number.POSITIVE_INFINITY)

  function newestFormerUs(source: SourceName): number {
    let newestUs = Number.NEGATIVE_INFINITY
    for (const { endedAtUs, rules } of formerRules) newestUs = Math.max(newestUs, endedAtUs - leastOf(rules, source))
    for (const project of formerProjects.keys()) {
      for (const { endedAtUs, rules, times } of formersOf(kept, project)) {
        newestUs = Math.max(newestUs, endedAtUs - rowsTimeUs(rules, times, source))
      }
    }
    return newestUs
  }

  const bySource = new Map<SourceName, { leastUs: number; formerUs: number }>()
  function boundsOf(source: SourceName) {
    const known = bySource.get(source)
    if (known !== undefined) return known
    const bounds = { leastUs: leastOf(current.rules, source), formerUs: newestFormerUs(source) }
    bySource.set(source, bounds)
    return bounds
  }

  function ofSource(source: SourceName, nowUs: number): number {
    const { leastUs, formerUs } = boundsOf(source)
    return Math.max(nowUs - leastUs, formerUs)
  }

  const rules = [current.rules, ...formerRules.map((former) => former.rules)]
  // The empty name is of all sources without a rule.
  const sources = new Set([...rules.flatMap((one) => [...one.sources.keys()]), ''])
  return { ofSource, ofAll: (nowUs) => Math.max(...[...sources].map((source) => ofSource(source, nowUs))) }
}

/** Returns the limits in memory that the main thread shares with the threads: JSON, written once for all. */
export const sharedLimits = (shared: SharedArrayBuffer): RetentionLimits =>
  limitsOf(keptOfJson(Buffer.from(shared).toString()))
