import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { randomRecords } from '../../support/random-plans.js'
import { randomSql } from '../../support/random-sql.js'
import { testSeed } from '../../support/seed.js'
import { NOW_US } from './answers.js'
import { FUNCTIONS } from './functions.js'
import { runSql } from './run.js'

const QUERIES = 150
/** The most queries that may raise an error of a row, or need what is not covered. */
const MOST_FAILURES = 0.08

describe('random queries', () => {
  it('are right, and most of them run', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    const records = randomRecords(random, 20)
    const failures = Array.from({ length: QUERIES }, () => randomSql(random)).filter((text) => {
      try {
        return runSql(text, records, { nowUs: NOW_US, maxRows: 1000 }).outcome.must.size > 0
      } catch (error) {
        // An alias of the query around a subquery may hide a field of the subquery.
        if ((error as { code?: unknown }).code === 'unsupported_sql') return true
        throw new Error(`seed ${seed}: ${text}`, { cause: error })
      }
    })
    expect(failures.length, `seed ${seed}`).toBeLessThan(QUERIES * MOST_FAILURES)
  })

  it('are the same for the same seed, and call every function', () => {
    const texts = (seed: number) => {
      const random = mulberry32(seed)
      return Array.from({ length: 2_000 }, () => randomSql(random)).join('\n')
    }
    const all = texts(1)
    expect(texts(1)).toBe(all)
    const called = new Set([...all.matchAll(/(\w+)\(/g)].map(([, name]) => name!.toLowerCase()))
    const others = ['cast', 'safe_cast', 'extract', 'count', 'approx_quantiles', 'array_agg', 'string_agg', 'any_value']
    expect([...Object.keys(FUNCTIONS), ...others].filter((name) => !called.has(name))).toEqual([])
    const parts = ['with ', ' union all ', 'select distinct ', 'having ', ' nulls first', ' offset ', ' ilike ', '::']
    expect(parts.filter((part) => !all.includes(part))).toEqual([])
  })
})
