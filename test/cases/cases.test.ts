import { describe, expect, it } from 'vitest'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind } from '../oracle/oracle.js'
import { CASES } from './all.js'
import { IMPLEMENTATIONS } from './implementations.js'

for (const { name, answer } of IMPLEMENTATIONS) {
  describe(name, () => {
    for (const { name, endpoint, records, params, nowUs, rows } of CASES) {
      it(name, async () => {
        expectRows(
          await answer(endpoint, records, params, nowUs),
          rows,
          numbersBehind(endpoint, records, params, nowUs),
        )
      })
    }

    it('leaves the prototype of all objects alone', () => {
      const inherited: string[] = []
      for (const key in {}) inherited.push(key)
      expect(inherited).toEqual([])
    })
  })
}
