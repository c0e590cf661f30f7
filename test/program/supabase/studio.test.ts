import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { fieldOf, levelOf, levelsByBucket, microsOf } from '../../support/supabase/expected.js'
import { oddEvents } from '../../support/supabase/odd-events.js'
import { type LogsPage, openLogsPage } from '../../support/supabase/studio-page.js'
import type { Reply, Row } from '../../support/supabase/studio-server.js'
import { FILTERS, type TableName } from '../../support/supabase/studio-tables.js'
import type { SinkEvent } from '../../support/supabase/vector-events.js'
import {
  endMs,
  eventsOf,
  fromMs,
  messageOf,
  newestFirst,
  RANGE,
  SINK_OF,
  seed,
  stackForSuite,
  startStack,
} from '../support/studio-stack.js'

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

/** Opens a page and loads older rows until no older rows are left. Returns each row once. */
async function allRows(page: LogsPage): Promise<readonly Row[]> {
  const rows = new Map<string, Row>()
  for (let reply: Reply | undefined = await page.open(); ; reply = await page.loadOlder()) {
    const { rows: more = [], error } = reply ?? {}
    expect([error, more.length <= 100]).toEqual([undefined, true])
    // The last row of a page may be the first of the next: the end of a range is included.
    const isNew = more.some(({ id }) => !rows.has(id))
    for (const row of more) rows.set(row.id, row)
    if (!isNew) return [...rows.values()]
  }
}

const stack = stackForSuite()

describe(`pages of logs (seed ${seed})`, () => {
  it('show every record, the newest first, and older ones by the last microseconds', async () => {
    const { studio } = stack()
    for (const table of Object.keys(SINK_OF) as TableName[]) {
      const rows = await allRows(openLogsPage(studio, { table, ...RANGE }))
      const expected = eventsOf(table).sort(newestFirst)
      expect(rows.map(({ event_message }) => event_message)).toEqual(expected.map(messageOf))
      expect(rows.map(({ timestamp }) => timestamp)).toEqual(expected.map(microsOf))
      expect(rows.every(({ timestamp }) => /^\d{16}$/.test(`${timestamp}`))).toBe(true)
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    }
  })

  it('count what has arrived since, and draw a chart by minutes', async () => {
    const { studio } = stack()
    const sinceMs = fromMs + (endMs - fromMs) / 2
    for (const table of Object.keys(SINK_OF) as TableName[]) {
      // The query of the chart joins the response, which console lines of functions have not.
      const events = table === 'function_edge_logs' ? [] : eventsOf(table)
      const page = openLogsPage(studio, { table, ...RANGE })
      const newer = events.filter((event) => microsOf(event) > sinceMs * 1000)
      expect(await page.newCount(new Date(sinceMs).toISOString())).toBe(newer.length)
      const hasLevels = ['edge_logs', 'postgres_logs', 'auth_logs'].includes(table)
      const chart = levelsByBucket(events, MINUTE_MS, hasLevels ? levelOf : () => 'ok')
      expect(await page.chart()).toEqual(
        chart.map(([timestamp, { ok, warning, error }]) => ({
          timestamp,
          ok_count: ok,
          warning_count: warning,
          error_count: error,
        })),
      )
    }
  })

  it('filter, and show all of one record', async () => {
    const { studio } = stack()
    const edge = eventsOf('edge_logs').filter((event) => (fieldOf(event, 'response', 'status_code') as number) >= 500)
    const [condition] = FILTERS.edge_logs!
    const page = openLogsPage(studio, { table: 'edge_logs', conditions: [condition!], ...RANGE })
    const rows = await allRows(page)
    expect(rows.map(({ event_message }) => event_message)).toEqual(edge.sort(newestFirst).map(messageOf))
    expect(rows.map(({ status_code }) => status_code)).toEqual(
      edge.map((event) => fieldOf(event, 'response', 'status_code')),
    )
    const { headers, ...request } = fieldOf(edge[0]!, 'request') as { headers: object }
    expect(await page.single(rows[0]!.id)).toEqual({
      id: rows[0]!.id,
      timestamp: microsOf(edge[0]!),
      event_message: messageOf(edge[0]!),
      metadata: [
        {
          request: [{ ...request, headers: [headers] }],
          response: [fieldOf(edge[0]!, 'response')],
          appname: 'supabase-kong',
        },
      ],
    })
    expect(await page.single('no such id')).toBe(undefined)
    const auth = eventsOf('auth_logs')
    const counts = await Promise.all(
      FILTERS.auth_logs!.map((one) =>
        openLogsPage(studio, { table: 'auth_logs', conditions: [one], ...RANGE }).newCount(RANGE.start),
      ),
    )
    const status = (event: SinkEvent) => fieldOf(event, 'status') as number
    expect(counts).toEqual([
      auth.filter((event) => levelOf(event) === 'error').length,
      auth.filter((event) => levelOf(event) === 'ok').length,
      auth.filter((event) => status(event) >= 400 && status(event) < 500).length,
      auth.filter((event) => fieldOf(event, 'path') === '/signup').length,
    ])
  })

  it('show odd records', async () => {
    const odd = oddEvents(mulberry32(seed), endMs)
    const studio = (await startStack(odd)).studio
    const until = new Date(Date.now() + HOUR_MS).toISOString()
    for (const [table, sink] of Object.entries(SINK_OF)) {
      const page = openLogsPage(studio, { table: table as TableName, start: RANGE.start, end: until })
      const expected = odd.filter((event) => event.sink === sink)
      const messages = (await page.open()).rows.map(({ event_message }) => event_message)
      expect(messages.sort()).toEqual(expected.map(messageOf).sort())
    }
  })

  it('show a record of auth whose metadata have a time with an offset, at its own time', async () => {
    const isIt = (event: SinkEvent) => /\+05:30$/.test(`${fieldOf(event, 'timestamp')}`)
    const event = oddEvents(mulberry32(seed), endMs).find(isIt)!
    const { studio } = await startStack([event])
    const end = new Date(endMs + HOUR_MS).toISOString()
    const page = openLogsPage(studio, { table: 'auth_logs', start: RANGE.start, end })
    const [row] = (await page.open()).rows
    expect([row!.event_message, row!.timestamp]).toEqual([messageOf(event), microsOf(event)])
    const { metadata, timestamp } = (await page.single(row!.id))!
    expect(timestamp).toBe(microsOf(event))
    expect(metadata).toEqual([{ ...(event.event.metadata as object), appname: 'supabase-auth' }])
  })
})

