import { describe, expect, it } from 'vitest'
import { MAX_FIRST_ROWS, type ScanStats } from '../../../../src/engine/engine.js'
import type { ArrowEngineOptions } from '../../../../src/engine/store/engine.js'
import { count, quantile, scan } from '../../../../src/plan/builder.js'
import { column } from '../../../../src/plan/expression.js'
import type { Plan } from '../../../../src/plan/plan.js'
import { readSql } from '../../../../src/sql/read-sql.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { invocation, type TestRecord } from '../../../support/records.js'

const ALWAYS = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
const byFunction = (limit: number, offset = 0): Plan =>
  scan('function_edge_logs', ALWAYS)
    .group('function_id')
    .aggregate({ p50: quantile('execution_time_ms', 50), count: count() })
    .orderBy('function_id')
    .limit(limit, offset)

/** A plan of so many rows that the number of groups is limited. */
const MANY = byFunction(MAX_FIRST_ROWS + 1)

const call = (function_id: string | undefined, execution_time_ms: number) =>
  invocation({ metadata: { function_id, execution_time_ms } })

/** Runs a plan over records in segments of seven rows and an open head. */
async function run(plan: Plan, records: readonly TestRecord[], options: Partial<ArrowEngineOptions> = {}) {
  const engine = openEngine({ sealRows: 7, ...options })
  await appendAll(engine, records, Math.ceil(records.length / 3))
  try {
    return await readAll(await engine.run(plan))
  } finally {
    await engine.close()
  }
}

const REFUSED = {
  code: 'too_many_groups',
  message: 'The query exceeds the limit of 3 groups or 1 MiB of them. Query a shorter time, or one project.',
}

describe('groups', () => {
  const abc = ['b', 'a', 'c', 'a', 'b', 'c', 'a', 'c', 'a', 'b', 'b', 'c'].map((id, i) => call(id, i))
  const groupingLimits = { groups: 3, bytes: 2 ** 20 }

  it('may be as many as their limit, null among them, and not one more', async () => {
    expect((await run(byFunction(9), abc, { groupingLimits })).length).toBe(3)
    const withNull = [...abc.filter((_, i) => i % 3 !== 2), call(undefined, 1)]
    const ids = new Set(withNull.map(({ metadata }) => JSON.parse(metadata).function_id))
    const groups = { ...groupingLimits, groups: ids.size }
    expect((await run(MANY, withNull, { groupingLimits: groups })).length).toBe(ids.size)
    await expect(run(MANY, [...abc, call(undefined, 1)], { groupingLimits })).rejects.toMatchObject(REFUSED)
    await expect(run(MANY, [...abc, call('d', 1)], { groupingLimits })).rejects.toMatchObject(REFUSED)
  })

  it('may be as many as their memory holds where the first rows of an order are asked', async () => {
    const records = Array.from({ length: 2_000 }, (_, i) => call(`f${String(i).padStart(4, '0')}`, i))
    const rows = await run(byFunction(2), records, { sealRows: 500, groupingLimits })
    expect(rows.map(({ function_id }) => function_id)).toEqual(['f0000', 'f0001'])
    for (const offset of [0, 5]) {
      const limit = MAX_FIRST_ROWS - offset
      const first = await run(byFunction(limit, offset), records, { sealRows: 500, groupingLimits })
      expect([first.length, first[0]!.function_id]).toEqual([limit, `f000${offset}`])
    }
    const text = 'select function_id, count(*) as n from function_edge_logs group by 1 order by n, function_id limit 2'
    const inSql = await run(readSql(text).plan({}, 0), records, { sealRows: 500, groupingLimits })
    expect(inSql.map(({ function_id }) => function_id)).toEqual(['f0000', 'f0001'])
    for (const plan of [byFunction(MAX_FIRST_ROWS + 1), byFunction(MAX_FIRST_ROWS, 1), byFunction(9).slice(0, -1)]) {
      await expect(run(plan, abc.concat(call('d', 1)), { groupingLimits })).rejects.toMatchObject(REFUSED)
    }
    const little = { groupingLimits: { groups: 3, bytes: 20_000 } }
    await expect(run(byFunction(2), records, little)).rejects.toMatchObject({
      code: 'too_much_memory',
      message: expect.stringMatching(/^The query holds more than 0 MiB of rows and groups/),
    })
  })

  it('that take too much memory are shrunk, and refused where that is not enough', async () => {
    const many = Array.from({ length: 12_000 }, (_, i) => call('f', (i % 1_000) + 0.5))
    const options = { sealRows: 2_000, partialCacheBytes: 0 }
    const limited = (bytes: number) => run(MANY, many, { ...options, groupingLimits: { groups: 3, bytes } })
    const [whole] = await limited(2 ** 20)
    const [shrunk] = await limited(120_000)
    expect(whole).toMatchObject({ function_id: 'f', count: 12_000 })
    expect(shrunk).toMatchObject({ function_id: 'f', count: 12_000 })
    expect(Math.abs(Number(shrunk!.p50) - 499.5)).toBeLessThanOrEqual(5)
    await expect(limited(20_000)).rejects.toMatchObject({ code: 'too_many_groups' })
  })

  it('leave segments outside of the window closed', async () => {
    const engine = openEngine()
    await appendAll(engine, [call('a', 1)])
    await engine.seal()
    await appendAll(engine, [invocation({ timestampUs: 5_000_000, metadata: { function_id: 'b' } })])
    const works: ScanStats[] = []
    const [scanned, ...others] = byFunction(9)
    const late = [{ ...scanned!, fromUs: 1 }, ...others] as Plan
    const rows = await readAll(await engine.run(late, { onScanStats: (work) => works.push(work) }))
    expect(rows).toEqual([{ function_id: 'b', p50: null, count: 1 }])
    expect(works).toEqual([{ rows: 1, segments: { total: 2, pruned: 1 } }])
    await engine.close()
  })

  it('stop for who does not want them any more', async () => {
    const engine = openEngine()
    await appendAll(engine, abc)
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(engine.run(byFunction(9), { signal })).rejects.toThrow('gone')
    await engine.close()
  })

  it('may be of any column, and of none that there is not', async () => {
    const [scanned, , ...others] = byFunction(9)
    const by = (name: string): Plan => {
      const keys = [{ name, value: column(name) }]
      const order = [{ by: column(name), direction: 'asc', nulls: 'last' }] as const
      const aggregates = [{ name: 'n', value: count() }]
      return [scanned!, { op: 'group', keys, aggregates }, { op: 'orderBy', keys: order }, others.at(-1)!]
    }
    const calls = [...abc, invocation({ project: 'b', metadata: { response: { status_code: 500 } } })]
    expect(await run(by('project'), calls)).toEqual([
      { project: 'a', n: 12 },
      { project: 'b', n: 1 },
    ])
    expect(await run(by('status_code'), calls)).toEqual([
      { status_code: 500, n: 1 },
      { status_code: null, n: 12 },
    ])
    for (const name of ['url', '__proto__']) {
      await expect(run(by(name), abc)).rejects.toThrow(
        new TypeError(
          `There is no column ${name}, but id, timestamp, event_message, project, metadata, function_id, ` +
            `execution_time_ms, status_code. A field is written metadata.${name}.`,
        ),
      )
    }
  })
})
