import { WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { LINES_LIMITS, type LinesLimits } from '../../src/otlp/lines.js'
import type { Attributes, LogRecord, Value } from '../../src/otlp/request.js'
import { type Encoding, translate } from '../../src/otlp/translate.js'
import { isReadRight } from '../support/json.js'
import { runs } from '../support/runs.js'
import { asJson, asProtobuf, messageOf, put, type Sent, type SentScope, writeRecord } from './encode.js'

const linesOf = (bytes: Uint8Array, encoding: Encoding, limits: Partial<LinesLimits> = {}) => {
  const text = Buffer.from(translate(bytes, encoding, { ...LINES_LIMITS, ...limits })).toString()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text.split('\n').slice(0, -1)
}
const jsonLines = (json: unknown, limits?: Partial<LinesLimits>) =>
  linesOf(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), 'json', limits)
const both = (request: readonly Sent[], limits?: Partial<LinesLimits>) => {
  const [json, protobuf] = [linesOf(asJson(request), 'json', limits), linesOf(asProtobuf(request), 'protobuf', limits)]
  expect(protobuf).toEqual(json)
  return json
}
const one = (record: Partial<LogRecord>, resource?: Attributes, scope?: SentScope['scope']) =>
  both([{ resource, scopes: [{ scope, records: [record] }] }]).join('\n')
const withRecords = (...records: unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: records }] }] })
const map = (object: Record<string, Value>) => new Map(Object.entries(object))

const NANOS = 1_700_000_000_123_456_789n

describe('a log record', () => {
  const full: Partial<LogRecord> = {
    timeUnixNano: NANOS,
    observedTimeUnixNano: NANOS + 1n,
    severityNumber: 9,
    severityText: 'INFO',
    eventName: 'request.done',
    body: 'GET | 200',
    attributes: [
      ['request.path', '/x'],
      ['execution_time_ms', 1.5],
      ['logweir.id', 'id-1'],
    ],
    flags: 1,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
  }
  const resource: Attributes = [
    ['logweir.source', 'edge_logs'],
    ['service.name', 'api'],
    ['logweir.project', 'p'],
  ]

  test('is one line', () => {
    const scope = { name: 'lib', version: '1.0', attributes: [['a.b', true]] as Attributes }
    expect(one(full, resource, scope)).toBe(
      '{"source":"edge_logs","project":"p","id":"id-1","timestamp":1700000000123456789,"event_message":"GET | 200",' +
        '"metadata":{"execution_time_ms":1.5,"request":{"path":"/x"},"severity_text":"INFO","severity_number":9,' +
        '"event_name":"request.done","trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331",' +
        '"trace_flags":1,"resource":{"service":{"name":"api"}},' +
        '"scope":{"name":"lib","version":"1.0","attributes":{"a":{"b":true}}}}}',
    )
  })

  test.each<[string, Partial<LogRecord>, Attributes, string]>([
    ['nothing', {}, [], '{"metadata":{}}'],
    [
      'empty texts for source and project',
      {},
      [
        ['logweir.source', ''],
        ['logweir.project', ''],
      ],
      '{"metadata":{}}',
    ],
    [
      'no texts for them',
      {},
      [
        ['logweir.source', 5n],
        ['logweir.project', true],
      ],
      '{"source":5,"project":true,"metadata":{}}',
    ],
    [
      'a source twice',
      {},
      [
        ['logweir.source', 'a'],
        ['logweir.source', 'b'],
      ],
      '{"source":"b","metadata":{}}',
    ],
    [
      'those names on the record',
      { attributes: [['logweir.source', 'a']] },
      [],
      '{"metadata":{"logweir":{"source":"a"}}}',
    ],
    ['an observed time only', { observedTimeUnixNano: NANOS }, [], '{"timestamp":1700000000123456789,"metadata":{}}'],
    [
      'a time that is none of nanoseconds',
      { timeUnixNano: 1_700_000_000_123n },
      [],
      '{"timestamp":"1970-01-01T00:28:20.000Z","metadata":{}}',
    ],
    ['the latest time', { timeUnixNano: 2n ** 64n - 1n }, [], '{"timestamp":18446744073709551615,"metadata":{}}'],
    ['an empty body', { body: '' }, [], '{"event_message":"","metadata":{}}'],
    ['a body of no value', { body: null }, [], '{"metadata":{}}'],
    ['a number as body', { body: 12345678901234567n }, [], '{"event_message":"12345678901234567","metadata":{}}'],
    ['a map as body', { body: map({ a: [1n, 'x'] }) }, [], '{"event_message":"{\\"a\\":[1,\\"x\\"]}","metadata":{}}'],
    ['ids of zeros', { traceId: '00'.repeat(16), spanId: '00'.repeat(8) }, [], '{"metadata":{}}'],
    [
      'attributes in the place of what we add',
      {
        severityText: 'x',
        attributes: [
          ['severity_text', 'y'],
          ['resource', 1n],
        ],
      },
      [['a', 1n]],
      '{"metadata":{"severity_text":"y","resource":1,"otel.severity_text":"x","otel.resource":{"a":1}}}',
    ],
  ])('of %s', (_, record, attributes, line) => {
    expect(one(record, attributes)).toBe(line)
  })

  test('comes with those of its resource and scope, in order', () => {
    const scopes = (prefix: string) =>
      [1, 2].map((i) => ({ records: [1, 2].map((j) => ({ body: `${prefix}${i}${j}` })) }))
    const request = ['a', 'b'].map((name) => ({
      resource: [['logweir.source', name]] as Attributes,
      scopes: scopes(name),
    }))
    const lines = both(request).map((line) => JSON.parse(line))
    expect(lines.map(({ source, event_message }) => source + event_message)).toEqual(
      ['a', 'b'].flatMap((name) => ['11', '12', '21', '22'].map((number) => name + name + number)),
    )
  })

  test('may be all that there is not', () => {
    for (const bytes of ['{}', '{"resourceLogs":[]}', '{"resourceLogs":null}', '{"resourceLogs":[{}]}']) {
      expect(jsonLines(bytes)).toEqual([])
    }
    expect(linesOf(new Uint8Array(), 'protobuf')).toEqual([])
    expect(both([{ scopes: [] }, { scopes: [{ records: [] }] }])).toEqual([])
  })
})

