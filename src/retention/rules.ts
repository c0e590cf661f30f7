import type { SourceName } from '../common/sources.js'

/** How long rows, and the groups of views, are kept, in microseconds. Absent: as the next rule says. */
export interface Times {
  rowsUs?: number
  viewsUs?: number
}

/** How long rows of a project are kept: times of its own, then those of its tier. */
export interface ProjectTimes extends Times {
  tier?: string
}

/** How long rows of a source are kept. */
export interface SourceTime {
  us: number
  /** Whether rows are kept for at least this time. If not, for at most this time. */
  isLeast: boolean
}

/** The rules of a retention file that concern many projects. */
export interface Rules {
  /** The times of projects that are not named, and of rows without a project. */
  default: Times & { rowsUs: number }
  tiers: ReadonlyMap<string, Times>
  sources: ReadonlyMap<SourceName, SourceTime>
}

/** How long the rows of each project and source are kept. */
export interface Retention {
  rules: Rules
  projects: ReadonlyMap<string, ProjectTimes>
}

/** Returns a retention that keeps all rows for the same time. */
export const sameForAll = (rowsUs: number): Retention => ({
  rules: { default: { rowsUs }, tiers: new Map(), sources: new Map() },
  projects: new Map(),
})

/** Returns how long rows of a project in a source are kept. Undefined times are those of no named project. */
export function rowsTimeUs({ default: others, tiers, sources }: Rules, times: Times | undefined, source: SourceName) {
  const ofProject = times?.rowsUs ?? tierOf(tiers, times)?.rowsUs ?? others.rowsUs
  const ofSource = sources.get(source)
  if (ofSource === undefined) return ofProject
  return ofSource.isLeast ? Math.max(ofProject, ofSource.us) : Math.min(ofProject, ofSource.us)
}

/** Returns how long groups of views of a project are kept at most. Infinity: as long as each view keeps its groups. */
export const viewsTimeUs = ({ default: others, tiers }: Rules, times: Times | undefined): number =>
  times?.viewsUs ?? tierOf(tiers, times)?.viewsUs ?? others.viewsUs ?? Number.POSITIVE_INFINITY

const tierOf = (tiers: Rules['tiers'], times: ProjectTimes | undefined): Times | undefined =>
  times?.tier === undefined ? undefined : tiers.get(times.tier)

/** Returns whether two projects have the same tier and the same times. */
export const areSameTimes = (a: ProjectTimes | undefined, b: ProjectTimes | undefined): boolean =>
  a === b || (a?.tier === b?.tier && a?.rowsUs === b?.rowsUs && a?.viewsUs === b?.viewsUs)
