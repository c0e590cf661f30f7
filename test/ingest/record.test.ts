import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../src/base/units.js'
import { SOURCES } from '../../src/common/sources.js'
import { NOW_US, parse, RETENTION_US, reasonOf, rowOf } from './parsing.js'

const edge = (more: object = {}) => ({ source: 'edge_logs', id: '1', timestamp: NOW_US, ...more })
const relay = (metadata: unknown) => rowOf({ source: 'function_edge_logs', metadata })

describe('source', () => {
  it.each(SOURCES)('$name by name and by alias $alias', ({ name, alias }) => {
    expect(rowOf({ source: name })).toMatchObject({ source: name })
    expect(rowOf({ source: alias })).toMatchObject({ source: name })
    expect(rowOf({ source: alias }, { defaultSource: 'pgbouncer_logs' })).toMatchObject({ source: name })
  })

  it('may be named for the whole stream', () => {
    expect(rowOf({}, { defaultSource: 'deno-relay-logs' })).toMatchObject({ source: 'function_edge_logs' })
    expect(rowOf({ source: null }, { defaultSource: 'edge_logs' })).toMatchObject({ source: 'edge_logs' })
  })

  it('may be written with escapes', () => {
    expect(rowOf('{"\\u0073ource":"edg\\u0065_logs"}')).toMatchObject({ source: 'edge_logs' })
  })

  it.each([
    [{}, 'missing_source'],
    [{ source: null }, 'missing_source'],
    [{ source: 'edge_log' }, 'unknown_source'],
    [{ source: 'EDGE_LOGS' }, 'unknown_source'],
    [{ source: '' }, 'unknown_source'],
    [{ source: '\ud800' }, 'unknown_source'],
    [{ source: '__proto__' }, 'unknown_source'],
    [{ source: 7 }, 'invalid_field'],
    [{ source: ['edge_logs'] }, 'invalid_field'],
    [{ source: {} }, 'invalid_field'],
    [{ source: false }, 'invalid_field'],
  ])('%j is refused', (record, reason) => expect(reasonOf(record)).toBe(reason))

  it.each([
    7,
    'x',
    '',
    { ip: '::1' },
    ['edge_logs'],
    false,
  ])('%j is another field if the stream names one', (source) => {
    const row = rowOf({ source, metadata: { a: 1 } }, { defaultSource: 'edge_logs' })
    expect(row).toMatchObject({ source: 'edge_logs', metadata: JSON.stringify({ a: 1, source }) })
  })
})

describe('project', () => {
  const values: Record<string, string> = { project: 'a', 'metadata.project': 'b', 'metadata.project_ref': 'c' }
  const places = Object.keys(values)

  it.each(SOURCES)('of $name is read from its places in order', ({ name, projectPlaces }) => {
    for (let left = 0; left < 8; left++) {
      const has = (place: string) => (left >> places.indexOf(place)) & 1
      const record = {
        source: name,
        project: has('project') ? 'a' : null,
        metadata: { project: has('metadata.project') ? 'b' : 7, project_ref: has('metadata.project_ref') ? 'c' : null },
      }
      const wanted = projectPlaces.find((place) => has(place))
      expect(rowOf(record).project).toBe(wanted === undefined ? null : values[wanted])
    }
  })

  it('that is empty is a project', () => {
    expect(rowOf(edge({ project: '', metadata: { project: 'b' } }))).toMatchObject({ project: '' })
  })
})

