import { apiCounts } from './api-counts.js'
import { apiCountsOfSupabase } from './api-counts-supabase.js'
import type { Endpoint } from './endpoint.js'
import { invocationStats } from './invocation-stats.js'
import { invocationStatsOfSupabase } from './invocation-stats-supabase.js'
import { logsAll } from './logs-all.js'
import { logsAllWithSql, type SqlCompiler } from './logs-all-sql.js'
import { logsExplore } from './logs-explore.js'
import { logsFields } from './logs-fields.js'
import { logsHistogram } from './logs-histogram.js'
import { logsMeasure } from './logs-measure.js'

/** Every stored query. A new query is a new file and a line here. */
export const ENDPOINTS: readonly Endpoint[] = [
  logsAll,
  invocationStats,
  apiCounts,
  logsExplore,
  logsHistogram,
  logsMeasure,
  logsFields,
]

/** Settings that replace stored queries by variants with the same id and name. */
export interface EndpointSettings {
  /** Loads the compiler of SQL that clients send to logs.all. Undefined if clients may not send SQL. */
  loadCompiler?: (() => Promise<SqlCompiler>) | undefined
  /** Whether the records come from a self-hosted Supabase. */
  supabase?: boolean
}

/** Returns the stored queries of a service with the given settings. */
export function endpointsOf({ loadCompiler, supabase = false }: EndpointSettings): readonly Endpoint[] {
  const variants = new Map<Endpoint, Endpoint>()
  if (loadCompiler !== undefined) variants.set(logsAll, logsAllWithSql(loadCompiler))
  if (supabase) variants.set(invocationStats, invocationStatsOfSupabase).set(apiCounts, apiCountsOfSupabase)
  return ENDPOINTS.map((one) => variants.get(one) ?? one)
}
