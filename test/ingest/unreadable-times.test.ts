import { describe, expect, it } from 'vitest'
import { HOUR_US } from '../../src/base/units.js'
import { NOW_US, type ParseOptions, parse, reasonOf, rowOf } from './parsing.js'

const ACCEPTED: ParseOptions = { acceptsUnreadableTimes: true }

const rest = (more: object) => ({ source: 'postgrest_logs', ...more })

describe('a time that cannot be read, if that is accepted', () => {
  it.each([
    ['yesterday'],
    [''],
    ['20/Nov/2026:10:00:00 +0000'],
    ['2026-02-30T10:00:00Z'],
    ['2026-11-20T24:00:00Z'],
    ['\ud800'],
    [true],
    [{}],
    [{ seconds: 1 }],
    [[NOW_US]],
  ])('%j becomes the time of receipt, and stays in the metadata', (timestamp) => {
    expect(rowOf(rest({ timestamp, metadata: { host: 'h' } }), ACCEPTED)).toMatchObject({
      timestamp: BigInt(NOW_US),
      metadata: JSON.stringify({ host: 'h', timestamp }),
    })
    expect(reasonOf(rest({ timestamp }))).toBe('invalid_timestamp')
  })

  it('stays as it is spelled, in the first object of a list, and next to other fields', () => {
    const line = '{"source":"edge_logs","timestamp": "\\u0041t noon" ,"a":1.0,"metadata":[{"b":2},{}]}'
    expect(rowOf(line, ACCEPTED).metadata).toBe('[{"b":2,"timestamp": "\\u0041t noon","a":1.0},{}]')
    expect(rowOf('{"timestamp":"noon","source":"edge_logs"}', ACCEPTED).metadata).toBe('{"timestamp":"noon"}')
  })

  it('gives way to a field of the metadata with its name, as any other field', () => {
    expect(rowOf(rest({ timestamp: 'noon', metadata: { timestamp: null } }), ACCEPTED).metadata).toBe(
      '{"timestamp":null}',
    )
  })

  it('is that of the first time field that is present; the others stay too', () => {
    const names = { ...ACCEPTED, timeField: ['ts', 'timestamp'] }
    const timestamp = '2026-11-20T11:00:00Z'
    expect(rowOf(rest({ ts: 'noon', timestamp }), names)).toMatchObject({
      timestamp: BigInt(NOW_US),
      metadata: JSON.stringify({ ts: 'noon', timestamp }),
    })
    expect(rowOf(rest({ ts: null, timestamp }), names)).toMatchObject({
      timestamp: BigInt(NOW_US - HOUR_US),
      metadata: '{}',
    })
  })

  it('is read as the field that it is in the metadata', () => {
    const request = { url: 'https://a.co/rest', path: '/rest', method: 'GET' }
    const row = rowOf({ source: 'edge_logs', request }, { ...ACCEPTED, timeField: ['request'] })
    // Bits 0, 3 and 4 are url, request.method and request.path: hot columns that the metadata answers for.
    expect([row.metadata, (row.in_metadata as number) & 0b11001]).toEqual([JSON.stringify({ request }), 0b11001])
  })

  it.each([
    [0, 'too_old'],
    ['0001-01-01', 'too_old'],
    [1e300, 'too_far_ahead'],
    ['9999-12-31', 'too_far_ahead'],
  ])('is another thing than %j, which is refused', (timestamp, reason) => {
    expect(reasonOf(rest({ timestamp }), ACCEPTED)).toBe(reason)
  })

  it.each([
    [rest({ timestamp: 'noon', id: 7 }), 'invalid_field'],
    [rest({ timestamp: 'noon', event_message: '\ud800' }), 'invalid_json'],
    [{ timestamp: 'noon' }, 'missing_source'],
  ])('excuses no other fault: %j', (record, reason) => expect(reasonOf(record, ACCEPTED)).toBe(reason))

  it('is counted in its batch', () => {
    const record = (i: number) => ({
      source: i % 3 === 0 ? 'edge_logs' : 'auth_logs',
      timestamp: i % 2 === 0 ? 'noon' : NOW_US,
    })
    const lines = Array.from({ length: 24 }, (_, i) => JSON.stringify(record(i))).join('\n')
    const countsOf = (options: ParseOptions) =>
      parse(lines, { batchRows: 6, ...options }).batches.map((batch) => [
        batch.source,
        batch.rows,
        batch.unreadableTimes,
      ])
    expect(countsOf(ACCEPTED)).toEqual([
      ['auth_logs', 6, 3],
      ['edge_logs', 6, 3],
      ['auth_logs', 6, 3],
      ['edge_logs', 2, 1],
      ['auth_logs', 4, 2],
    ])
    expect(countsOf({})).toEqual([
      ['auth_logs', 6, 0],
      ['edge_logs', 4, 0],
      ['auth_logs', 2, 0],
    ])
  })
})
