import { LogweirError } from '../base/errors.js'
import { usageError } from '../base/failures.js'
import { excerptOf } from '../client/caret.js'
import type { SourceName } from '../common/sources.js'
import { limited } from '../plan/limited.js'
import { ofProject } from '../plan/of-project.js'
import { type Plan, readsOf, type TimeRange } from '../plan/plan.js'
import { readSql } from '../sql/read-sql.js'

/** The views that SQL may read. */
type ReadableViews = Parameters<typeof readSql>[2]

/** The most rows of an answer, as for `sql=` of `logs.all`. */
const MAX_ROWS = 1000

/**
 * Compiles SQL, which may read `views`, to a plan of at most {@link MAX_ROWS} rows, over a project or all projects.
 * Throws `usage` if the SQL is wrong, with the line and a caret under the place, cut to `columns`.
 */
export function compileSql(
  { sql, project }: { sql: string; project: string | undefined },
  nowUs: number,
  columns: number | undefined,
  views?: ReadableViews,
): Plan {
  try {
    const query = readSql(sql, undefined, views)
    query.refuseParameters()
    const plan = limited(query.plan({}, nowUs), MAX_ROWS)
    return project === undefined ? plan : ofProject(plan, project)
  } catch (error) {
    if (!(error instanceof LogweirError)) throw error
    throw usageError(error.message + excerptOf(error.message, sql, columns))
  }
}

const ALL_TIME: TimeRange = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

/**
 * Returns the sources that a plan reads, also by way of views, each with the range of time that covers all scans of the
 * source.
 */
export function rangesOf(plan: Plan): Map<SourceName, TimeRange> {
  const ranges = new Map<SourceName, TimeRange>()
  for (const read of readsOf(plan)) {
    if (read.fromUs > read.throughUs) continue
    const { sources, fromUs, throughUs } = read.op === 'scan' ? read : { sources: read.view.sources, ...ALL_TIME }
    for (const source of sources) {
      const range = ranges.get(source) ?? { fromUs, throughUs }
      ranges.set(source, {
        fromUs: Math.min(range.fromUs, fromUs),
        throughUs: Math.max(range.throughUs, throughUs),
      })
    }
  }
  return ranges
}
