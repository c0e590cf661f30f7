import type { SourceName } from '../../../common/sources.js'
import { type Plan, scansOf, type TimeRange } from '../../../plan/plan.js'
import type { Store } from './store.js'
import type { View } from './view.js'

/** The rows of all scans of a plan at a single moment. */
export interface PlanViews {
  /** Returns the view of a source in a scan of the plan. Scans are found by identity. */
  viewOf(source: SourceName, scan: TimeRange): View
  /** Releases all views. */
  release(): void
}

/** Takes the views of all scans of a plan, including its inner plans, so that all scans see the same rows. */
export function takePlanViews(store: Pick<Store, 'view'>, plan: Plan): PlanViews {
  const byScan = new Map<TimeRange, ReadonlyMap<SourceName, View>>()
  for (const scan of new Set(scansOf(plan))) {
    byScan.set(scan, new Map([...new Set(scan.sources)].map((source) => [source, store.view(source, scan)])))
  }
  return {
    viewOf: (source, scan) => byScan.get(scan)!.get(source)!,
    release() {
      for (const views of byScan.values()) for (const view of views.values()) view.release()
      byScan.clear()
    },
  }
}
