import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { PlainRow } from '../oracle/oracle.js'
import { createFakeClock } from '../support/clock.js'
import { ask, openEngine } from '../support/engine.js'
import { NOW_US, type Parse, parse } from './parsing.js'

/** Many times the usual duration, for busy machines. */
const TIMEOUT_MS = 60_000

const ROWS = 9_999
const PLACE = 5_000

/** Valid lines with all fields, of the two sources that endpoints count. */
const GOOD = Array.from({ length: ROWS }, (_, i) => (i % 2 === 0 ? edgeLine(i) : relayLine(i)))
const GOOD_ROWS = parse(GOOD.join('\n')).rows

function edgeLine(i: number): string {
  const request = { url: `https://a.co/${i % 5}`, path: '/rest/v1' }
  const record = { id: `id ${i}`, timestamp: NOW_US - i, project: i % 3 ? 'p' : null, event_message: `m${i}` }
  return JSON.stringify({ source: 'edge_logs', ...record, metadata: { i, request } })
}

function relayLine(i: number): string {
  const metadata = { function_id: `f${i % 7}`, execution_time_ms: i, response: { status_code: 200 + (i % 2) * 300 } }
  return JSON.stringify({ source: 'function_edge_logs', id: `id ${i}`, timestamp: NOW_US - i, project: 'p', metadata })
}

const withLine = (line: string) => parse([...GOOD.slice(0, PLACE), line, ...GOOD.slice(PLACE)].join('\n'))

const sumOf = (rows: readonly PlainRow[], column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0)

/** Returns the number of stored rows, and the rows that each endpoint counts. */
async function countRows({ batches }: Parse): Promise<{ stored: number; requests: number; invocations: number }> {
  const engine = openEngine({ clock: createFakeClock(NOW_US) })
  for (const batch of batches) await engine.append(batch)
  const counts = await ask(engine, 'usage.api-counts', { project: '.', interval: 'minutely' }, NOW_US)
  const stats = await ask(engine, 'functions.invocation-stats', { project: 'p' }, NOW_US)
  const stored = engine.stats().reduce((sum, { rows }) => sum + rows, 0)
  await engine.close()
  return { stored, requests: sumOf(counts, 'total_rest_requests'), invocations: sumOf(stats, 'count') }
}

const ALL = { stored: ROWS, requests: 5_000, invocations: 4_999 }

/** Lines with an invalid field, or invalid as a whole, and the reason of their rejection. */
const BAD: readonly [reason: string, line: string][] = [
  ['invalid_field', '{"source":7}'],
  ['unknown_source', '{"source":"none"}'],
  ['missing_source', '{"source":null}'],
  ['invalid_field', '{"source":"edge_logs","id":7}'],
  ['invalid_json', '{"source":"edge_logs","id":"\\ud800"}'],
  ['invalid_field', '{"source":"edge_logs","event_message":7}'],
  ['invalid_json', '{"source":"edge_logs","event_message":"x\\udc00"}'],
  ['invalid_field', '{"source":"edge_logs","project":{}}'],
  ['invalid_json', '{"source":"edge_logs","project":"\\ud800"}'],
  ['invalid_timestamp', '{"source":"edge_logs","timestamp":"NaN"}'],
  ['invalid_json', '{"source":"edge_logs","timestamp":NaN}'],
  ['too_far_ahead', '{"source":"edge_logs","timestamp":1e400}'],
  ['too_old', '{"source":"edge_logs","timestamp":-1e400}'],
  ['invalid_field', '{"source":"edge_logs","metadata":1}'],
  ['invalid_field', '{"source":"function_edge_logs","metadata":[null]}'],
  ['invalid_json', '{"source":"edge_logs"'],
]

/** Valid lines with hot fields of a wrong type. The record is accepted without the wrong fields. */
const ODD: readonly string[] = [
  '{"source":"edge_logs","metadata":{"request":{"url":7,"path":"/rest"}}}',
  '{"source":"edge_logs","metadata":{"request":{"url":{},"path":[]}}}',
  '{"source":"function_edge_logs","metadata":{"function_id":[],"execution_time_ms":"x"}}',
  '{"source":"function_edge_logs","metadata":{"execution_time_ms":1e400,"response":{"status_code":1e400}}}',
  '{"source":"function_edge_logs","metadata":{"response":{"status_code":"NaN"}}}',
]

describe('I8: batch poison', { timeout: TIMEOUT_MS }, () => {
  it.each(BAD)('I8: of 10,000 rows one is refused, for %s, and 9,999 are served: %s', async (reason, bad) => {
    const found = withLine(bad)
    expect(found.rejects.map(({ line, reason, bytes }) => [line, reason, Buffer.from(bytes).toString()])).toEqual([
      [PLACE + 1, reason, bad],
    ])
    expect(isDeepStrictEqual(found.rows, GOOD_ROWS)).toBe(true)
    expect(await countRows(found)).toEqual(ALL)
  })

  it.each(ODD)('I8: leaves 9,999 rows as they are: %s', async (odd) => {
    const found = withLine(odd)
    expect([found.rejects, found.rows.length]).toEqual([[], ROWS + 1])
    const others = found.rows.filter(({ id }) => String(id).startsWith('id '))
    expect(isDeepStrictEqual(others, GOOD_ROWS)).toBe(true)
    expect(await countRows(found)).toEqual({ ...ALL, stored: ROWS + 1 })
  })
})
