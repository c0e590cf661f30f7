import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { HOUR_US } from '../../src/base/units.js'
import type { ReadView, ViewRange } from '../../src/engine/engine.js'
import { column } from '../../src/plan/expression.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Operator, ViewSource } from '../../src/plan/plan.js'
import { type Scalar, Timestamp } from '../../src/plan/values/values.js'
import { withinTime } from '../../src/plan/within-time.js'
import { NO_VIEWS, type ReadableView, type ReadableViews } from '../../src/sql/compile/readable-views.js'
import { SQL_LIMITS } from '../../src/sql/parse/limits.js'
import { readSql } from '../../src/sql/read-sql.js'
import { openEngine, readAll } from '../support/engine.js'

const SOURCE: ViewSource = {
  name: 'edge.requests-by-hour',
  identity: 'a1',
  sources: ['edge_logs'],
  columns: [
    { name: 'project', type: 'text' },
    { name: 'bucket', type: 'timestamp' },
    { name: 'key 1', type: 'any' },
    { name: 'aggregate 1', type: 'count' },
  ],
  bucket: 'bucket',
}

const SELECT: Operator = {
  op: 'select',
  columns: [
    { name: 'hour', value: column('bucket') },
    { name: 'path', value: column('key 1') },
    { name: 'requests', value: column('aggregate 1') },
    { name: 'project', value: column('project') },
  ],
}

const VIEW: ReadableView = { source: SOURCE, operators: () => [SELECT] }
const OLD: ReadableView = { ...VIEW, source: { ...SOURCE, name: 'edge.requests-by-hour@2026-11-28' } }
const VIEWS: ReadableViews = {
  find: (name) => [VIEW, OLD].find(({ source }) => source.name === name.toLowerCase()),
  names: () => [VIEW, OLD].map(({ source }) => source.name),
}

const at = (hour: number) => new Timestamp(hour * HOUR_US)
const GROUPS: readonly (readonly Scalar[])[] = [
  ['a', at(1), '/x', 3],
  ['a', at(1), null, 1],
  ['a', at(2), '/x', 5],
  ['b', at(2), '/y', 7],
  [null, at(30), '/z', 1],
]

const planOf = (sql: string) => readSql(sql, SQL_LIMITS, VIEWS).plan({}, 0)

/** Runs SQL over the groups. Returns the rows, and the requests to the view. */
async function run(sql: string, { project, range }: { project?: string; range?: [number, number] } = {}) {
  const asked: [string, ViewRange][] = []
  const readView: ReadView = async function* ({ name }, range) {
    asked.push([name, range])
    for (const group of GROUPS) yield [group]
  }
  const engine = openEngine({ readView })
  const all = planOf(sql)
  const bound = project === undefined ? all : ofProject(all, project)
  const plan = range === undefined ? bound : withinTime(bound, { fromUs: range[0], throughUs: range[1] })
  try {
    return { rows: await readAll(await engine.run(plan)), asked }
  } finally {
    await engine.close()
  }
}

const ALL = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }

