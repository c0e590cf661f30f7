import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { ownSourceNames } from '../../src/common/sources.js'
import { columnsOf } from '../../src/endpoints/endpoint.js'
import { ENDPOINTS } from '../../src/endpoints/index.js'
import type { Engine } from '../../src/engine/engine.js'
import { csvFormat } from '../../src/http/formats/csv.js'
import type { Row } from '../../src/plan/answer.js'
import { RawJson } from '../../src/plan/values/values.js'
import { API_COUNTS_CASES } from '../cases/api-counts.js'
import { INVOCATION_STATS_CASES } from '../cases/invocation-stats.js'
import { LOGS_ALL_CASES } from '../cases/logs-all.js'
import { LOGS_EXPLORE_CASES } from '../cases/logs-explore.js'
import { LOGS_FIELDS_CASES } from '../cases/logs-fields.js'
import { LOGS_HISTOGRAM_CASES } from '../cases/logs-histogram.js'
import { createFakeClock } from '../support/clock.js'
import { appendAll, openEngine } from '../support/engine.js'
import { eventually } from '../support/eventually.js'
import { plainRows, READERS, readJsonRows } from './readers.js'
import { API_COUNTS, createTestApp, LOGS_ALL, STATS, settle } from './support.js'

const [OWN] = ownSourceNames()
const ACCEPTS = [...new Set(READERS.map(({ accept }) => accept))]
const DECODERS: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync }
const bytesOf = async (reply: Response | Promise<Response>) => Buffer.from(await (await reply).arrayBuffer())
const headersOf = ({ headers }: Response) => Object.fromEntries(headers)

function columnsFor(endpoint: string, params: Readonly<Record<string, string>>) {
  const { call } = ENDPOINTS.find(({ name }) => name === endpoint)!
  const called = call(new URLSearchParams(params))
  return columnsOf(called, called.plan(0))
}

/** Rows of `usage.api-counts`, which is cached, and of `logs.all`, which is not. */
const counts = (n: number): Row[] =>
  Array.from({ length: n }, (_, i) => ({
    timestamp: new Date(i * 3_600_000).toISOString().slice(0, 19),
    total_rest_requests: i,
    total_storage_requests: 0,
    total_auth_requests: i * 7,
    total_realtime_requests: 1,
  }))
const logs = (n: number, bytes: number): Row[] =>
  Array.from({ length: n }, (_, i) => ({
    id: `${i}`,
    timestamp: 1_763_632_800_123_456 - i,
    event_message: 'x'.repeat(bytes),
    metadata: new RawJson(`{"i":${i}, "a":[1.0,"\\"}"]}`),
  }))

const PATHS = [
  { kind: 'kept', path: `${API_COUNTS}?project=a&interval=daily`, rows: counts(40) },
  { kind: 'not kept', path: `${LOGS_ALL}?project=a`, rows: logs(20, 200) },
]

describe('the cases', () => {
  const explored = [...LOGS_EXPLORE_CASES, ...LOGS_HISTOGRAM_CASES, ...LOGS_FIELDS_CASES].filter(
    ({ records }) => records.length < 1_000,
  )
  const all = [...LOGS_ALL_CASES, ...INVOCATION_STATS_CASES, ...API_COUNTS_CASES, ...explored]
  // Only those that name the own source, if the process has one.
  const cases = OWN === undefined ? all : all.filter(({ params }) => params.source === OWN)
  test.each(cases)('$name: all formats hold the rows that JSON holds', async ({ endpoint, records, params, nowUs }) => {
    const clock = createFakeClock(nowUs)
    const engine = openEngine({ clock })
    await appendAll(engine, records)
    const { get, app } = createTestApp({ engine, clock })
    const path = `/api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`
    const columns = columnsFor(endpoint, params)
    const rows = readJsonRows(await bytesOf(get(path)), columns)
    for (const { name, accept, read } of READERS) {
      expect([name, read(await bytesOf(get(path, { headers: { Accept: accept } })), columns)]).toEqual([name, rows])
    }
    app.close()
    await engine.close()
  })

  test('an answer without rows has its columns all the same', async () => {
    const { get } = createTestApp({ rows: () => [] })
    const csv = async (path: string) => (await bytesOf(get(path, { headers: { Accept: 'text/csv' } }))).toString()
    const stats =
      'timestamp,min_execution_time,max_execution_time,avg_execution_time,p95_execution_time,p99_execution_time'
    const totals = 'total_rest_requests,total_storage_requests,total_auth_requests,total_realtime_requests'
    expect(await csv(`${LOGS_ALL}?project=a`)).toBe('id,timestamp,event_message,metadata\r\n')
    expect(await csv(`${STATS}?project=a`)).toBe(`${stats},count,error_count\r\n`)
    for (const interval of ['daily', 'no such']) {
      expect(await csv(`${API_COUNTS}?project=a&interval=${interval}`)).toBe(`timestamp,${totals}\r\n`)
    }
  })
})

