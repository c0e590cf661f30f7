import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../../src/base/errors.js'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import type { ReadView } from '../../../src/engine/engine.js'
import type { Row } from '../../../src/plan/answer.js'
import { ofProject } from '../../../src/plan/of-project.js'
import { type Plan, scansOf } from '../../../src/plan/plan.js'
import type { Scalar } from '../../../src/plan/values/values.js'
import { withinTime } from '../../../src/plan/within-time.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { type ViewDefinition, viewDefinition, viewOf } from '../../../src/views/definition/definition.js'
import { readableViews } from '../../../src/views/definition/registry.js'
import { type Outcome, runPlan } from '../../oracle/plan/run.js'
import { runSql } from '../../oracle/sql/run.js'
import { openEngine } from '../../support/engine.js'
import { mulberry32 } from '../../support/random.js'
import { compareRows, randomRecords } from '../../support/random-plans.js'
import type { TestRecord } from '../../support/records.js'
import { testSeed } from '../../support/seed.js'

/** Texts that are views. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'keys, conditions and all aggregates': `
    select timestamp_trunc(timestamp, hour) as hour, request.path, count(*) as requests, count(request.path) as paths,
      countif(response.status_code >= 500) as errors, sum(execution_time_ms) as total, avg(execution_time_ms) as mean,
      min(execution_time_ms) as least, max(response.status_code), approx_count_distinct(request.path) as different,
      approx_quantiles(execution_time_ms, 100)[offset(95)] as p95, approx_quantiles(execution_time_ms, 4) as quartiles
    from edge_logs where request.method = 'GET' or response.status_code is not null group by hour, path`,
  'the project, HAVING, ORDER BY and LIMIT': `
    select project, timestamp_trunc(timestamp, day) as day, response.status_code as status, count(*) as n
    from edge_logs group by project, day, status having n > 1 order by n desc, day, status limit 3`,
  'UNION ALL of several sources': `
    select timestamp_trunc(moment, hour) as hour, kind, count(*) as n, sum(ms) as ms
    from (
      select timestamp as moment, 'edge' as kind, response.status_code as ms from edge_logs
      union all
      select timestamp, function_id, execution_time_ms from function_edge_logs where execution_time_ms > 0
      union all
      (select timestamp, parsed.error_severity, null from postgres_logs)
    ) group by hour, kind`,
  'the bucket below UNION ALL': `
    select hour, count(*) as n
    from (select timestamp_trunc(timestamp, hour) as hour from edge_logs
      union all select timestamp_trunc(timestamp, hour) from postgres_logs)
    group by hour`,
  'queries in WITH and FROM, and names that hide others': `
    with a as (select project as key, timestamp as project, metadata, event_message as timestamp from edge_logs),
      b as (select key, project as timestamp, request.path as path, metadata from a where timestamp is not null)
    select timestamp_trunc(t.timestamp, hour) as hour, key as tenant, t.path, count(*) as n
    from (select * from b where path is not null) as t group by 1, 2, 3`,
  'a query around the groups': `
    select day, n, round(safe_divide(errors, n), 2) as share
    from (select timestamp_trunc(timestamp, day) as day, count(*) as n, countif(response.status_code >= 400) as errors
      from edge_logs group by day)
    where n > 1 order by n`,
  'conditions on the time, below and behind': `
    select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs
    where timestamp >= '2026-11-20' and timestamp < timestamp_add(timestamp '2026-11-25', interval 1 day)
    group by hour having hour < '2026-11-25T10:00Z' or n > 1`,
  'the current time behind the groups': `
    select timestamp_trunc(timestamp, hour) as hour, count(*) as n,
      timestamp_diff(current_timestamp(), max(timestamp), day) as days
    from edge_logs group by hour having hour > timestamp_sub(current_timestamp(), interval 20 day)`,
  'an aggregate that is not selected, and no bucket': `
    select request.path from edge_logs group by path, timestamp_trunc(timestamp, hour)
    having max(response.status_code) > 200`,
  'equal keys and aggregates': `
    select timestamp_trunc(timestamp, hour) as hour, request.path as a, request.path as b, count(*) as n, count(*) as m
    from edge_logs group by hour, a, b`,
  'objects as keys and values': `
    select timestamp_trunc(timestamp, day) as day, metadata.request, max(metadata.response) as response
    from edge_logs group by day, request`,
  'functions that cannot fail': `
    select timestamp_trunc(timestamp, day) as day,
      lower(request.path) as path, substr(event_message, 1, 5) as start,
      concat(substr(request.method, 1, 10), '-', substr(request.path, 1, 10)) as both,
      split(request.path, '/')[safe_offset(1)] as first, safe_cast(response.status_code as int64) as status,
      regexp_extract(substr(request.path, 1, 100), '^/([a-z]+)') as part, extract(hour from timestamp) as hour,
      format_timestamp('%H:%M', timestamp) as clock, ifnull(request.path, '-') as known,
      case when substr(request.path, 1, 20) like '/%' then 1 else 0 end as x,
      count(*) as n, sum(safe_divide(safe_cast(response.status_code as float64), 100)) as hundreds
    from edge_logs
    where starts_with(event_message, 'G')
      or substr(event_message, 1, 50) like '%2%' and request.path not in ('/a', '/b')
    group by day, path, start, both, first, status, part, hour, clock, known, x`,
  'parentheses around the groups': `
    (select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by day having n > 1)
    order by n desc, day`,
  'a query in WITH that has the name of its source, and one that is not read': `
    with edge_logs as (select * from edge_logs where request.path is not null),
      other as (select current_timestamp() as now, request.path in (select level from auth_logs) as x from edge_logs)
    select timestamp_trunc(timestamp, day) as day, request.path, count(*) as n from edge_logs group by day, path`,
  'a source that names itself below an alias': `
    select timestamp_trunc(timestamp, minute) as minute, e.metadata.\`__proto__\` as p, count(*) as n
    from edge_logs as e group by minute, p`,
}

const NOW_US = Date.UTC(2026, 10, 25, 11) * 1000
const seed = testSeed()
const RECORDS = randomRecords(mulberry32(seed), 250, ['edge_logs', 'function_edge_logs', 'postgres_logs'])
const PROJECTS = ['a', 'b', 'é😀', '']

const define = (text: string, name = 'v') =>
  viewDefinition(text, { name, keepUs: 30 * DAY_US, place: { line: 1, column: 1 } })

/** Groups all records of a view, the obvious way: by the oracle of plans. */
function fakeReader(definition: ViewDefinition, records: readonly TestRecord[]): ReadView {
  const { columns, rows, must } = runPlan(definition.grouping, records)
  expect([...must]).toEqual([])
  expect(columns).toEqual(definition.source.columns.map(({ name }) => name))
  return async function* (view) {
    expect(view).toBe(definition.source)
    for (const row of rows) yield [row.map(({ value }): Scalar => value)]
  }
}

