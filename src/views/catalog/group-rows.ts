import type { ViewRange, ViewRun } from '../../engine/engine.js'
import type { Part } from '../../engine/execute/columns/batch.js'
import { ofProject } from '../../plan/of-project.js'
import type { Plan } from '../../plan/plan.js'
import { withinTime } from '../../plan/within-time.js'
import { filterGroups, type GroupStream } from '../state/group.js'
import { streamsByDay } from '../state/memory-groups.js'
import { mergingOf } from '../state/merged-states.js'
import type { GroupableEngine } from './catalog.js'
import type { KeptView } from './kept-view.js'
import { isInSome, type TouchedBuckets } from './touched-buckets.js'

/** A view, and the rows of its sources at a single moment. */
interface ViewRows {
  view: KeptView
  rows: ReturnType<GroupableEngine['groupable']>
}

/** Groups the rows of parts, of a range. Returns the groups by day. */
export async function groupByDay(
  { view, rows }: ViewRows,
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

/** Groups the rows of parts in some buckets of a day. Returns streams of the projects that have groups. */
export async function groupBuckets(
  of: ViewRows,
  parts: readonly Part[],
  { day, buckets }: { day: number; buckets: readonly TouchedBuckets[] },
  run: ViewRun,
): Promise<GroupStream[]> {
  const streams: GroupStream[] = []
  for (const project of new Set(buckets.map(({ projectName }) => projectName))) {
    const ofProject = buckets.filter(({ projectName }) => projectName === project)
    const range = {
      project,
      fromUs: Math.min(...ofProject.map(({ fromUs }) => fromUs)),
      throughUs: Math.max(...ofProject.map(({ toUs }) => toUs)) - 1,
    }
    const stream = (await groupByDay(of, parts, range, run)).get(day)
    if (stream !== undefined) streams.push(filterGroups(stream, isInSome(ofProject)))
  }
  return streams
}

/** The grouping of the rows of a project, or of all, in a range of time. */
function planOf({ grouping }: KeptView, { project, fromUs, throughUs }: ViewRange): Plan {
  const plan = withinTime(grouping, { fromUs, throughUs })
  return project === undefined ? plan : ofProject(plan, project)
}
