import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { fieldOf, levelOf, levelsByBucket, microsOf } from '../../support/supabase/expected.js'
import { chartPoints } from '../../support/supabase/studio-chart.js'
import { API_REPORT, OTHER_REPORTS, TEMPLATES } from '../../support/supabase/studio-reports.js'
import type { Row, StudioServer } from '../../support/supabase/studio-server.js'
import { unifiedChart, unifiedCounts, unifiedRows } from '../../support/supabase/studio-unified.js'
import { type SinkEvent, vectorEvents } from '../../support/supabase/vector-events.js'
import { temporaryFolder, until } from '../support/program.js'
import { EVENTS, eventsOf, newestFirst, RANGE, seed, stackForSuite, startStack } from '../support/studio-stack.js'

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]
const TIMES = { iso_timestamp_start: RANGE.start, iso_timestamp_end: RANGE.end }

async function rowsOf(studio: StudioServer, sql: string): Promise<Row[]> {
  const { rows, error } = await studio('logs.all', { ...TIMES, sql })
  expect(error).toBe(undefined)
  return rows
}

const pathOf = (event: SinkEvent) => fieldOf(event, 'request', 'path') as string
const statusOf = (event: SinkEvent) => fieldOf(event, 'response', 'status_code') as number

/** Counts values. Undefined does not count. */
function counted(values: readonly (string | number | undefined)[]): Map<string | number, number> {
  const counts = new Map<string | number, number>()
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

const stack = stackForSuite()

describe(`pages with queries of their own (seed ${seed})`, () => {
  it('show reports and the templates of the explorer without an error', async () => {
    const { studio } = stack()
    for (const sql of Object.values({ ...API_REPORT, ...OTHER_REPORTS, ...TEMPLATES })) await rowsOf(studio, sql)
    const edge = eventsOf('edge_logs')
    const rest = await rowsOf(studio, OTHER_REPORTS.restOverview)
    const ofRest = edge.filter((event) => pathOf(event).startsWith('/rest/'))
    const sumOf = (name: string) => rest.reduce((sum, row) => sum + row[name], 0)
    expect([sumOf('ok_count'), sumOf('warning_count'), sumOf('error_count')]).toEqual([
      ofRest.filter((event) => statusOf(event) < 300).length,
      ofRest.filter((event) => statusOf(event) >= 300 && statusOf(event) < 400).length,
      ofRest.filter((event) => statusOf(event) >= 400).length,
    ])
    const requests = await rowsOf(studio, API_REPORT.requests)
    expect(requests.reduce((sum, { count }) => sum + count, 0)).toBe(edge.length)
  })

  it('show unified logs: rows, chart and counts', async () => {
    const { studio } = stack()
    const shown = [...eventsOf('edge_logs').filter((event) => !/\/(rest|storage)\//.test(pathOf(event)))]
    const all = [...shown, ...eventsOf('postgres_logs')]
    const rows = await rowsOf(studio, unifiedRows(['postgres', 'edge']))
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(all.sort(newestFirst).slice(0, 50).map(microsOf))
    const counts = await rowsOf(studio, unifiedCounts(['postgres', 'edge', 'postgrest', 'storage']))
    const of = (dimension: string) =>
      new Map(counts.filter((row) => row.dimension === dimension).map(({ value, count }) => [value, count]))
    const edge = eventsOf('edge_logs')
    expect(of('total').get('all')).toBe(edge.length + eventsOf('postgres_logs').length)
    expect(of('method')).toEqual(counted(edge.map((event) => fieldOf(event, 'request', 'method') as string)))
    expect(of('status')).toEqual(counted(edge.map((event) => `${statusOf(event)}`)))
    expect(of('log_type').get('edge')).toBe(shown.length)
    const chart = await rowsOf(studio, unifiedChart(['edge'], 'MINUTE'))
    const expected = levelsByBucket(shown, MINUTE_MS, levelOf)
    expect(
      chart.map(({ time_bucket, warning, error, total_per_bucket }) => [time_bucket, warning, error, total_per_bucket]),
    ).toEqual(
      expected.map(([iso, { ok, warning, error }]) => [Date.parse(iso) * 1000, warning, error, ok + warning + error]),
    )
  })

  it('fill the gaps of a chart with zeros', async () => {
    // Yesterday's noon: at midnight Studio would take the hours for days.
    const noonMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2
    const events = vectorEvents(mulberry32(seed), { count: 1_500, fromMs: noonMs - HOUR_MS / 2, stepMs: 1_700 })
    const { studio } = await startStack(events)
    const [firstMs, lastMs] = [noonMs - 6 * HOUR_MS, noonMs + HOUR_MS]
    const [start, end] = [new Date(firstMs).toISOString(), new Date(lastMs).toISOString()]
    const times = { iso_timestamp_start: start, iso_timestamp_end: end }
    const { rows } = await studio('service-health', { ...times, granularity: 'hour' })
    const series = rows.map((row) => ({ timestamp: row.timestamp, ok_count: row.edge_logs.ok }))
    const points = chartPoints(series, ['ok_count'], start, end)
    expect(points.map(({ timestamp }) => Date.parse(timestamp))).toEqual(
      Array.from({ length: 8 }, (_, i) => firstMs + i * HOUR_MS),
    )
    const ok = events.filter((event) => event.sink === 'cloudflare.logs.prod' && levelOf(event) === 'ok').length
    expect(points.reduce((sum, { ok_count }) => sum + ok_count, 0)).toBe(ok)
  })
})

describe('pages of a function', () => {
  const atMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 3 * MINUTE_MS
  const minute = new Date(atMs).toISOString().replace('.000Z', '')
  const invocation = (status: number, ms: number, function_id = 'f') => ({
    timestamp: new Date(atMs + ms).toISOString(),
    metadata: { project_ref: 'default', function_id, execution_time_ms: ms, response: { status_code: status } },
  })
  const logged = (level: string, more: object) => ({
    timestamp: new Date(atMs + 1).toISOString(),
    metadata: { project_ref: 'default', function_id: 'f', level, ...more },
  })

  it('show invocations, logs, CPU time and memory by bucket', async () => {
    const { service, studio } = await startStack(EVENTS.slice(0, 200))
    const send = async (source: string, records: object[]) => {
      const body = JSON.stringify(records)
      const headers = { 'Content-Type': 'application/json' }
      const { status } = await service.get(`/api/logs?source_name=${source}`, { method: 'POST', body, headers })
      expect(status).toBe(200)
    }
    await send('function_edge_logs', [
      invocation(200, 10),
      invocation(200, 30),
      invocation(302, 5),
      invocation(404, 15),
      invocation(500, 90),
      invocation(200, 1, 'another'),
    ])
    await send('function_logs', [
      logged('info', { cpu_time_used: 20, memory_used: { total: 3e6, heap: 2e6, external: 1e6 } }),
      logged('error', { cpu_time_used: 40, memory_used: { total: 5e6, heap: 4e6, external: 1e6 } }),
      logged('warning', {}),
    ])
    const params = { function_id: 'f', interval: '15min' }
    const requests = {
      timestamp: minute,
      success_count: 2,
      redirect_count: 1,
      client_err_count: 1,
      server_err_count: 1,
      avg_execution_time: 30,
    }
    const usage = { avg_cpu_time_used: 30, avg_memory_used: 4 }
    expect((await studio('functions.combined-stats', params)).rows).toEqual([
      {
        ...requests,
        ...usage,
        requests_count: 5,
        max_execution_time: 90,
        log_count: 3,
        log_info_count: 1,
        log_warn_count: 1,
        log_error_count: 1,
        max_cpu_time_used: 40,
        avg_heap_memory_used: 3,
        avg_external_memory_used: 1,
      },
    ])
    expect((await studio('functions.req-stats', params)).rows).toEqual([{ ...requests, count: 5 }])
    expect((await studio('functions.resource-usage', params)).rows).toEqual([{ timestamp: minute, ...usage }])
    const all = await studio('functions.req-stats', { interval: '1hr' })
    expect(all.rows.map(({ count }) => count)).toEqual([6])
  })
})

it('answers of Studio are cached for 10 s, and listed as other endpoints are', async () => {
  const { service } = await startStack(EVENTS.slice(0, 100))
  const path = '/api/endpoints/query/auth.metrics?project=default'
  const cached = async () => (await service.get(path)).headers.get('cache-status')
  expect([await cached(), await cached()]).toEqual([
    expect.stringMatching(/fwd=miss; stored/),
    expect.stringMatching(/hit; ttl=\d$|hit; ttl=10/),
  ])
  const { result } = (await (await service.get('/api/endpoints')).json()) as { result: { name: string }[] }
  expect(result.map(({ name }) => name)).toEqual(expect.arrayContaining(['auth.metrics', 'service-health']))
})

it('an endpoint of the user is served in the place of one, until its file is deleted', async () => {
  const directory = join(temporaryFolder(), 'endpoints')
  mkdirSync(directory)
  writeFileSync(
    join(directory, 'auth.metrics.sql'),
    "-- param project: text, required\nselect 'mine' as period from auth_logs limit 1",
  )
  const { service, studio } = await startStack(EVENTS.slice(0, 100), ['--endpoints', directory])
  expect((await studio('auth.metrics', {})).rows).toEqual([{ period: 'mine' }])
  rmSync(join(directory, 'auth.metrics.sql'))
  const rows = await until(
    async () => (await studio('auth.metrics', {})).rows,
    (found) => found.length === 2,
  )
  expect(rows.map(({ period }) => period)).toEqual(['current', 'previous'])
  expect(service.stderrText()).toContain('auth.metrics.sql was deleted')
})
