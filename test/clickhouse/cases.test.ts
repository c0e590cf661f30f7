import { it } from 'vitest'
import { CASES } from '../cases/all.js'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind } from '../oracle/oracle.js'
import { ask } from '../support/engine.js'
import { partOf } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget, withRecords } from './on-targets.js'
import { TARGETS } from './targets.js'

// Each case runs on one target.
onEachTarget('the case suite on %s', (target, i) => {
  for (const { name, endpoint, records, params, nowUs, rows } of partOf(CASES, TARGETS.length, testSeed() + i)) {
    it(name, async () => {
      await withRecords(target(), records, Math.ceil(records.length / 3), async (engine) => {
        expectRows(await ask(engine, endpoint, params, nowUs), rows, numbersBehind(endpoint, records, params, nowUs))
      })
    })
  }
})