describe.each(PATHS)('an answer that is $kind', ({ path, rows }) => {
  const columns = columnsFor(path.includes('logs.all') ? 'logs.all' : 'usage.api-counts', {
    project: 'a',
    interval: 'daily',
  })

  test.each(READERS)('is had as $name in every coding, by GET and HEAD, and again with 304', async ({
    accept,
    read,
  }) => {
    const { get } = createTestApp({ rows: () => rows })
    const tags = new Set<string>()
    for (const coding of ['identity', 'gzip', 'br']) {
      const ask = { Accept: accept, 'Accept-Encoding': coding }
      await get(path, { headers: ask })
      const whole = await get(path, { headers: ask })
      const headers = headersOf(whole)
      const bytes = await bytesOf(whole)
      expect(headers).toMatchObject({ vary: 'Accept, Accept-Encoding', 'cache-control': 'private, no-cache' })
      expect([headers['content-length'], headers['content-encoding'] ?? 'identity']).toEqual([
        `${bytes.length}`,
        coding,
      ])
      expect(read(DECODERS[coding]?.(bytes) ?? bytes, columns)).toEqual(plainRows(rows))
      tags.add(headers.etag!)

      const head = await get(path, { method: 'HEAD', headers: ask })
      expect([head.status, headersOf(head), (await bytesOf(head)).length]).toEqual([200, headers, 0])

      const { 'content-length': _, 'content-encoding': __, 'content-type': ___, ...kept } = headers
      for (const method of ['GET', 'HEAD']) {
        const same = await get(path, { method, headers: { ...ask, 'If-None-Match': headers.etag! } })
        expect([same.status, headersOf(same), (await bytesOf(same)).length]).toEqual([304, kept, 0])
      }
    }
    expect([...tags]).toEqual([expect.stringMatching(/^W\/"[\w-]{16}"$/)])
  })

  test('has a tag for each format, that is another when its rows are', async () => {
    let given = rows
    const { get } = createTestApp({ rows: () => given })
    const tags = async () =>
      Promise.all(
        ACCEPTS.map(async (Accept) => {
          const reply = await get(path, { headers: { Accept, 'Cache-Control': 'no-cache' } })
          return reply.headers.get('etag')
        }),
      )
    const before = await tags()
    expect(await tags()).toEqual(before)
    given = rows.toReversed()
    expect(new Set([...before, ...(await tags())]).size).toBe(2 * ACCEPTS.length)
  })

  test('is sent anew to who has another', async () => {
    const { get } = createTestApp({ rows: () => rows })
    const json = (await get(path)).headers.get('etag')!
    const strong = json.slice(2)
    const status = async (ifNoneMatch: string, Accept = '*/*') =>
      (await get(path, { headers: { Accept, 'If-None-Match': ifNoneMatch } })).status
    for (const same of [json, strong, `"a", ${json}`, `${json},W/"b"`, `W/"a,b" ,${strong}`, '*', ' * ']) {
      expect([same, await status(same)]).toEqual([same, 304])
    }
    for (const other of ['', '"a"', strong.slice(1, -1), `"x${strong.slice(1)}`, '"*"', 'W/*', strong.slice(0, -1)]) {
      expect([other, await status(other)]).toEqual([other, 200])
    }
    expect(await status(json, 'text/csv')).toBe(200)
  })
})