describe(`pages with numbers (seed ${seed})`, () => {
  it('of the health of services: an object for each source in each bucket', async () => {
    const { studio } = stack()
    const params = { iso_timestamp_start: RANGE.start, iso_timestamp_end: RANGE.end }
    const { rows, error } = await studio('service-health', { ...params, granularity: 'minute' })
    expect(error).toBe(undefined)
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(rows.map(({ timestamp }) => timestamp).sort())
    for (const table of Object.keys(SINK_OF) as TableName[]) {
      const events = table === 'function_edge_logs' ? [] : eventsOf(table)
      const expected = new Map(levelsByBucket(events, MINUTE_MS))
      for (const { timestamp, [table]: counts } of rows) {
        const { ok, warning, error } = expected.get(`${timestamp}.000Z`) ?? { ok: 0, warning: 0, error: 0 }
        expect([table, timestamp, counts]).toEqual([
          table,
          timestamp,
          { ok, warning, error, total: ok + warning + error },
        ])
      }
    }
    const wrong = await studio('service-health', { iso_timestamp_end: RANGE.end })
    expect(wrong.error).toContain('iso_timestamp_start')
  })

  it('of auth: two rows of numbers, though there is no record', async () => {
    const zeros = {
      active_users: 0,
      sign_up_count: 0,
      password_reset_requests: 0,
      auth_total_requests: 0,
      auth_total_errors: 0,
      api_total_requests: 0,
      api_error_requests: 0,
    }
    const empty = (await startStack([])).studio
    expect(await empty('auth.metrics', { interval: '1day' })).toEqual({
      rows: [
        { period: 'current', ...zeros },
        { period: 'previous', ...zeros },
      ],
      error: undefined,
    })
    const { studio } = stack()
    const auth = eventsOf('auth_logs')
    const api = eventsOf('edge_logs').filter((event) => `${fieldOf(event, 'request', 'path')}`.includes('auth/v1'))
    const requests = auth.filter((event) => fieldOf(event, 'status') !== undefined)
    const users = auth.filter((event) => fieldOf(event, 'action') === 'login').map((event) => fieldOf(event, 'user_id'))
    expect((await studio('auth.metrics', { interval: '1day' })).rows).toEqual([
      {
        ...zeros,
        period: 'current',
        active_users: new Set(users).size,
        auth_total_requests: requests.length,
        auth_total_errors: requests.filter((event) => (fieldOf(event, 'status') as number) >= 500).length,
        api_total_requests: api.length,
        api_error_requests: api.filter((event) => levelOf(event) !== 'ok').length,
      },
      { period: 'previous', ...zeros },
    ])
  })

  it('of functions: nothing for console lines', async () => {
    const { studio } = stack()
    for (const name of ['functions.combined-stats', 'functions.req-stats', 'functions.resource-usage']) {
      const answer = await studio(name, { function_id: 'f', interval: '15min' })
      expect([name, answer]).toEqual([name, { rows: [], error: undefined }])
    }
  })

  it('errors arrive as texts', async () => {
    const studio = (await startStack([])).studio
    const wrong = await studio('logs.all', { sql: 'select nope(1)' })
    expect(wrong.error).toMatch(/nope.*line 1, column 8/)
    expect((await studio('no.such-endpoint', {})).error).toContain('nothing at this address')
  })
})
