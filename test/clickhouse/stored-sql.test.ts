import { expect, it } from 'vitest'
import { readSql } from '../../src/sql/read-sql.js'
import { CALLS, NOW_US, randomParameters, randomRecord } from '../endpoints/stored-calls.js'
import { expectRows } from '../oracle/compare.js'
import { oracle } from '../oracle/oracle.js'
import { readAll, SUPABASE_ENDPOINTS } from '../support/engine.js'
import { mulberry32 } from '../support/random.js'
import { testSeed } from '../support/seed.js'
import { onEachTarget, withRecords } from './on-targets.js'
import type { Target } from './targets.js'

/** Whether the server reads no JSON paths, which unnest needs. */
const isOld = ({ location }: Target) => location.cluster !== undefined

/** Calls of each query, over 150 records. */
const CALLED = 16

onEachTarget('the stored SQL of a self-hosted Supabase on %s', (target) => {
  it.each(SUPABASE_ENDPOINTS)('has the rows of $name', async ({ name, query }) => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const params = CALLS.find(([called]) => called === name)![1]
    const records = Array.from({ length: 150 }, (_, i) => randomRecord(random, i))
    let compared = 0
    await withRecords(target(), records, 40, async (engine) => {
      for (let i = 0; i < CALLED; i++) {
        const { values, search } = randomParameters(random, params)
        const expected = oracle(name, records, Object.fromEntries(search), NOW_US)
        const run = () => engine.run(readSql(query).plan(values, NOW_US))
        if (isOld(target())) await expect(run()).rejects.toMatchObject({ code: 'unsupported_by_engine' })
        else expectRows(await readAll(await run()), expected)
        compared += expected.length
      }
    })
    expect(compared, `seed ${seed}`).toBeGreaterThan(5)
  })
})
