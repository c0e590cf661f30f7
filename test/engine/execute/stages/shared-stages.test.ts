import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScanStats } from '../../../../src/engine/engine.js'
import type { ArrowEngine } from '../../../../src/engine/store/engine.js'
import { atLeast, count, max, scan, union } from '../../../../src/plan/builder.js'
import { fn } from '../../../../src/plan/calls.js'
import type { Plan } from '../../../../src/plan/plan.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { edge } from '../../../support/records.js'

const ALWAYS = { fromUs: 0, throughUs: Number.POSITIVE_INFINITY }
const ROWS = 30_000
const FAILED = 3

let engine: ArrowEngine

beforeEach(async () => {
  // Each pass reads all rows.
  engine = openEngine({ sliceRows: Number.POSITIVE_INFINITY })
  await appendAll(
    engine,
    Array.from({ length: ROWS }, (_, i) => edge({ id: `${i}`, timestampUs: i, metadata: { n: i } })),
  )
})
afterEach(() => engine.close())

/** Runs a plan. Returns the rows, and how often the plan has read all records. */
async function run(plan: Plan) {
  let scanned: ScanStats | undefined
  const rows = await readAll(
    await engine.run(plan, {
      onScanStats: (stats) => {
        scanned = stats
      },
    }),
  )
  return { rows, passes: scanned!.rows / ROWS }
}

/** The numbers of records by the last digit of `n`. A function, so that plans have no operator in common. */
const digits = (from = 0) =>
  scan('edge_logs', ALWAYS)
    .filter(atLeast('metadata.n', from))
    .group({ digit: fn.mod('metadata.n', 10) })
    .aggregate({ n: count(), last: max('metadata.n') })

const first = (direction: 'asc' | 'desc', from?: number) => digits(from).orderBy('digit', direction).limit(1)

/** How many of the newest records there are, of which at most `rows` count. */
const newest = (rows: number) =>
  union(scan('edge_logs', ALWAYS).select('timestamp').orderBy('timestamp', 'desc').limit(rows))
    .group()
    .aggregate({ n: count() })
    .limit(1)

describe('stages that a plan has in several places', () => {
  it('are run once, whatever is done with their rows', async () => {
    const { rows, passes } = await run(
      union(first('asc'), first('desc'), digits().filter(fn.eq('digit', FAILED)).select('digit', 'n', 'last')).limit(9),
    )
    expect(rows).toEqual([
      { digit: 0, n: 3000, last: 29_990 },
      { digit: 9, n: 3000, last: 29_999 },
      { digit: 3, n: 3000, last: 29_993 },
    ])
    expect(passes).toBe(1)
  })

  it('are run apart if they differ in a condition, a limit or an aggregate', async () => {
    const conditions = await run(union(first('asc'), first('asc', 10)).limit(9))
    expect(conditions.rows.map(({ n }) => n)).toEqual([3000, 2999])
    expect(conditions.passes).toBeGreaterThan(1)
    const limits = await run(union(newest(1), newest(2)).limit(9))
    expect(limits.rows).toEqual([{ n: 1 }, { n: 2 }])
  })

  it('are run each time if their rows are many', async () => {
    const ids = () => scan('edge_logs', ALWAYS).group('id').aggregate({ n: count() })
    const total = () => ids().group().aggregate({ n: count() })
    const { rows, passes } = await run(union(total(), total().select({ n: 'n' })).limit(9))
    expect(rows).toEqual([{ n: ROWS }, { n: ROWS }])
    expect(passes).toBe(1)
    const both = await run(union(ids().filter(fn.eq('id', '1')), ids().filter(fn.eq('id', '2'))).limit(9))
    expect(both.rows).toEqual([
      { id: '1', n: 1 },
      { id: '2', n: 1 },
    ])
    expect(both.passes).toBe(2)
  })
})
