import { it } from 'vitest'
import { CASES } from '../cases/all.js'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind } from '../oracle/oracle.js'
import { ask } from '../support/engine.js'
import { onEachTarget, withRecords } from './on-targets.js'

onEachTarget('the case suite on %s', (target) => {
  for (const { name, endpoint, records, params, nowUs, rows } of CASES) {
    it(name, async () => {
      await withRecords(target(), records, Math.ceil(records.length / 3), async (engine) => {
        expectRows(await ask(engine, endpoint, params, nowUs), rows, numbersBehind(endpoint, records, params, nowUs))
      })
    })
  }
})