describe('an answer that is kept', () => {
  const { path, rows } = PATHS[0]!

  test('is computed once for callers of all formats', async () => {
    const { get, engine } = createTestApp()
    const replies = ACCEPTS.map((Accept) => get(path, { headers: { Accept } }))
    await settle()
    expect(engine.runs.length).toBe(1)
    engine.runs[0]!.finish(rows)
    const statuses = (await Promise.all(replies)).map(({ headers }) => headers.get('cache-status'))
    expect(statuses).toEqual(['logweir; fwd=miss; stored', ...Array(3).fill('logweir; fwd=miss; collapsed')])
    for (const Accept of ACCEPTS) {
      const { headers } = await get(path, { headers: { Accept } })
      expect([headers.get('cache-status'), headers.get('age')]).toEqual(['logweir; hit; ttl=900', '0'])
    }
    expect(engine.runs.length).toBe(1)
  })

  test('is brought into a format once, however many ask', async () => {
    const { get } = createTestApp({ rows: () => rows })
    await get(path)
    const made = vi.spyOn(csvFormat, 'encoder')
    const ask = () => bytesOf(get(path, { headers: { Accept: 'text/csv' } }))
    const bodies = await Promise.all(Array.from({ length: 5 }, ask))
    expect(new Set([...bodies, await ask()].map(String)).size).toBe(1)
    expect(made.mock.calls.length).toBe(1)
    made.mockRestore()
  })

  test('counts each of its forms once, and all go when it is computed anew', async () => {
    const { get, metrics } = createTestApp({ rows: () => rows })
    const held = async () => (await metrics.cacheBytes.get()).values[0]!.value
    await get(path)
    const json = await held()
    let expected = json
    for (const Accept of ACCEPTS.slice(1)) {
      for (const coding of ['identity', 'gzip', 'br']) {
        const headers = { Accept, 'Accept-Encoding': coding }
        expected += (await bytesOf(get(path, { headers }))).length
        expect(await held()).toBe(expected)
        await get(path, { headers })
        expect(await held()).toBe(expected)
      }
    }
    await get(path, { headers: { 'Cache-Control': 'no-cache' } })
    expect(await held()).toBe(json)
  })

  test('is kept without the forms that make it too large for an entry', async () => {
    const { get: first, metrics } = createTestApp({ rows: () => rows })
    await first(path)
    const json = (await metrics.cacheBytes.get()).values[0]!.value
    const csv = (await bytesOf(first(path, { headers: { Accept: 'text/csv' } }))).length
    const small = createTestApp({ rows: () => rows, limits: { cacheEntryBytes: json + csv } })
    const held = async () => (await small.metrics.cacheBytes.get()).values[0]!.value
    for (const Accept of ACCEPTS) await small.get(path, { headers: { Accept } })
    expect(await held()).toBe(json + csv)
    for (const { accept, read } of READERS) {
      const reply = await small.get(path, { headers: { Accept: accept } })
      expect(reply.headers.get('cache-status')).toBe('logweir; hit; ttl=900')
      expect(read(await bytesOf(reply), columnsFor('usage.api-counts', { project: 'a' }))).toEqual(plainRows(rows))
    }
    expect(small.engine.runs.length).toBe(1)
  })
})