describe('a view in SQL', () => {
  it('is a table with its columns and the project', async () => {
    const { rows, asked } = await run('select * from view.`edge.requests-by-hour` where requests < 4 order by 3, 1, 2')
    expect(rows).toEqual([
      { hour: HOUR_US, path: null, requests: 1, project: 'a' },
      { hour: 30 * HOUR_US, path: '/z', requests: 1, project: null },
      { hour: HOUR_US, path: '/x', requests: 3, project: 'a' },
    ])
    expect(asked).toEqual([['edge.requests-by-hour', { ...ALL, project: undefined }]])
  })

  it('is named with and without backticks, in any case, and by an alias', async () => {
    for (const from of [
      'view.`edge.requests-by-hour`',
      '`view.edge.requests-by-hour`',
      'VIEW.edge.requests-by-hour',
      'view.`edge.requests-by-hour` as v',
    ])
      expect((await run(`select sum(requests) as n from ${from}`)).rows, from).toEqual([{ n: 17 }])
    const { rows, asked } = await run(
      'select v.path from view.`edge.requests-by-hour@2026-11-28` v where v.project = "b"',
    )
    expect(rows).toEqual([{ path: '/y' }])
    expect(asked[0]![0]).toBe('edge.requests-by-hour@2026-11-28')
    expect((await run('select `edge.requests-by-hour`.path from view.edge.requests-by-hour limit 1')).rows).toEqual([
      { path: '/x' },
    ])
  })

  it('is read for the range of time that conditions on the bucket give', async () => {
    const { rows, asked } = await run(
      "select path from view.`edge.requests-by-hour` where hour >= '1970-01-01T02:00Z' and hour < '1970-01-02T00:00Z'",
    )
    expect(rows).toEqual([{ path: '/x' }, { path: '/y' }])
    expect(asked[0]![1]).toEqual({ fromUs: 2 * HOUR_US, throughUs: 24 * HOUR_US - 1, project: undefined })
    const byDay = await run(
      'select timestamp_trunc(hour, day) as day, sum(requests) as n from view.`edge.requests-by-hour` ' +
        "where timestamp_trunc(hour, day) = '1970-01-02' group by day",
    )
    expect(byDay.rows).toEqual([{ day: 24 * HOUR_US, n: 1 }])
    expect(byDay.asked[0]![1]).toEqual({ fromUs: 24 * HOUR_US, throughUs: 48 * HOUR_US - 1, project: undefined })
  })

  it('is bound to a project and a range of time as a source is', async () => {
    const sql =
      'with v as (select * from view.`edge.requests-by-hour`) ' +
      'select path, requests from v where path in (select path from v) union all ' +
      'select path, requests from view.`edge.requests-by-hour`'
    const { rows, asked } = await run(sql, { project: 'a', range: [0, HOUR_US] })
    expect(rows.map(({ requests }) => requests).sort()).toEqual([1, 3, 3])
    expect(asked.length).toBe(3)
    for (const [, range] of asked) expect(range).toEqual({ fromUs: 0, throughUs: HOUR_US, project: 'a' })
    expect((await run(sql, { project: 'c' })).rows).toEqual([])
    const other = await run('select count(*) as n from view.`edge.requests-by-hour` where project = "b"', {
      project: 'a',
    })
    expect(other.rows).toEqual([{ n: 0 }])
  })

  it('is an operator of EXPLAIN', async () => {
    const { rows } = await run("explain select * from view.`edge.requests-by-hour` where hour = '1970-01-01T01:00Z'")
    expect(rows[0]).toEqual({
      step: 1,
      operator: 'view',
      detail: 'view edge.requests-by-hour from 1970-01-01T01:00:00 through 1970-01-01T01:00:00',
      rows: 2,
    })
  })

  it('is refused with its place if there is none of the name', () => {
    const fault = (sql: string, views?: ReadableViews) => {
      try {
        readSql(sql, SQL_LIMITS, views).plan({}, 0)
      } catch (error) {
        return error instanceof LogweirError ? [error.code, error.message] : error
      }
      return undefined
    }
    expect(fault('select *\nfrom view.`edge.requests-by-huor`', VIEWS)).toEqual([
      'invalid_sql',
      'There is no view edge.requests-by-huor. Did you mean edge.requests-by-hour? (line 2, column 6)',
    ])
    expect(fault('select * from view.x')).toEqual([
      'invalid_sql',
      'There is no view x. There are no views: a file of --endpoints with "-- view: keep 400d" makes one. ' +
        '(line 1, column 15)',
    ])
    expect(fault('select * from view', VIEWS)).toEqual([
      'invalid_sql',
      'There is no source view. A view is named behind a dot, in backticks: view.`edge.requests-by-hour`. ' +
        '(line 1, column 15)',
    ])
    expect(fault('select view.`edge.requests-by-hour`.path from view.`edge.requests-by-hour` as v', VIEWS)).toEqual([
      'invalid_sql',
      'The table view.edge.requests-by-hour has the alias v here, which hides its own name: write v.path. ' +
        '(line 1, column 8)',
    ])
  })

  it('is the one that there is when the plan is made', () => {
    let views: ReadableViews = NO_VIEWS
    const { plan } = readSql('select path from view.edge.requests-by-hour', SQL_LIMITS, {
      find: (name) => views.find(name),
      names: () => views.names(),
    })
    expect(() => plan({}, 0)).toThrow('There is no view')
    for (const source of [SOURCE, { ...SOURCE, identity: 'b2' }]) {
      views = { find: () => ({ ...VIEW, source }), names: () => [] }
      expect(plan({}, 0)[0]).toMatchObject({ op: 'view', view: source })
    }
  })

  it('takes no more memory than a query may', async () => {
    const long = 'x'.repeat(1_000)
    const readView: ReadView = async function* () {
      for (let i = 0; i < 100; i++) yield [['a', at(i), `${long}${i}`, 1]]
    }
    const engine = openEngine({ readView, groupingLimits: { groups: 10, bytes: 100_000 } })
    await expect(engine.run(planOf('select path from view.`edge.requests-by-hour`'))).rejects.toMatchObject({
      code: 'too_much_memory',
    })
    await engine.close()
  })

  it('is refused by an engine that keeps no views', async () => {
    const engine = openEngine()
    const run = engine.run(planOf('select path from view.`edge.requests-by-hour`'))
    await expect(run).rejects.toMatchObject({ code: 'unsupported_by_engine', message: expect.stringContaining('kept') })
    await engine.close()
  })
})
