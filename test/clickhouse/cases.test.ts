import { afterAll, beforeAll, it } from 'vitest'
import { API_COUNTS_CASES } from '../cases/api-counts.js'
import { INVOCATION_STATS_CASES } from '../cases/invocation-stats.js'
import { LOGS_ALL_CASES } from '../cases/logs-all.js'
import { expectRows } from '../oracle/compare.js'
import { executionTimes } from '../oracle/invocation-stats.js'
import { appendAll, ask } from '../support/engine.js'
import { describeWhere } from './needs.js'
import { TARGETS, type Target } from './targets.js'

const CASES = [...LOGS_ALL_CASES, ...INVOCATION_STATS_CASES, ...API_COUNTS_CASES]

for (const { name, found, needed, why, start } of TARGETS) {
  describeWhere(found, needed, why, `the case suite on ${name}`, () => {
    let target: Target
    beforeAll(async () => {
      target = await start()
    })
    afterAll(() => target?.stop())

    for (const { name, endpoint, records, params, nowUs, rows } of CASES) {
      it(name, async () => {
        const engine = await target.open()
        try {
          await appendAll(engine, records, Math.ceil(records.length / 3))
          await engine.settled()
          expectRows(await ask(engine, endpoint, params, nowUs), rows, executionTimes(records, params, nowUs))
        } finally {
          await engine.close()
          await target.clear(new Set(records.map(({ source }) => source)))
        }
      })
    }
  })
}