describe('requests at random', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', '"', '\\', '\u0000', '\ufeff', '\u2028', '__proto__'),
  )
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constant(null),
      fc.boolean(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      // JSON does not distinguish -0 from 0.
      fc.double().map((number) => number + 0),
      fc.uint8Array(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(text.filter(isReadRight), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    ),
  }))
  // Keys without dots, and without the keys that the translation adds: tables of cases cover the other keys.
  const key = fc.string({ unit: 'grapheme' }).map((name) => `k${name.replaceAll('.', '')}`)
  const attributes = fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 4 })
  const hex = (bytes: number) =>
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex'))
  const record = fc.record(
    {
      timeUnixNano: fc.bigInt({ min: 10n ** 17n, max: 2n ** 64n - 1n }),
      observedTimeUnixNano: fc.bigInt({ min: 10n ** 17n, max: 2n ** 64n - 1n }),
      severityNumber: fc.nat(24),
      severityText: text,
      eventName: text,
      body: value,
      attributes,
      flags: fc.nat(2 ** 32 - 1),
      traceId: hex(16),
      spanId: hex(8),
    },
    { requiredKeys: [] },
  )
  const scope = fc.record({ name: text, version: text, attributes })
  const request = fc.array(
    fc.record({
      resource: attributes,
      scopes: fc.array(fc.record({ scope, records: fc.array(record, { maxLength: 3 }) }), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  )

  /** Returns the value that `JSON.parse` would return. */
  const plain = (any: Value): unknown => {
    if (typeof any === 'bigint') return Number(any)
    if (typeof any === 'number') return Number.isFinite(any) ? any : String(any)
    if (any instanceof Uint8Array) return Buffer.from(any).toString('base64')
    if (Array.isArray(any)) return any.map(plain)
    return any instanceof Map ? plainObject([...any]) : any
  }
  const plainObject = (entries: Attributes) => Object.fromEntries(entries.map(([name, any]) => [name, plain(any)]))

  /** Returns timestamp and metadata of a record's line, by the rules of docs/otlp.md. */
  function expected({ resource = [] }: Sent, { scope = {} }: SentScope, sent: Partial<LogRecord>) {
    const { name, version, attributes: scopeAttributes = [] } = scope
    const metadata = {
      ...plainObject(sent.attributes ?? []),
      severity_text: sent.severityText || undefined,
      severity_number: sent.severityNumber || undefined,
      event_name: sent.eventName || undefined,
      trace_id: Number(`0x${sent.traceId || 0}`) === 0 ? undefined : sent.traceId,
      span_id: Number(`0x${sent.spanId || 0}`) === 0 ? undefined : sent.spanId,
      trace_flags: sent.flags || undefined,
      resource: resource.length > 0 ? plainObject(resource) : undefined,
      scope: {
        name: name || undefined,
        version: version || undefined,
        attributes: scopeAttributes.length > 0 ? plainObject(scopeAttributes) : undefined,
      } as object | undefined,
    }
    if (!name && !version && scopeAttributes.length === 0) metadata.scope = undefined
    return { timestamp: sent.timeUnixNano ?? sent.observedTimeUnixNano, metadata }
  }

  test('in JSON and in protobuf, in whatever order, are the lines that the rules say', () => {
    fc.assert(
      fc.property(request, (sent: Sent[]) => {
        const lines = both(sent)
        expect(linesOf(asProtobuf(sent, true), 'protobuf')).toEqual(lines)
        const wanted = sent.flatMap((part) =>
          part.scopes.flatMap((inner) =>
            inner.records.map((one) => ({ ...expected(part, inner, one), body: one.body })),
          ),
        )
        expect(lines.length).toBe(wanted.length)
        lines.forEach((line, i) => {
          const { metadata, event_message: message } = JSON.parse(line)
          const { timestamp, metadata: wantedMetadata, body = null } = wanted[i]!
          expect(metadata).toEqual(JSON.parse(JSON.stringify(wantedMetadata)))
          expect(/^\{"timestamp":(\d+),/.exec(line)?.[1]).toBe(timestamp?.toString())
          if (body === null || typeof body === 'string') expect(message).toBe(body ?? undefined)
          else expect(JSON.parse(message)).toEqual(plain(body))
        })
      }),
    )
  })
})

describe('JSON', () => {
  const attribute = (value: object) => withRecords({ attributes: [{ key: 'a', value }] })

  test.each<[object, string]>([
    [{ intValue: 5 }, '5'],
    [{ intValue: '-9223372036854775808' }, '-9223372036854775808'],
    [{ intValue: '007' }, '7'],
    [{ intValue: 1e21 }, '1e+21'],
    [{ doubleValue: '1.5' }, '1.5'],
    [{ doubleValue: 'NaN' }, '"NaN"'],
    [{ doubleValue: '-Infinity' }, '"-Infinity"'],
    [{ doubleValue: 1 }, '1'],
    [{ doubleValue: null }, 'null'],
    [{ stringValue: null, intValue: '1' }, '1'],
    [{ newKindOfValue: 1 }, '{"newKindOfValue":1}'],
    [{ bytesValue: 'AP8=' }, '"AP8="'],
    [{ kvlistValue: {} }, '{}'],
    [{ arrayValue: { values: [{}, null] } }, '[null,null]'],
  ])('has %j', (value, json) => {
    expect(jsonLines(attribute(value))).toEqual([`{"metadata":{"a":${json}}}`])
  })

  test('has long integers without quotes too', () => {
    const record =
      '{"timeUnixNano":1700000000123456789,"attributes":[{"key":"a","value":{"intValue":1234567890123456789}}]}'
    expect(jsonLines(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`)).toEqual([
      '{"timestamp":1700000000123456789,"metadata":{"a":1234567890123456789}}',
    ])
  })

  test('has ids in capital letters, names that nobody knows, and a byte order mark', () => {
    const record = { traceId: '0AF7', __proto__x: 1, resource_logs: [], severityNumber: null }
    expect(jsonLines(`\ufeff${JSON.stringify(withRecords(record))}`)).toEqual([
      '{"metadata":{"__proto__x":1,"resource_logs":[],"trace_id":"0af7"}}',
    ])
    const inherited = '{"resourceLogs":[{"__proto__":{"scopeLogs":[{"logRecords":[{}]}]}}]}'
    expect(refused(() => jsonLines(inherited))).toMatchObject({ code: 'invalid_body' })
  })

  const nested = (depth: number, inner = '{"intValue":1}'): string =>
    '{"arrayValue":{"values":['.repeat(depth) + inner + ']}}'.repeat(depth)
  const body = (any: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${any}}]}]}]}`

  test.each<[string, unknown, string]>([
    ['a record that is none', 5, 'a log record is not an object'],
    ['a time of text', { timeUnixNano: 'now' }, 'timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    ['a negative time', { timeUnixNano: -1 }, 'timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    ['a time in an array', { timeUnixNano: [1] }, 'timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    [
      'a time of too many digits',
      { observedTimeUnixNano: '9'.repeat(21) },
      'observedTimeUnixNano is neither nanoseconds since 1970 nor ISO 8601',
    ],
    ['an attribute that is none', { attributes: ['x'] }, 'an attribute is not an object'],
    ['a fraction as integer', { body: { intValue: 1.5 } }, 'intValue is not an integer'],
    ['an unknown severity', { severityNumber: 'LOUD' }, 'severityNumber is neither an integer nor a name of OTLP'],
    ['an id that is none', { traceId: 'x' }, 'traceId is neither hexadecimal nor base64 of 16 bytes'],
  ])('with %s costs that record alone', (_, record, what) => {
    const good = { body: { stringValue: 'good' } }
    const line = '{"event_message":"good","metadata":{}}'
    const [first, bad, last, ...none] = jsonLines(withRecords(good, record, good))
    expect([first, last, none]).toEqual([line, line, []])
    expect(JSON.parse(bad!)).toEqual({ metadata: `Not a log record of OTLP: ${what}.`, record: JSON.stringify(record) })
  })

  test('nests 128 levels of values, no more', () => {
    expect(JSON.parse(jsonLines(body(nested(128)))[0]!).event_message).toBe(`${'['.repeat(128)}1${']'.repeat(128)}`)
    const what = 'Not a log record of OTLP: a value is nested over 128 levels deep.'
    expect(JSON.parse(jsonLines(body(nested(129)))[0]!)).toEqual({ metadata: what, record: `{"body":${nested(129)}}` })
    // Nested too deeply for `JSON.stringify` of Node up to 24.
    const { metadata, record } = JSON.parse(jsonLines(body(nested(100_000)))[0]!)
    expect(metadata).toBe(what)
    expect(record === '' || record === `{"body":${nested(100_000)}}`).toBe(true)
  })

  test.each<[string, string | Uint8Array, string]>([
    ['no JSON', 'hello', 'it is not JSON: '],
    ['JSON that is cut off', '{"resourceLogs":[', 'it is not JSON: '],
    ['nothing', '', 'it is not JSON: '],
    ['no UTF-8', Buffer.from([0x7b, 0xff]), 'it is not JSON: '],
    ['an array', '[]', 'the body is not an object'],
    ['records of another kind', '{"batch":[]}', 'it has no resourceLogs'],
    ['resources that are none', '{"resourceLogs":1}', 'resourceLogs is neither a list nor an object'],
    ['a resource that is none', '{"resourceLogs":[1]}', 'an element of resourceLogs is not an object'],
    ['its attributes', '{"resourceLogs":[{"resource":[]}]}', 'resource is not an object'],
    ['a scope that is none', '{"resourceLogs":[{"scopeLogs":[{"scope":1}]}]}', 'scope is not an object'],
    [
      'records that are none',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":"x"}]}]}',
      'logRecords is neither a list nor an object',
    ],
  ])('that is %s is refused', (_, bytes, what) => {
    expect(refused(() => linesOf(Buffer.from(bytes), 'json'))).toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining(`The body is not an OTLP request of logs in JSON: ${what}`),
    })
  })

  test('of a million brackets is refused before it is read', () => {
    const brackets = (count: number) => `{"resourceLogs":[],"x":"${'['.repeat(count - 2)}"}`
    expect(jsonLines(brackets(1_000_000))).toEqual([])
    expect(refused(() => jsonLines(brackets(1_000_001)))).toEqual(
      new LogweirError(
        'body_too_large',
        'The body holds over 1000000 objects and arrays. Nothing of it was taken. Send smaller batches.',
      ),
    )
  })
})

describe('protobuf', () => {
  /** Returns a request with one ScopeLogs that `write` writes. */
  const request = (write: Parameters<typeof messageOf>[0]) =>
    messageOf((writer) => void put(writer, 1, (resourceLogs) => put(resourceLogs, 2, write)))
  const withRecord = (write: Parameters<typeof messageOf>[0]) => request((scopeLogs) => put(scopeLogs, 2, write))
  const { Varint, Bit32, Bit64, LengthDelimited, StartGroup, EndGroup } = WireType

  test('has fields that nobody knows, of every kind', () => {
    const bytes = withRecord((record) => {
      record
        .tag(100, Varint)
        .uint64(2n ** 64n - 1n)
        .tag(101, Bit32)
        .fixed32(1)
        .tag(102, Bit64)
        .fixed64(1)
      record.tag(103, LengthDelimited).string('x').tag(104, StartGroup).tag(1, Varint).uint32(1).tag(104, EndGroup)
      record.tag(7, Varint).uint32(3)
      writeRecord(record, { body: 'x' })
    })
    expect(linesOf(bytes, 'protobuf')).toEqual(['{"event_message":"x","metadata":{}}'])
  })

  test('has a message in two parts', () => {
    const part = (key: string) => (writer: Parameters<Parameters<typeof messageOf>[0]>[0]) =>
      put(writer, 1, (resource) => put(resource, 1, (entry) => entry.tag(1, LengthDelimited).string(key)))
    const bytes = messageOf((writer) =>
      put(writer, 1, (resourceLogs) => {
        part('a')(resourceLogs)
        put(resourceLogs, 2, (scopeLogs) => put(scopeLogs, 2, () => {}))
        part('b')(resourceLogs)
      }),
    )
    expect(linesOf(bytes, 'protobuf')).toEqual(['{"metadata":{"resource":{"a":null,"b":null}}}'])
  })

  const nested = (depth: number): Uint8Array => {
    let any = messageOf((writer) => void writer.tag(3, Varint).int64(1))
    for (let i = 0; i < depth; i++) {
      const inner = any
      any = messageOf((writer) => void put(writer, 5, (values) => values.tag(1, LengthDelimited).bytes(inner)))
    }
    return messageOf((writer) => void writer.tag(5, LengthDelimited).bytes(any))
  }
  const raw = (bytes: readonly number[]) => Uint8Array.from(bytes)

  test.each<[string, Uint8Array, string]>([
    ['a time that is a text', raw([0x0a, 1, 0x78]), 'field 1 of LogRecord has the wire type 2 in place of 1'],
    ['a body that is a number', raw([0x28, 1]), 'field 5 of LogRecord has the wire type 0 in place of 2'],
    ['a field that is cut off', raw([0x09, 1, 2]), 'LogRecord cannot be read: '],
    ['a length beyond its end', raw([0x1a, 5, 0x78]), 'LogRecord cannot be read: premature EOF'],
    ['a length beyond all', raw([0x32, 0xff, 0xff, 0xff, 0xff, 0x0f]), 'a length goes beyond the end'],
    [
      'a message within that ends too late',
      raw([0x2a, 2, 0x0a, 4, 0x61, 0x62, 0x63, 0x64]),
      'AnyValue does not end where it should',
    ],
    ['no tag', raw([0x07]), 'LogRecord cannot be read: illegal tag: field no 0 wire type 7'],
    ['a group that does not end', raw([0x7b]), 'LogRecord cannot be read: '],
    ['groups in groups', new Uint8Array(1000).fill(0x7b), 'LogRecord cannot be read: maximum recursion depth reached'],
    ['129 levels of values', nested(129), 'a value is nested over 128 levels deep'],
    ['10,000 levels of values', nested(10_000), 'a value is nested over 128 levels deep'],
  ])('with %s costs that record alone', (_, bad, what) => {
    const bytes = request((scopeLogs) => {
      for (const record of [raw([]), bad, raw([])]) scopeLogs.tag(2, LengthDelimited).bytes(record)
    })
    const [first, line, last, ...none] = linesOf(bytes, 'protobuf')
    expect([first, last, none]).toEqual(['{"metadata":{}}', '{"metadata":{}}', []])
    const { metadata, record } = JSON.parse(line!)
    expect(metadata.startsWith(`Not a log record of OTLP: ${what}`)).toBe(true)
    expect(record).toBe(Buffer.from(bad).toString('base64'))
  })

  test('nests 128 levels of values', () => {
    const bytes = request((scopeLogs) => void scopeLogs.tag(2, LengthDelimited).bytes(nested(128)))
    expect(JSON.parse(linesOf(bytes, 'protobuf')[0]!).event_message).toBe(`${'['.repeat(128)}1${']'.repeat(128)}`)
  })

  test.each<[string, Uint8Array, string]>([
    ['no protobuf', Buffer.from('{"resourceLogs":[]}'), 'ExportLogsServiceRequest cannot be read: '],
    [
      'protobuf that is cut off',
      asProtobuf([{ scopes: [{ records: [{ body: 'x' }] }] }]).slice(0, -1),
      'ExportLogsServiceRequest cannot be read: premature EOF',
    ],
    ['of another kind', raw([0x08, 1]), 'field 1 of ExportLogsServiceRequest has the wire type 0 in place of 2'],
    ['zeros', new Uint8Array(100), 'ExportLogsServiceRequest cannot be read: illegal tag'],
    ['broken in its resource', raw([0x0a, 2, 0x08, 1]), 'field 1 of ResourceLogs has the wire type 0 in place of 2'],
    ['broken in its scope', raw([0x0a, 4, 0x12, 2, 0x08, 1]), 'field 1 of ScopeLogs has the wire type 0 in place of 2'],
  ])('that is %s is refused', (_, bytes, what) => {
    expect(refused(() => linesOf(bytes, 'protobuf'))).toMatchObject({
      code: 'invalid_body',
      message: expect.stringContaining(`The body is not an OTLP request of logs in protobuf: ${what}`),
    })
  })

  test('of any bytes is lines or a refusal', () => {
    const start = asProtobuf([
      { resource: [['logweir.source', 'a']], scopes: [{ records: [{ body: map({ a: [1n, 0.5] }), traceId: 'ab' }] }] },
    ])
    const edit = fc.tuple(fc.nat(start.length - 1), fc.nat(255))
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), fc.nat(start.length), (edits, length) => {
        const bytes = start.slice(0, length)
        for (const [at, byte] of edits) if (at < length) bytes[at] = byte
        try {
          for (const line of linesOf(bytes, 'protobuf')) JSON.parse(line)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_body' })
        }
      }),
      { numRuns: runs(2_000) },
    )
  })
})

describe('the bounds of a request', () => {
  const tooMany = 'The body holds over 3 records. Nothing of it was taken. Send smaller batches.'
  const records = (count: number) => [{ scopes: [{ records: Array(count).fill({ body: 'x' }) }] }]

  test.each<Encoding>(['json', 'protobuf'])('are of its records, in %s', (encoding) => {
    const bytesOf = { json: asJson, protobuf: asProtobuf }[encoding]
    expect(linesOf(bytesOf(records(3)), encoding, { records: 3 }).length).toBe(3)
    expect(refused(() => linesOf(bytesOf(records(4)), encoding, { records: 3 }))).toEqual(
      new LogweirError('body_too_large', tooMany),
    )
  })

  test('are of its lines, which repeat their resource', () => {
    const linesBytes = 1024 * 1024
    const sent = (count: number): Sent[] => [
      { resource: [['a', 'é'.repeat(50_000)]], scopes: [{ records: Array(count).fill({}) }] },
    ]
    expect(both(sent(10), { linesBytes }).length).toBe(10)
    expect(refused(() => linesOf(asProtobuf(sent(11)), 'protobuf', { linesBytes }))).toMatchObject({
      code: 'body_too_large',
      message: expect.stringMatching(/^The records of the body take over 1 MiB as lines/),
    })
  })
})

/** Returns the error of a call. Throws if there is none. */
function refused(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('the call did not throw')
}
