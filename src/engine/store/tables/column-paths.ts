import { type Plan, scansOf } from '../../../plan/plan.js'
import type { PathSet } from '../../execute/columns/field-path.js'
import { takePlanViews } from './plan-views.js'
import type { Store } from './store.js'

/** Over more sealed rows an aggregate of all paths takes long: 30 paths of 1,000,000 rows take 0.3 s the first time. */
export const MAX_COUNTED_ROWS = 2_000_000

/** Returns the columns' paths, see {@link Engine.columnPaths}. */
export async function columnPaths(store: Pick<Store, 'view'>, plan: Plan): Promise<readonly (readonly string[])[]> {
  const views = takePlanViews(store, plan)
  try {
    const sealed = scansOf(plan).flatMap((scan) => {
      const parts = scan.sources.flatMap((source) => views.viewOf(source, scan).parts)
      return parts.filter((part) => part.columnPaths !== undefined && !part.isSetAside)
    })
    if (sealed.reduce((sum, { rows }) => sum + rows, 0) > MAX_COUNTED_ROWS) return []
    let common: PathSet | undefined
    for (const part of sealed) {
      const paths = await part.columnPaths!()
      common = common === undefined ? paths : new Set([...common].filter((path) => paths.has(path)))
    }
    return [...(common ?? [])].map((path) => JSON.parse(path))
  } finally {
    views.release()
  }
}
