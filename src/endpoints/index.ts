import { apiCounts } from './api-counts.js'
import type { Endpoint } from './endpoint.js'
import { invocationStats } from './invocation-stats.js'
import { logsAll } from './logs-all.js'
import { logsAllWithSql, type SqlCompiler } from './logs-all-sql.js'

/** Every stored query. A new one is one file and one line here. */
export const ENDPOINTS: readonly Endpoint[] = [logsAll, invocationStats, apiCounts]

/** Returns the stored queries with the logs.all that also answers SQL of clients. */
export const endpointsWithSql = (loadCompiler: () => Promise<SqlCompiler>): readonly Endpoint[] =>
  ENDPOINTS.map((one) => (one === logsAll ? logsAllWithSql(loadCompiler) : one))