describe.each(READERS)('an answer that is streamed as $name', ({ accept, read }) => {
  const bufferedBytes = 10_000
  const path = `${LOGS_ALL}?project=a`
  const columns = columnsFor('logs.all', { project: 'a' })
  const rows = logs(100, 8_000)

  /** Yields the rows and counts the rows that were read. */
  function counted(failAt = Number.POSITIVE_INFINITY) {
    const state = { read: 0, released: false }
    async function* all(): AsyncGenerator<Row> {
      try {
        for (const row of rows) {
          if (state.read === failAt) throw new Error('a block is damaged')
          state.read += 1
          yield row
        }
      } finally {
        state.released = true
      }
    }
    return { state, rows: all }
  }
  const ask = (given: ReturnType<typeof counted>, init: RequestInit = {}) => {
    const parts = createTestApp({ rows: given.rows, limits: { bufferedBytes } })
    return { ...parts, reply: parts.get(path, { ...init, headers: { Accept: accept, ...init.headers } }) }
  }

  test.each(['identity', 'gzip', 'br'])('is whole (%s), without length and tag', async (coding) => {
    const given = counted()
    const headers = { 'Accept-Encoding': coding }
    const reply = await ask(given, { headers }).reply
    const head = await ask(counted(), { method: 'HEAD', headers }).reply
    expect(headersOf(reply)).toMatchObject({ vary: 'Accept, Accept-Encoding', 'cache-control': 'no-store' })
    expect([reply.headers.get('content-length'), reply.headers.get('etag')]).toEqual([null, null])
    expect(headersOf(head)).toEqual(headersOf(reply))
    const bytes = await bytesOf(reply)
    expect(read(DECODERS[coding]?.(bytes) ?? bytes, columns)).toEqual(plainRows(rows))
    expect(given.state).toEqual({ read: 100, released: true })
  })

  test('is read no faster than a slow receiver takes it', async () => {
    const given = counted()
    const reader = (await ask(given).reply).body!.getReader()
    let taken = 0
    for (;;) {
      await settle()
      // For a chunk of Arrow a whole batch of 64 KiB is read.
      expect(given.state.read * 8_000).toBeLessThan(taken + bufferedBytes + 3 * 64 * 1024)
      const { done, value } = await reader.read()
      if (done) break
      taken += value.length
    }
    expect(taken).toBeGreaterThan(800_000)
  })

  test('lets go of the rows when its receiver lets go of it', async () => {
    const given = counted()
    await (await ask(given).reply).body!.cancel()
    await eventually(() => expect(given.state.released).toBe(true))
    expect(given.state.read).toBeLessThan(20)
  })

  test('breaks where a row fails, and the log says why', async () => {
    const { reply, logged } = ask(counted(50))
    await expect(bytesOf(await reply)).rejects.toThrow('The service failed with an internal error.')
    expect(logged).toEqual(['internal error: Error: a block is damaged'])
  })

  test('is a plain refusal in JSON where its first row fails', async () => {
    const reply = await ask(counted(0)).reply
    expect([reply.status, reply.headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8'])
  })
})

describe('Server-Timing', () => {
  const timing = async (reply: Promise<Response>) => (await reply).headers.get('server-timing')
  /** The header's grammar (W3C Server Timing): tokens, and texts in quotes. */
  const GRAMMAR =
    /^[\w-]+(;(dur=\d+(\.\d+)?|desc=([\w-]+|"[^"\\]*")))*(, [\w-]+(;(dur=\d+(\.\d+)?|desc=([\w-]+|"[^"\\]*")))*)*$/

  test('tells of a run whose request began it, and of no other', async () => {
    const { engine, clock, get } = createTestApp()
    const run: typeof engine.run = (plan, options) => {
      options?.onScanStats?.({ rows: 12_345, segments: { total: 42, pruned: 40 } })
      return engine.run(plan, options)
    }
    const app = createTestApp({ engine: { run }, clock })
    const [path] = PATHS.map(({ path }) => path)
    const [first, second] = [app.get(path!), app.get(path!)]
    await settle()
    clock.advance(7)
    engine.runs[0]!.finish()
    expect(await timing(first)).toBe('cache;desc=miss, engine;dur=7.00, rows;desc="12345", pruned;desc="40 of 42"')
    expect(await timing(second)).toBe('cache;desc=collapsed')
    expect(await timing(app.get(path!))).toBe('cache;desc=hit')
    const uncached = app.get(PATHS[1]!.path)
    await settle()
    engine.runs[1]!.finish()
    expect(await timing(uncached)).toBe('cache;desc=bypass, engine;dur=0.00, rows;desc="12345", pruned;desc="40 of 42"')
    expect((await first).headers.get('timing-allow-origin')).toBe('*')
    expect((await first).headers.get('access-control-expose-headers')).toContain('Server-Timing')
    expect(await timing(get(PATHS[1]!.path.replace('project=a', '')))).toBeNull()
  })

  test.each([
    [undefined, ''],
    [{ rows: 3 }, ', rows;desc="3"'],
  ])('leaves out what the engine does not know: %j', async (work, expected) => {
    const run: Engine['run'] = async (_, options) => {
      if (work !== undefined) options?.onScanStats?.(work)
      return (async function* () {})()
    }
    for (const { path, kind } of PATHS) {
      const state = kind === 'kept' ? 'miss' : 'bypass'
      expect(await timing(createTestApp({ engine: { run } }).get(path))).toBe(
        `cache;desc=${state}, engine;dur=0.00${expected}`,
      )
    }
  })

  test('tells of the embedded engine what its metrics tell', async () => {
    const { endpoint, records, params, nowUs } = LOGS_ALL_CASES.find(({ rows }) => rows.length > 1)!
    const clock = createFakeClock(nowUs)
    const engine = openEngine({ clock })
    await appendAll(engine, records)
    const path = `/api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`
    const told = await timing(createTestApp({ engine, clock }).get(path))
    expect(told).toMatch(GRAMMAR)
    expect(told).toMatch(/rows;desc="[1-9]\d*", pruned;desc="0 of 1"$/)
    await engine.close()
  })
})

test('the formats that docs/api.md names are had', async () => {
  const text = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const named = [...text.matchAll(/^\| `([\w.-]+\/[\w.-]+)`/gm)].map(([, type]) => type!)
  expect(named).toEqual([...ACCEPTS, 'text/event-stream'])
  for (const Accept of named) {
    const { headers, body } = await createTestApp({ rows: () => [] }).get(PATHS[1]!.path, { headers: { Accept } })
    expect(headers.get('content-type')).toContain(Accept)
    await body?.cancel()
  }
})
