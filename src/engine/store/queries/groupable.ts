import type { SourceName } from '../../../common/sources.js'
import type { Plan } from '../../../plan/plan.js'
import type { ViewRun } from '../../engine.js'
import { NO_PARTIAL_CACHE } from '../../execute/caches/partial-cache.js'
import { overlaps, type Part } from '../../execute/columns/batch.js'
import type { Aggregation } from '../../execute/grouping/aggregate.js'
import type { Groups } from '../../execute/grouping/groups.js'
import { groupsOf } from '../../execute/operators/group.js'
import { cutPlan } from '../../execute/run/cut-plan.js'
import { batchesOf } from '../../execute/run/run-stage.js'
import { isStoredNumber } from '../../execute/stages/source-kinds.js'
import type { PlanViews } from '../tables/plan-views.js'
import type { View } from '../tables/view.js'
import { prepareRun, type QueryContext } from './run.js'

/** How parts are grouped. */
interface GroupingRun extends ViewRun {
  /** Whether the groups of each part are kept in memory for later runs. */
  isCached: boolean
}

/** The groups of a plan, with states that merge with those of other parts. */
interface GroupedParts {
  groups: Groups
  aggregation: Aggregation
}

/** All rows of some sources at a single moment. Later appends, sealing and dropping change nothing. */
export interface GroupableRows {
  parts: readonly Part[]
  /**
   * Groups the rows of some of the parts. The plan ends with a grouping. Rejects with `too_much_memory`, and with
   * `damaged_segment` if a part is damaged.
   */
  group(plan: Plan, isRead: (part: Part) => boolean, run: GroupingRun): Promise<GroupedParts>
  /** Ends the snapshot: nothing must be read any more. */
  release(): void
}

/**
 * Returns the function that takes snapshots of a store. Deleted rows are hidden. Rows past their limit are not: views
 * keep their groups for longer.
 */
export function createGroupable(queries: QueryContext): (sources: readonly SourceName[]) => GroupableRows {
  return (sources) => {
    const views = new Map<SourceName, View>(
      sources.map((source) => [source, queries.store.view(source, undefined, false)]),
    )
    return {
      parts: [...views.values()].flatMap(({ parts }) => parts),
      group: (plan, isRead, run) => groupParts(viewsOf(views, isRead), plan, run, queries),
      release() {
        for (const view of views.values()) view.release()
        views.clear()
      },
    }
  }
}

const viewsOf = (views: ReadonlyMap<SourceName, View>, isRead: (part: Part) => boolean): PlanViews => ({
  viewOf(source, scan) {
    const view = views.get(source)!
    return { ...view, parts: view.parts.filter((part) => isRead(part) && overlaps(part, scan)) }
  },
  release() {},
})

async function groupParts(
  views: PlanViews,
  plan: Plan,
  run: GroupingRun,
  queries: QueryContext,
): Promise<GroupedParts> {
  const { stored, context } = prepareRun(views, plan, {}, queries)
  const { memory, yieldIfDue, limitBytes: bytes } = run
  const limits = { groups: Number.POSITIVE_INFINITY, bytes }
  const partialCache = run.isCached ? context.partialCache : NO_PARTIAL_CACHE
  const own = { ...context, partialCache, memory, yieldIfDue, limits }
  const stage = cutPlan(plan)
  if (stage?.sink.op !== 'group') throw new TypeError('The plan of groups ends with a grouping.')
  return groupsOf(batchesOf(stage, stored(true), own), stage.sink, isStoredNumber(stage.input), own)
}
