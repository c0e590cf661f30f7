import { fn } from '../plan/calls.js'
import { endpoint, sql } from './endpoint.js'
import { BUCKETS_SQL, INVOCATION_PARAMS, invocationStats, STATS_SQL, statsPlan } from './invocation-stats.js'

const isPresent = (name: string) => fn.not(fn.is_null(name))

/**
 * functions.invocation-stats for a self-hosted Supabase, where the function relay sends only the output of functions.
 *
 * Gives   the rows of functions.invocation-stats, computed without records that have neither function id, execution
 *         time nor status: lines of a console, not invocations
 * Window  the window of functions.invocation-stats
 * Empty   no invocation: no row, never a zero row
 * Cost    the cost of functions.invocation-stats, and a look at the three fields in each row of the project
 */
export const invocationStatsOfSupabase = endpoint({
  ...invocationStats,
  params: INVOCATION_PARAMS,
  query: sql`
    with invocations as (
      ${BUCKETS_SQL}
      where t.project = @project
        and (@function_id is null or m.function_id = @function_id)
        and (nullif(m.function_id, '') is not null or m.execution_time_ms is not null or r.status_code is not null)
    )
    ${STATS_SQL}
  `,
  plan: (args, nowUs) =>
    statsPlan(args, nowUs, fn.or(isPresent('function_id'), isPresent('execution_time_ms'), isPresent('status_code'))),
})
