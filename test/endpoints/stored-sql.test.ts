import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import { readSql } from '../../src/sql/read-sql.js'
import { appendAll, openEngine, readAll, SUPABASE_ENDPOINTS } from '../support/engine.js'
import { mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'
import { asAnswered, CALLS, NOW_US, randomParameters, randomRecord } from './stored-calls.js'

/** The SQL that the listing shows for the built-in endpoints has the rows of their plans. */

describe('the stored SQL of the built-in endpoints', () => {
  for (const [name, params] of CALLS) {
    const all = [...ENDPOINTS, ...SUPABASE_ENDPOINTS]
    const { query, call, params: declared } = all.find((endpoint) => endpoint.name === name)!

    it(`names the parameters of ${name}`, () => {
      expect([...readSql(query).parameters].sort()).toEqual(Object.keys(declared).sort())
    })

    it(`returns the rows of ${name}`, async () => {
      const seed = testSeed()
      let compared = 0
      for (let run = 0; run < 4; run++) {
        const random = mulberry32(seed + run)
        const engine = openEngine({ sealRows: 40 })
        await appendAll(
          engine,
          Array.from({ length: 150 }, (_, i) => randomRecord(random, i)),
          30,
        )
        for (let i = 0; i < 12; i++) {
          const { values, search } = randomParameters(random, params)
          const plan = readSql(query).plan(values, NOW_US)
          const expected = await readAll(await engine.run(call(search).plan(NOW_US)))
          const shown = `seed ${seed + run}, ${search}`
          expect(await readAll(await engine.run(plan)), shown).toEqual(expected.map(asAnswered))
          compared += expected.length
        }
        await engine.close()
      }
      expect(compared).toBeGreaterThan(10)
    })
  }
})
