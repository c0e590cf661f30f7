import { describe, expect, it } from 'vitest'
import { expectRows } from '../oracle/compare.js'
import { numbersBehind } from '../oracle/oracle.js'
import { partOf } from '../support/runs.js'
import { testSeed } from '../support/seed.js'
import { CASES } from './all.js'
import { IMPLEMENTATIONS } from './implementations.js'

/** Each case runs on the first implementation, the oracle, and on two or three of the others. */
const casesOf = (implementation: number) =>
  implementation === 0 ? CASES : partOf(CASES, 3, testSeed() + implementation)

for (const [i, { name, answer }] of IMPLEMENTATIONS.entries()) {
  describe(name, () => {
    for (const { name, endpoint, records, params, nowUs, rows } of casesOf(i)) {
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
