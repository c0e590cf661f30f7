import { API_COUNTS_CASES } from './api-counts.js'
import { GROUP_CASES } from './groups.js'
import { INVOCATION_STATS_CASES } from './invocation-stats.js'
import { LOGS_ALL_CASES } from './logs-all.js'
import { LOGS_EXPLORE_CASES } from './logs-explore.js'
import { LOGS_FIELDS_CASES } from './logs-fields.js'
import { LOGS_HISTOGRAM_CASES } from './logs-histogram.js'
import { LOGS_MEASURE_CASES } from './logs-measure.js'
import { SUPABASE_CASES } from './supabase.js'

/** The cases of all endpoints, which every engine and the oracle must pass. */
export const CASES = [
  ...LOGS_ALL_CASES,
  ...INVOCATION_STATS_CASES,
  ...API_COUNTS_CASES,
  ...SUPABASE_CASES,
  ...GROUP_CASES,
  ...LOGS_EXPLORE_CASES,
  ...LOGS_HISTOGRAM_CASES,
  ...LOGS_MEASURE_CASES,
  ...LOGS_FIELDS_CASES,
]
