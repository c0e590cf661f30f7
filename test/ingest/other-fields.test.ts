import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyParser } from '../../src/ingest/body/body.js'
import { runs } from '../support/runs.js'
import { NOW_US, type ParseOptions, parse, RETENTION_US, reasonOf, rowOf, rowsOf } from './parsing.js'

type Fields = Record<string, unknown>

const metadataOf = (record: unknown, options?: ParseOptions) => rowOf(record, options).metadata as string
const edge = (more: object) => ({ source: 'edge_logs', ...more })

describe('other fields', () => {
  it.each<[string, string]>([
    // appended after the metadata's fields, spelling unchanged
    ['{"level":"error","orderId":4711,"stack":"Error: x"}', '{"level":"error","orderId":4711,"stack":"Error: x"}'],
    ['{"level":30,"metadata":{"a":1}}', '{"a":1,"level":30}'],
    ['{"metadata":{"a":1},"level":30}', '{"a":1,"level":30}'],
    ['{"a":1,"metadata":{},"b":2}', '{"a":1,"b":2}'],
    ['{"a":1,"metadata":null,"b":2}', '{"a":1,"b":2}'],
    [
      '{ "a" : 1.0 , "metadata" : { "b" : 1e5 } , "c":12345678901234567890 }',
      '{ "b" : 1e5 ,"a" : 1.0,"c":12345678901234567890}',
    ],
    ['{"a":{"b":[1,{"c":"}]\\""}]},"d":" x ","e":true}', '{"a":{"b":[1,{"c":"}]\\""}]},"d":" x ","e":true}'],
    ['{"a":1\t,\r"b":2\r}\r', '{"a":1,"b":2}'],
    // null remains null
    ['{"a":null,"metadata":{"b":null}}', '{"b":null,"a":null}'],
    // the metadata's value wins, even null
    ['{"a":1,"metadata":{"a":2}}', '{"a":2}'],
    ['{"metadata":{"a":null},"a":1,"b":2}', '{"a":null,"b":2}'],
    ['{"\\u0061":1,"metadata":{"a":2}}', '{"a":2}'],
    ['{"a":1,"metadata":{"\\u0061":2}}', '{"\\u0061":2}'],
    ['{"é😀":1,"metadata":{"\\u00e9\\ud83d\\ude00":2}}', '{"\\u00e9\\ud83d\\ude00":2}'],
    ['{"\\ud800":1,"metadata":{"\\ud801":2}}', '{"\\ud801":2,"\\ud800":1}'],
    ['{"\\ufffd":1,"metadata":{"\\ud801":2}}', '{"\\ud801":2,"\\ufffd":1}'],
    ['{"a\\n":1,"a\\\\n":2,"metadata":{"a\\u000a":3}}', '{"a\\u000a":3,"a\\\\n":2}'],
    ['{"":1,"metadata":{"":2}}', '{"":2}'],
    ['{"__proto__":1,"constructor":2,"metadata":{"__proto__":3}}', '{"__proto__":3,"constructor":2}'],
    // in an array the fields are added to the first object
    ['{"a":1,"metadata":[{"b":2},{"a":3}]}', '[{"b":2,"a":1},{"a":3}]'],
    ['{"a":1,"metadata":[{"a":2},{"c":3}]}', '[{"a":2},{"c":3}]'],
    ['{"a":1,"metadata":[ ]}', '[{"a":1}]'],
    ['{"a":1,"metadata":[{}]}', '[{"a":1}]'],
    // the last of equal keys wins
    ['{"a":1,"b":2,"a":3}', '{"b":2,"a":3}'],
    ['{"a":1,"\\u0061":{"b":3}}', '{"\\u0061":{"b":3}}'],
    ['{"a":1,"metadata":{"a":2},"metadata":{"b":3}}', '{"b":3,"a":1}'],
    ['{"metadata":{"a":2},"a":1,"metadata":null}', '{"a":1}'],
    ['{"metadata":{"a":2},"a":1,"m\\u0065tadata":[{"a":3}]}', '[{"a":3}]'],
    // fields with a meaning of their own are not other fields
    ['{"id":"i","project":"p","timestamp":0,"event_message":"m"}', '{}'],
    ['{"id":null,"project":null,"timestamp":null,"event_message":null,"message":null,"metadata":null}', '{}'],
    ['{"message":"m"}', '{}'],
    ['{"event_message":"e","message":"m"}', '{"message":"m"}'],
    ['{"event_message":"e","message":{"a":1}}', '{"message":{"a":1}}'],
    ['{"event_message":"e","event_message":null,"message":"m"}', '{}'],
    ['{"event_message":"a","message":"m","event_message":"e","message":"n"}', '{"message":"n"}'],
  ])('%s are stored as %s', (record, metadata) => {
    const text = record.replace('{', '{"source":"edge_logs",')
    // Twice, since the keys of the first line are expected in the second.
    const { rows } = parse(`${text}\n${text}`, { retentionUs: 1e18 })
    expect(rows.map((row) => row.metadata)).toEqual([metadata, metadata])
    expect(JSON.parse(metadata)).toBeTypeOf('object')
  })

  it('are read as fields of the metadata', () => {
    const request = { url: 'https://x.co/rest/v1', path: '/rest/v1' }
    expect(rowOf(edge({ request, metadata: { a: 1 } }))).toMatchObject({ url: request.url, path: 1 })
    expect(rowOf(edge({ metadata: { request: {} }, request }))).toMatchObject({ url: null, path: 0 })
    expect(rowOf(edge({ request: [request], metadata: [] }))).toMatchObject({ url: request.url, path: 1 })
    const relay = {
      source: 'function_edge_logs',
      function_id: 'f',
      execution_time_ms: 1.5,
      response: { status_code: 500 },
    }
    expect(rowOf({ ...relay, project_ref: 'p' })).toMatchObject({
      project: 'p',
      function_id: 'f',
      execution_time_ms: 1.5,
      status_code: 500,
    })
    expect(rowOf({ ...relay, metadata: { function_id: null, response: null } })).toMatchObject({
      function_id: null,
      execution_time_ms: 1.5,
      status_code: null,
    })
  })

  it('do not excuse a metadata of the wrong type', () => {
    for (const metadata of ['text', 7, [1], [{}, 1], [[{}]], true]) {
      expect(reasonOf(edge({ a: 1, metadata }))).toBe('invalid_field')
    }
  })

  it('of every length and number fit', () => {
    const all = Array.from({ length: 80 }, (_, length) =>
      Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}${'k'.repeat(i)}`, 'v'.repeat(i)])),
    )
    const metadataIn = (records: readonly object[], options?: ParseOptions) =>
      parse(records.map((fields) => JSON.stringify(edge(fields))).join('\n'), options).rows.map(
        ({ metadata }) => metadata,
      )
    const merged = all.map((fields) => JSON.stringify({ '': 1, ...fields }))
    expect(metadataIn(all, { maxLineBytes: 20_000 })).toEqual(all.map((fields) => JSON.stringify(fields)))
    expect(metadataIn(all.map((fields) => ({ ...fields, metadata: { '': 1 } })))).toEqual(merged)
    for (const length of [0, 1, 40, 79]) {
      expect(metadataOf(edge({ ...all[length], metadata: { '': 1 } }))).toBe(merged[length])
    }
  })

  it('take time in proportion to the line, however many they are', () => {
    const many = Array.from({ length: 60_000 }, (_, i) => `"${i}":1`)
    const line = `{"source":"edge_logs",${many.join()},"metadata":{${many.slice(0, 30_000).join()}}}`
    const merged = JSON.parse(metadataOf(line))
    expect(Object.keys(merged)).toHaveLength(60_000)
    // The fields outgrow the buffer that the lines of a scan share. There are lines before and after.
    const lines = ['{"source":"edge_logs","a":1}', line, line, '{"source":"edge_logs","b":2}']
    expect(parse(lines.join('\n')).rows.map(({ metadata }) => (metadata as string).length)).toEqual([
      7,
      ...Array(2).fill(JSON.stringify(merged).length),
      7,
    ])
  })

  it('of a line that is too long are not looked at', () => {
    const members = Array.from({ length: 5_000 }, () => '"":0').join()
    const { rows, rejects } = parse(`{"source":"edge_logs",${members}}\n{"source":"edge_logs","a":1}`, {
      maxLineBytes: 1_000,
    })
    expect(rejects.map(({ reason }) => reason)).toEqual(['line_too_long'])
    expect(rows.map(({ metadata }) => metadata)).toEqual(['{"a":1}'])
  })
})

describe('the names of time and message', () => {
  const at = '2026-11-20T11:00:00Z'
  const atUs = BigInt(Date.parse(at) * 1000)
  const names: ParseOptions = {
    timeField: ['time', 'ts', 'timestamp'],
    messageField: ['msg', 'log', 'MESSAGE', 'ログ'],
  }

  it.each<[Fields, Fields]>([
    [
      { level: 30, time: at, msg: 'hello' },
      { event_message: 'hello', metadata: '{"level":30}' },
    ],
    [
      { time: at, log: 'hello\n', stream: 'stdout' },
      { event_message: 'hello\n', metadata: '{"stream":"stdout"}' },
    ],
    [
      { ts: at, time: null, MESSAGE: 'm', msg: null },
      { event_message: 'm', metadata: '{}' },
    ],
    [
      { timestamp: at, log: 'l', msg: 'm' },
      { event_message: 'm', metadata: '{"log":"l"}' },
    ],
    [
      { time: at, timestamp: 'x', event_message: 7, msg: 'm' },
      { event_message: 'm', metadata: '{"timestamp":"x","event_message":7}' },
    ],
    [
      { time: at, event_message: null, msg: 'm' },
      { event_message: 'm', metadata: '{"event_message":null}' },
    ],
    [
      { time: at, message: 'no', ログ: 'm' },
      { event_message: 'm', metadata: '{"message":"no"}' },
    ],
    [
      { time: at, message: 'no' },
      { event_message: '', metadata: '{"message":"no"}' },
    ],
  ])('%j', (record, row) => {
    expect(rowOf(edge(record), names)).toMatchObject({ timestamp: atUs, ...row })
  })

  it('may be spelled with escapes', () => {
    const line = `{"source":"edge_logs","t\\u0069me":"${at}","\\u30ed\\u30b0":"m"}`
    expect(rowOf(line, names)).toMatchObject({ timestamp: atUs, event_message: 'm', metadata: '{}' })
  })

  it('decide what is judged', () => {
    expect(reasonOf(edge({ time: 'x', timestamp: at }), names)).toBe('invalid_timestamp')
    expect(reasonOf(edge({ time: {} }), names)).toBe('invalid_timestamp')
    expect(reasonOf(edge({ msg: 7 }), names)).toBe('invalid_field')
    expect(reasonOf(edge({ event_message: 7, timestamp: 'x' }), { ...names, timeField: ['t'] })).toBeUndefined()
  })

  it('are those of each body', () => {
    const rows: Fields[] = []
    const parser = createBodyParser(
      { retentionUs: RETENTION_US },
      { batch: (batch) => rows.push(...rowsOf(batch)), reject: () => {} },
    )
    const take = (fieldNames?: { time: string[]; message: string[] }) => {
      const bytes = Buffer.from(JSON.stringify(edge({ time: at, msg: 'a', message: 'b' })))
      parser.parse({ bytes, form: 'json', defaults: { fieldNames } }, NOW_US)
      parser.flush()
    }
    take({ time: ['time'], message: ['msg'] })
    take()
    expect(rows.map(({ event_message, metadata }) => [event_message, metadata])).toEqual([
      ['a', '{"message":"b"}'],
      ['b', `{"time":"${at}","msg":"a"}`],
    ])
  })
})

describe('any record', () => {
  const KEYS = [
    'source',
    'id',
    'timestamp',
    'event_message',
    'message',
    'msg',
    'time',
    'project',
    'a',
    'b',
    '',
    '__proto__',
    'é"\n',
    'k'.repeat(40),
  ]
  const leaf = fc.constantFrom<unknown>('text', 'é"\\\n', 7, -0.5, true, null, [], {}, [1, { a: '}' }])
  const members = fc.array(fc.tuple(fc.constantFrom(...KEYS), leaf), { maxLength: 12 })
  const objects = members.map((pairs) => JSON.parse(textOf(pairs)))
  const metadata = fc.oneof(objects, fc.array(objects, { maxLength: 2 }), fc.constant(null), fc.constant(undefined))

  /** Returns a JSON object in which keys may repeat. The last of equal keys wins. */
  function textOf(pairs: readonly (readonly [string, unknown])[]): string {
    return `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`
  }

  /** Returns the metadata to be stored, computed with JSON.parse alone. */
  function expected(record: Fields, time: readonly string[], message: readonly string[]): unknown {
    const present = (name: string) => Object.hasOwn(record, name) && record[name] !== null
    const read = ['id', 'project', 'metadata', time.find(present), message.find(present)]
    const nullIsAbsent = ['source', ...time, ...message]
    const others = Object.entries(record).filter(
      ([key, value]) => !read.includes(key) && !(value === null && nullIsAbsent.includes(key)),
    )
    const merge = (object: object) =>
      Object.fromEntries([...Object.entries(object), ...others.filter(([key]) => !Object.hasOwn(object, key))])
    if (!Array.isArray(record.metadata)) return merge(record.metadata ?? {})
    const [first = {}, ...rest] = record.metadata
    return record.metadata.length === 0 && others.length === 0 ? [] : [merge(first), ...rest]
  }

  it('keeps each field in one place', () => {
    const times = fc.constantFrom<readonly string[]>(['timestamp'], ['time', 'timestamp'], ['b'])
    const messages = fc.constantFrom<readonly string[]>(
      ['event_message', 'message'],
      ['msg'],
      ['a', 'msg', 'event_message'],
    )
    const records = fc.array(fc.tuple(members, metadata, fc.nat(12)), { minLength: 10, maxLength: 60, size: 'max' })
    fc.assert(
      fc.property(records, times, messages, (drawn, time, message) => {
        const lines = drawn.map(([pairs, sentMetadata, at]) => {
          const good = pairs.map(([key, value]): [string, unknown] => {
            if (key === 'id' || key === 'project' || message.includes(key)) return [key, value === null ? null : 'text']
            return [key, time.includes(key) && value !== null ? NOW_US : value]
          })
          if (sentMetadata !== undefined) good.splice(at, 0, ['metadata', sentMetadata])
          return textOf(good)
        })
        const options = { defaultSource: 'edge_logs', timeField: time, messageField: message }
        const { rows } = parse(lines.join('\n'), options)
        // Compares texts, so that `__proto__` is compared like any other key.
        expect(rows.map((row) => sorted(JSON.parse(row.metadata as string)))).toEqual(
          lines.map((line) => sorted(expected(JSON.parse(line), time, message))),
        )
      }),
      { numRuns: runs(100) },
    )
  }, 60_000)

  const sorted = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(sorted).join()}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${sorted(inner)}`)
    return `{${members.toSorted().join()}}`
  }
})
