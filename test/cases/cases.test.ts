import { describe, expect, it } from 'vitest'
import { expectRows } from '../oracle/compare.js'
import { executionTimes } from '../oracle/invocation-stats.js'
import { API_COUNTS_CASES } from './api-counts.js'
import { GROUP_CASES } from './groups.js'
import { IMPLEMENTATIONS } from './implementations.js'
import { INVOCATION_STATS_CASES } from './invocation-stats.js'
import { LOGS_ALL_CASES } from './logs-all.js'
import { LOGS_EXPLORE_CASES } from './logs-explore.js'
import { LOGS_FIELDS_CASES } from './logs-fields.js'
import { LOGS_HISTOGRAM_CASES } from './logs-histogram.js'
import { SUPABASE_CASES } from './supabase.js'

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

for (const { name, answer } of IMPLEMENTATIONS) {
  describe(name, () => {
    for (const { name, endpoint, records, params, nowUs, rows } of CASES) {
      it(name, async () => {
        expectRows(await answer(endpoint, records, params, nowUs), rows, executionTimes(records, params, nowUs))
      })
    }

    it('leaves the prototype of all objects alone', () => {
      const inherited: string[] = []
      for (const key in {}) inherited.push(key)
      expect(inherited).toEqual([])
    })
  })
}
