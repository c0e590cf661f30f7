import { apiCounts } from './api-counts.js'
import type { Endpoint } from './endpoint.js'
import { invocationStats } from './invocation-stats.js'
import { logsAll } from './logs-all.js'

/** Every stored query. A new one is one file and one line here. */
export const ENDPOINTS: readonly Endpoint[] = [logsAll, invocationStats, apiCounts]
