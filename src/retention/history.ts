/**
 * Former times. A longer time applies only to rows that were not hidden when it was loaded, so former times are kept,
 * as differences: of the rules, and of single projects.
 */

import { isDeepStrictEqual } from 'node:util'
import { areSameTimes, type ProjectTimes, type Retention, type Rules } from './rules.js'

/** Until when something held: through this load of the file, and the time in microseconds when the load ended. */
interface End {
  load: number
  endedAtUs: number
}

/** Rules that held before. */
interface FormerRules extends End {
  rules: Rules
}

/** Times of a project that held before. Undefined times are those of no named project. */
export interface FormerTimes extends End {
  times: ProjectTimes | undefined
}

/** The times that hold, and those that held before, each list with the oldest first. */
export interface KeptRetention {
  current: Retention
  /** The number of the load that holds. */
  load: number
  formerRules: readonly FormerRules[]
  formerProjects: ReadonlyMap<string, readonly FormerTimes[]>
}

/** The most former rules that are kept. */
export const MAX_FORMER_RULES = 100
/** The most former times of projects that are kept. */
export const MAX_FORMER_TIMES = 200_000

/** Returns a retention that nothing preceded. */
export const withoutHistory = (current: Retention): KeptRetention => ({
  current,
  load: 0,
  formerRules: [],
  formerProjects: new Map(),
})

/** Returns the state after a load of `next`: the times before are former ones. The same state if all are equal. */
export function replaceCurrent(kept: KeptRetention, next: Retention, nowUs: number): KeptRetention {
  const { current, load } = kept
  const end: End = { load, endedAtUs: nowUs }
  const changed = changedProjects(current, next)
  const isSameRules = isDeepStrictEqual(current.rules, next.rules)
  if (isSameRules && changed.length === 0) return kept
  const formerRules = isSameRules ? kept.formerRules : [...kept.formerRules, { ...end, rules: current.rules }]
  const formerProjects = new Map(kept.formerProjects)
  for (const name of changed) {
    const former = { ...end, times: current.projects.get(name) }
    formerProjects.set(name, [...(formerProjects.get(name) ?? []), former])
  }
  return bounded({ current: next, load: load + 1, formerRules, formerProjects })
}

function changedProjects({ projects: before }: Retention, { projects: after }: Retention): string[] {
  const changed: string[] = []
  for (const [name, times] of after) if (!areSameTimes(before.get(name), times)) changed.push(name)
  for (const name of before.keys()) if (!after.has(name)) changed.push(name)
  return changed
}

/** Forgets the oldest former times beyond the limits. */
function bounded(kept: KeptRetention): KeptRetention {
  const formerRules = kept.formerRules.slice(-MAX_FORMER_RULES)
  let beyond = -MAX_FORMER_TIMES
  for (const list of kept.formerProjects.values()) beyond += list.length
  if (beyond <= 0) return { ...kept, formerRules }
  const loads = [...kept.formerProjects.values()].flatMap((list) => list.map(({ load }) => load)).sort((a, b) => a - b)
  return {
    ...kept,
    formerRules,
    formerProjects: filterTimes(kept.formerProjects, ({ load }) => load > loads[beyond - 1]!),
  }
}

/** Forgets former times that ended at a time or earlier. The same state if there are none. */
export function forgetThrough(kept: KeptRetention, throughUs: number): KeptRetention {
  const isKept = ({ endedAtUs }: End) => endedAtUs > throughUs
  if (allEnds(kept).every(isKept)) return kept
  return {
    ...kept,
    formerRules: kept.formerRules.filter(isKept),
    formerProjects: filterTimes(kept.formerProjects, isKept),
  }
}

function filterTimes(former: KeptRetention['formerProjects'], isKept: (end: End) => boolean) {
  const filtered = [...former].map(([name, list]) => [name, list.filter(isKept)] as const)
  return new Map(filtered.filter(([, list]) => list.length > 0))
}

/** Returns the time of the newest end. -Infinity if there is none. */
export const newestEndUs = (kept: KeptRetention): number =>
  allEnds(kept).reduce((newest, { endedAtUs }) => Math.max(newest, endedAtUs), Number.NEGATIVE_INFINITY)

/** Returns the times at which former times ended, ascending. */
export const endsOf = (kept: KeptRetention): readonly number[] =>
  [...new Set(allEnds(kept).map(({ endedAtUs }) => endedAtUs))].sort((a, b) => a - b)

/** Moves ends after a time to this time: a clock that was ahead has given them. */
export function moveEndsTo(kept: KeptRetention, untilUs: number): KeptRetention {
  const moved = <One extends End>(one: One) => ({ ...one, endedAtUs: Math.min(one.endedAtUs, untilUs) })
  return {
    ...kept,
    formerRules: kept.formerRules.map(moved),
    formerProjects: new Map([...kept.formerProjects].map(([name, list]) => [name, list.map(moved)])),
  }
}

const allEnds = ({ formerRules, formerProjects }: KeptRetention): readonly End[] => [
  ...formerRules,
  ...[...formerProjects.values()].flat(),
]

/** Rules and times of a project that held together, until an end. */
export interface Former extends FormerRules, FormerTimes {}

const NOTHING: readonly never[] = []

/**
 * Returns the rules and times that held for a project before, oldest first: an entry for each change of the rules or of
 * the project.
 */
export function formersOf(kept: KeptRetention, project: string | undefined): readonly Former[] {
  const { formerRules, formerProjects, current } = kept
  const ofProject: readonly FormerTimes[] = (project === undefined ? undefined : formerProjects.get(project)) ?? NOTHING
  if (formerRules.length === 0 && ofProject.length === 0) return NOTHING
  const currentTimes = project === undefined ? undefined : current.projects.get(project)
  const formers: Former[] = []
  for (let i = 0, j = 0; i < formerRules.length || j < ofProject.length; ) {
    const rules = formerRules[i]
    const times = ofProject[j]
    const end = times === undefined || (rules !== undefined && rules.load <= times.load) ? rules! : times
    formers.push({
      load: end.load,
      endedAtUs: end.endedAtUs,
      rules: rules === undefined ? current.rules : rules.rules,
      times: times === undefined ? currentTimes : times.times,
    })
    if (rules?.load === end.load) i++
    if (times?.load === end.load) j++
  }
  return formers
}