async function answer(plan: Plan, readView: ReadView) {
  const engine = openEngine({ readView })
  try {
    const rows: Row[] = []
    for await (const row of await engine.run(plan)) rows.push(row)
    return rows
  } catch (error) {
    if (error instanceof LogweirError) return { error: error.code }
    throw error
  } finally {
    await engine.close()
  }
}

const MAX_ROWS = 100_000
const inAnyOrder = (outcome: Outcome): Outcome => ({ ...outcome, ranks: outcome.ranks.map(() => 0) })

describe(`accepted views (seed ${seed})`, () => {
  it.each(Object.entries(ACCEPTED))('%s', async (_, text) => {
    const definition = define(text)
    const readView = fakeReader(definition, RECORDS)
    const views = readableViews([definition])
    const names = definition.columns.map(({ name }) => `\`${name}\``).join(', ')
    for (const project of PROJECTS) {
      const { outcome } = runSql(text, RECORDS, { nowUs: NOW_US, project, maxRows: MAX_ROWS })
      const plan = ofProject([viewOf(definition.source), ...definition.answer(NOW_US)], project)
      compareRows(await answer(plan, readView), outcome, plan)
      if (/limit/.test(text)) continue
      const table = readSql(`select ${names} from view.v where project = '${project}'`, SQL_LIMITS, views)
      const all = table.plan({}, NOW_US)
      compareRows(await answer(all, readView), inAnyOrder(outcome), all)
    }
  })

  it('have the groups of all projects, and of rows without one, in SQL', async () => {
    const definition = define(ACCEPTED['UNION ALL of several sources']!)
    const sql = readSql(
      'select project, sum(n) as n from view.v group by project',
      SQL_LIMITS,
      readableViews([definition]),
    )
    const text =
      'select project, count(*) as n from (select project from edge_logs union all select project from ' +
      'function_edge_logs where execution_time_ms > 0 union all select project from postgres_logs) group by project'
    const { outcome } = runSql(text, RECORDS, { nowUs: NOW_US, maxRows: MAX_ROWS })
    const plan = sql.plan({}, NOW_US)
    compareRows(await answer(plan, fakeReader(definition, RECORDS)), outcome, plan)
    expect(outcome.rows.some(([project]) => project!.value === null)).toBe(true)
  })

  it('are read by the starts of buckets', async () => {
    const text = ACCEPTED['keys, conditions and all aggregates']!
    const definition = define(text)
    const fromUs = Math.floor(NOW_US / HOUR_US) * HOUR_US - 25 * HOUR_US
    const throughUs = fromUs + 25 * HOUR_US - 1
    const { outcome } = runSql(text, RECORDS, {
      nowUs: NOW_US,
      project: 'a',
      fromUs: fromUs - 1,
      throughUs,
      maxRows: MAX_ROWS,
    })
    const all = ofProject([viewOf(definition.source), ...definition.answer(NOW_US)], 'a')
    const plan = withinTime(all, { fromUs, throughUs })
    compareRows(await answer(plan, fakeReader(definition, RECORDS)), outcome, plan)
  })

  it('are grouped by hand as by the plan', async () => {
    const definition = define(
      'select timestamp_trunc(timestamp, hour) as hour, event_message, count(*) as n from edge_logs group by 1, 2',
    )
    const groups = new Map<string, [Scalar, number, string, number]>()
    for (const { source, project, timestampUs, event_message } of RECORDS) {
      if (source !== 'edge_logs') continue
      const hourUs = timestampUs - (timestampUs % HOUR_US)
      const key = JSON.stringify([project, hourUs, event_message])
      const [, , , n] = groups.get(key) ?? [null, 0, '', 0]
      groups.set(key, [project, hourUs, event_message, n + 1])
    }
    const { rows } = runPlan(definition.grouping, RECORDS)
    const shown = rows.map((row) =>
      row.map(({ value }) => (value instanceof Object && 'us' in value ? value.us : value)),
    )
    const sorted = (list: readonly unknown[]) => list.map((one) => JSON.stringify(one)).sort()
    expect(sorted(shown)).toEqual(sorted([...groups.values()]))
  })

  it('read all of the time but what conditions below the grouping exclude', () => {
    const [bounded] = scansOf(define(ACCEPTED['conditions on the time, below and behind']!).grouping)
    expect(bounded).toMatchObject({
      fromUs: Date.UTC(2026, 10, 20) * 1000,
      throughUs: Date.UTC(2026, 10, 26) * 1000 - 1,
    })
    for (const scan of scansOf(define(ACCEPTED['the current time behind the groups']!).grouping))
      expect([scan.fromUs, scan.throughUs]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])
  })

  it('say what they are', () => {
    const definition = define(ACCEPTED['UNION ALL of several sources']!, 'all.by-hour')
    expect(definition).toMatchObject({
      name: 'all.by-hour',
      keepUs: 30 * DAY_US,
      unit: 'hour',
      sources: ['edge_logs', 'function_edge_logs', 'postgres_logs'],
      columns: [
        { name: 'hour', kind: 'microseconds' },
        { name: 'kind', kind: 'any' },
        { name: 'n', kind: 'count' },
        { name: 'ms', kind: 'double' },
      ],
      source: {
        name: 'all.by-hour',
        identity: definition.identity,
        columns: [
          { name: 'project', type: 'text' },
          { name: 'bucket', type: 'timestamp' },
          { name: 'key 1', type: 'any' },
          { name: 'aggregate 1', type: 'count' },
          { name: 'aggregate 2', type: 'number' },
        ],
        bucket: 'bucket',
      },
      readsTime: false,
    })
    expect(define(ACCEPTED['the current time behind the groups']!).readsTime).toBe(true)
  })
})