describe('I6: fields', () => {
  it('that are absent', () => {
    const row = rowOf('{"source":"edge_logs"}')
    expect(row).toEqual({
      source: 'edge_logs',
      timestamp: BigInt(NOW_US),
      project: null,
      url: null,
      path: 0,
      status_code: null,
      'request.method': null,
      'request.path': null,
      'request.headers.user_agent': null,
      'response.origin_time': null,
      in_metadata: 0,
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      event_message: '',
      metadata: '{}',
    })
    const nulls =
      '{"source":"edge_logs","id":null,"timestamp":null,"project":null,"event_message":null,"metadata":null}'
    expect(rowOf(nulls)).toEqual({ ...row, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(rowOf(nulls).id).not.toBe(rowOf(nulls).id)
  })

  it('keep their text', () => {
    const text = 'quote " back \\ slash / line \n tab \t nul \0 é € 😀 \u2028 \uffff'
    expect(rowOf(edge({ id: text, project: text, event_message: text }))).toMatchObject({
      id: text,
      project: text,
      event_message: text,
    })
    const long = `${'x'.repeat(65_536)}é`
    expect(rowOf(edge({ id: long, event_message: `${long}\n` }))).toMatchObject({
      id: long,
      event_message: `${long}\n`,
    })
    expect(rowOf(edge({ id: '' }))).toMatchObject({ id: '' })
  })

  it.each([
    '{"a":1.0,"b":1e5,"c":12345678901234567890,"d":-0,"e":1E400}',
    '[{"a": 1},\t{"b":[]}]',
    '{}',
    '[]',
    ' { } ',
  ])('metadata %s comes back as it came', (metadata) => {
    expect(rowOf(`{"source":"edge_logs","metadata":${metadata}}`).metadata).toBe(metadata.trim())
  })

  it.each([
    edge({ id: 7 }),
    edge({ id: {} }),
    edge({ id: true }),
    edge({ event_message: 7 }),
    edge({ event_message: [] }),
    edge({ project: 7 }),
    edge({ project: ['p'] }),
    { source: 'function_logs', project: false, metadata: { project_ref: 'fine' } },
    edge({ metadata: 'text' }),
    edge({ metadata: 7 }),
    edge({ metadata: [1] }),
    edge({ metadata: [{}, null] }),
    edge({ metadata: [[{}]] }),
  ])('%j is refused', (record) => expect(reasonOf(record)).toBe('invalid_field'))

  it.each(['id', 'project', 'event_message'])('a lone surrogate in %s is refused', (field) => {
    for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800', '\ud83d\\']) {
      expect(reasonOf(edge({ [field]: text }))).toBe('invalid_json')
    }
  })

  it('a lone surrogate counts in the project that is used, and nowhere else', () => {
    expect(reasonOf({ source: 'function_logs', metadata: { project_ref: '\ud800' } })).toBe('invalid_json')
    expect(reasonOf({ source: 'function_logs', project: '\ud800', metadata: { project_ref: 'p' } })).toBeUndefined()
    expect(rowOf(edge({ metadata: { request: { url: 'a\ud800b', path: '\udc00/rest' } } }))).toMatchObject({
      url: 'a\ufffdb',
      path: 1,
    })
  })
})

describe('I6: hot fields', () => {
  it('of an edge record', () => {
    const request = { url: 'https://é.co/rest/v1?a=%22', path: '/rest/v1' }
    expect(rowOf(edge({ metadata: { request } }))).toMatchObject({ url: request.url, path: 1 })
    expect(rowOf(edge({ metadata: [{ request: [request, { url: 'no' }] }, { request: {} }] }))).toMatchObject({
      url: request.url,
      path: 1,
    })
  })

  it.each([
    ['/rest/v1', 1],
    ['/storage', 2],
    ['x/auth', 4],
    ['/realtime/', 8],
    ['/rest/storage/auth/realtime', 15],
    ['/rest', 1],
    ['rest', 0],
    ['/res', 0],
    ['/Rest', 0],
    ['//rest', 1],
    ['', 0],
  ])('areas of %s', (path, flags) => {
    expect(rowOf(edge({ metadata: { request: { path } } })).path).toBe(flags)
    const escaped = JSON.stringify(path).replace('/', '\\/').replace('e', '\\u0065')
    expect(rowOf(`{"source":"edge_logs","metadata":{"request":{"path":${escaped}}}}`).path).toBe(flags)
  })

  it('of a function edge record', () => {
    const metadata = { project_ref: 'p', function_id: 'f', execution_time_ms: 12.5, response: { status_code: 503 } }
    const row = { project: 'p', function_id: 'f', execution_time_ms: 12.5, status_code: 503 }
    expect(relay(metadata)).toMatchObject(row)
    expect(relay([{ ...metadata, response: [metadata.response] }])).toMatchObject(row)
  })

  it.each([
    { function_id: 7, execution_time_ms: '12', response: { status_code: '200' } },
    { function_id: ['f'], execution_time_ms: [12], response: [[{ status_code: 1 }]] },
    { function_id: {}, execution_time_ms: true, response: 'x' },
    { function_id: null, execution_time_ms: null, response: null },
    {},
  ])('%j has none', (metadata) => {
    expect(relay(metadata)).toMatchObject({ function_id: null, execution_time_ms: null, status_code: null })
  })

  it.each([
    ['0', 0],
    ['-0', -0],
    ['-7', -7],
    ['1.0', 1],
    ['1e3', 1000],
    ['0.1', 0.1],
    ['123456789012345', 123456789012345],
    ['1234567890123456', 1234567890123456],
    ['12345678901234567890', 12345678901234567000],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', 5e-324],
    ['1e400', null],
    ['-1e400', null],
  ])('execution time %s', (text, value) => {
    const row = rowOf(`{"source":"function_edge_logs","metadata":{"execution_time_ms":${text}}}`)
    expect(row.execution_time_ms).toBe(value)
  })
})

describe('I7: timestamp', () => {
  it.each([
    ['2026-11-20T10:00:00.123456Z', Date.UTC(2026, 10, 20, 10) * 1000 + 123_456],
    ['2026-11-20T10:00:00\u002e5Z', Date.UTC(2026, 10, 20, 10) * 1000 + 500_000],
    [1795168800.123456, 1795168800_123456],
    [1795168800123, 1795168800_123000],
    [NOW_US - RETENTION_US, NOW_US - RETENTION_US],
    [NOW_US + DAY_US, NOW_US + DAY_US],
    [NOW_US - HOUR_US, NOW_US - HOUR_US],
  ])('%s', (timestamp, timestampUs) => expect(rowOf(edge({ timestamp })).timestamp).toBe(BigInt(timestampUs)))

  it('may be written with escapes', () => {
    expect(rowOf('{"source":"edge_logs","timestamp":"2026\\u002d11-20"}').timestamp).toBe(
      BigInt(Date.UTC(2026, 10, 20) * 1000),
    )
  })

  it.each([
    ['yesterday', 'invalid_timestamp'],
    ['', 'invalid_timestamp'],
    ['2026-11-20T24:00:00Z', 'invalid_timestamp'],
    ['NaN', 'invalid_timestamp'],
    ['\ud800', 'invalid_timestamp'],
    [true, 'invalid_timestamp'],
    [{}, 'invalid_timestamp'],
    [[NOW_US], 'invalid_timestamp'],
    [0, 'too_old'],
    [-1, 'too_old'],
    [-1e300, 'too_old'],
    ['0001-01-01', 'too_old'],
    [NOW_US - RETENTION_US - 1, 'too_old'],
    [NOW_US + DAY_US + 1, 'too_far_ahead'],
    ['9999-12-31', 'too_far_ahead'],
    [1e300, 'too_far_ahead'],
  ])('%j is refused', (timestamp, reason) => expect(reasonOf(edge({ timestamp }))).toBe(reason))

  it('is exact down to the epoch and before it', () => {
    const timestamps = ['1969-12-31T23:59:59.999999Z', '1970-01-01', '1970-01-01T01:11:34.967296Z', '1900-01-01']
    const { rows } = parse(timestamps.map((timestamp) => JSON.stringify(edge({ timestamp }))).join('\n'), {
      retentionUs: 1e17,
    })
    const us = timestamps.map((text) => BigInt(Date.parse(text)) * 1000n)
    expect(rows.map(({ timestamp }) => timestamp)).toEqual([-1n, 0n, 4294967296n, us[3]])
  })
})

describe('the order of judging', () => {
  const invalid = { id: 7, timestamp: 'x', event_message: '\ud800', metadata: 7 }
  it.each([
    ['{"source":1,}', 'invalid_json'],
    ['[]', 'not_an_object'],
    [JSON.stringify(invalid), 'missing_source'],
    [JSON.stringify({ ...invalid, source: 'x' }), 'unknown_source'],
    [JSON.stringify({ ...invalid, source: 'edge_logs' }), 'invalid_field'],
    [JSON.stringify({ ...invalid, source: 'edge_logs', id: 'a', metadata: {} }), 'invalid_json'],
    [
      JSON.stringify({ ...invalid, source: 'edge_logs', id: 'a', metadata: {}, event_message: '' }),
      'invalid_timestamp',
    ],
  ])('%s', (line, reason) => expect(reasonOf(line)).toBe(reason))
})
