import { it } from 'vitest'
import { API_COUNTS_CASES } from '../cases/api-counts.js'
import { GROUP_CASES } from '../cases/groups.js'
import { INVOCATION_STATS_CASES } from '../cases/invocation-stats.js'
import { LOGS_ALL_CASES } from '../cases/logs-all.js'
import { LOGS_EXPLORE_CASES } from '../cases/logs-explore.js'
import { LOGS_FIELDS_CASES } from '../cases/logs-fields.js'
import { LOGS_HISTOGRAM_CASES } from '../cases/logs-histogram.js'
import { SUPABASE_CASES } from '../cases/supabase.js'
import { expectRows } from '../oracle/compare.js'
import { executionTimes } from '../oracle/invocation-stats.js'
import { ask } from '../support/engine.js'
import { onEachTarget, withRecords } from './on-targets.js'

const CASES = [
  ...LOGS_ALL_CASES,
  ...INVOCATION_STATS_CASES,
  ...API_COUNTS_CASES,
  ...SUPABASE_CASES,
  ...GROUP_CASES,
  ...LOGS_EXPLORE_CASES,
  ...LOGS_HISTOGRAM_CASES,
  ...LOGS_FIELDS_CASES,
]

onEachTarget('the case suite on %s', (target) => {
  for (const { name, endpoint, records, params, nowUs, rows } of CASES) {
    it(name, async () => {
      await withRecords(target(), records, Math.ceil(records.length / 3), async (engine) => {
        expectRows(await ask(engine, endpoint, params, nowUs), rows, executionTimes(records, params, nowUs))
      })
    })
  }
})
