/**
 * Mistakes of exporters in OTLP/JSON, at every level of the message. Each form is stored whole, rejected or refused,
 * and never accepted in part.
 */
import { describe, expect, test } from 'vitest'
import { outcomeOf } from './outcome.js'

const outcomes = (json: unknown) =>
  outcomeOf(Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)), 'json')

type Forms = [form: string, json: unknown, outcome: string[]][]

const RECORD = { body: { stringValue: 'x' } }
const LINE = '{"event_message":"x","metadata":{}}'
const scopeLogs = [{ logRecords: [RECORD] }]

describe('the request', () => {
  test.each<Forms[number]>([
    ['the original name', { resource_logs: [{ scope_logs: [{ log_records: [RECORD] }] }] }, [LINE]],
    [
      'both names',
      { resourceLogs: [{ scopeLogs }], resource_logs: [{ scopeLogs: [{ logRecords: [{ body: 'y' }] }] }] },
      [LINE, '{"event_message":"y","metadata":{}}'],
    ],
    ['one object in place of the list', { resourceLogs: { scopeLogs } }, [LINE]],
    ['null in the list', { resourceLogs: [null, { scopeLogs }] }, [LINE]],
    ['null', { resourceLogs: null }, []],
    ['an unknown field next to the list', { resourceLogs: [{ scopeLogs }], version: 1, x: null, y: [], z: {} }, [LINE]],
    [
      'records in an unknown field next to the list',
      { resourceLogs: [{ scopeLogs }], logs: [RECORD, RECORD] },
      [LINE, ...Array(2).fill('rejected: logs is not a field here; records are read from resourceLogs only')],
    ],
    ['the name in other letters', { ResourceLogs: [] }, ['refused: it has no resourceLogs, but ResourceLogs']],
    ['a long name', { ['\ud83d'.repeat(100)]: [] }, [`refused: it has no resourceLogs, but ${'\ufffd'.repeat(64)}…`]],
    ['spans', { resourceSpans: [{}] }, ['refused: it has no resourceLogs, but resourceSpans']],
    ['a list of requests', [{ resourceLogs: [{ scopeLogs }] }], ['refused: the body is not an object']],
    ['JSON in a text', { resourceLogs: '[]' }, ['refused: resourceLogs is neither a list nor an object']],
    ['a list of texts', { resourceLogs: ['x'] }, ['refused: an element of resourceLogs is not an object']],
  ])('with %s', (_, json, outcome) => {
    expect(outcomes(json)).toEqual(outcome)
  })
})

describe('a list that is there twice, of which JSON.parse keeps the last', () => {
  const record = '{"body":"x"}'
  const logRecords = `"logRecords":[${record}]`
  const scope = `"scopeLogs":[{${logRecords}}]`
  const request = `"resourceLogs":[{${scope}}]`

  const twice = (list: string) => `${list.replace(/\w+/, 'LIST')},${list.replace(/\w+/, 'LIST')}`
  const requests = `{${twice(request)}}`
  const scopes = `{"resourceLogs":[{${twice(scope)}}]}`
  const records = `{"resourceLogs":[{"scopeLogs":[{${twice(logRecords)}}]}]}`

  test.each([
    ['resourceLogs', requests],
    ['resource_logs', requests.replaceAll(':', ' \n: ')],
    ['scopeLogs', scopes],
    ['scope_logs', scopes],
    ['instrumentationLibraryLogs', scopes],
    ['instrumentation_library_logs', scopes],
    ['logRecords', records],
    ['log_records', records],
    ['logs', records],
  ])('refuses the request: %s', (name, json) => {
    expect(outcomes(json.replaceAll('LIST', name))).toEqual([`refused: ${name} occurs twice in one object`])
  })

  test('is told from lists of several resources, and from the same words elsewhere', () => {
    const two = `{"resourceLogs":[{${scope}},{${scope}}]}`
    expect(outcomes(two)).toEqual([LINE, LINE])
    const words = '{\\"resourceLogs\\":[{\\"scopeLogs\\":[]}],\\"logRecords\\":'
    const plain = '{"logRecords":{"logRecords":1},"x\\"logRecords":"logRecords"}'
    const body = `{"stringValue":"${words}"}`
    const json = two.replaceAll(record, `{"body":${body},"attributes":${plain}}`)
    expect(outcomes(json).map((line) => JSON.parse(line))).toEqual(
      Array(2).fill({ event_message: JSON.parse(`"${words}"`), metadata: JSON.parse(plain) }),
    )
  })
})

describe('resourceLogs', () => {
  const request = (resourceLogs: object) => ({ resourceLogs: [resourceLogs] })
  const old = [{ instrumentationLibrary: { name: 'lib' }, logs: [RECORD] }]
  const oldLine = '{"event_message":"x","metadata":{"scope":{"name":"lib"}}}'

  test.each<Forms[number]>([
    ['instrumentationLibraryLogs and logs', request({ instrumentationLibraryLogs: old }), [oldLine]],
    [
      'instrumentation_library_logs and log_records',
      request({
        instrumentation_library_logs: [{ instrumentation_library: { name: 'lib' }, log_records: [RECORD] }],
      }),
      [oldLine],
    ],
    ['old and new names together', request({ instrumentationLibraryLogs: old, scopeLogs }), [LINE, oldLine]],
    ['one object in place of the list', request({ scopeLogs: scopeLogs[0] }), [LINE]],
    ['null in the list', request({ scopeLogs: [null, ...scopeLogs] }), [LINE]],
    ['schemaUrl and schema_url', request({ scopeLogs, schemaUrl: 'x', schema_url: 'x' }), [LINE]],
    ['a resource and no records', request({ resource: {}, schemaUrl: 'x' }), []],
    [
      'records without a scope',
      request({ logRecords: [RECORD] }),
      ['refused: an element of resourceLogs has no scopeLogs, but logRecords'],
    ],
    [
      'records of another kind',
      request({ scopeSpans: [{}] }),
      ['refused: an element of resourceLogs has no scopeLogs, but scopeSpans'],
    ],
    [
      'the fields of a record',
      request({ message: 'x' }),
      ['refused: an element of resourceLogs has no scopeLogs, but message'],
    ],
    [
      'records in an unknown field next to the list',
      request({ scopeLogs, logs: RECORD }),
      [LINE, 'rejected: logs is not a field here; records are read from scopeLogs only'],
    ],
    ['a resource that is a text', request({ resource: 'x', scopeLogs }), ['refused: resource is not an object']],
    ['a resource that is null', request({ resource: null, scopeLogs }), [LINE]],
  ])('with %s', (_, json, outcome) => {
    expect(outcomes(json)).toEqual(outcome)
  })
})

describe('scopeLogs', () => {
  const request = (scope: object) => ({ resourceLogs: [{ scopeLogs: [scope] }] })

  test.each<Forms[number]>([
    ['one object in place of the list', request({ logRecords: RECORD }), [LINE]],
    ['null in the list', request({ logRecords: [null, RECORD] }), ['rejected: a log record is not an object', LINE]],
    ['a text in the list', request({ logRecords: ['x', RECORD] }), ['rejected: a log record is not an object', LINE]],
    ['null', request({ logRecords: null, scope: null }), []],
    ['the fields of a record', request(RECORD), ['refused: an element of scopeLogs has no logRecords, but body']],
    [
      'records in an unknown field',
      request({ records: [RECORD] }),
      ['refused: an element of scopeLogs has no logRecords, but records'],
    ],
    [
      'the scope under both names',
      request({ scope: { name: 'a' }, instrumentationLibrary: { name: 'b' }, logRecords: [RECORD] }),
      ['refused: scope is present twice, as scope and as instrumentationLibrary'],
    ],
    [
      'other fields of the scope',
      request({ scope: { name: 'a', droppedAttributesCount: 1, attributes: { b: 1 }, c: 2 }, logRecords: [RECORD] }),
      ['{"event_message":"x","metadata":{"scope":{"name":"a","attributes":{"c":2,"b":1}}}}'],
    ],
  ])('with %s', (_, json, outcome) => {
    expect(outcomes(json)).toEqual(outcome)
  })
})

describe('a resource', () => {
  const line = '{"source":"edge_logs","project":"p","metadata":{"resource":{"a":1}}}'
  const keyValues = [
    { key: 'logweir.source', value: { stringValue: 'edge_logs' } },
    { key: 'logweir.project', value: { stringValue: 'p' } },
    { key: 'a', value: { intValue: 1 } },
  ]
  const plain = { 'logweir.source': 'edge_logs', 'logweir.project': 'p', a: 1 }

  test.each([
    ['key-value pairs', { attributes: keyValues }],
    ['values without their kind', { attributes: Object.entries(plain).map(([key, value]) => ({ key, value })) }],
    ['an object in place of the list', { attributes: plain }],
    ['the attributes themselves', plain],
    [
      'fields that are not kept',
      { attributes: keyValues, droppedAttributesCount: 1, entityRefs: [{}], entity_refs: [] },
    ],
  ])('of %s', (_, resource) => {
    expect(outcomes({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [{}] }] }] })).toEqual([line])
  })
})

const withRecord = (record: unknown) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] })
/** Returns the expected outcome of a record with the members of the metadata. */
const metadata = (members: string) => [`{"metadata":{${members}}}`]
const at = (nanos: string) => [`{"timestamp":${nanos},"metadata":{}}`]

describe('a log record', () => {
  test.each<Forms[number]>([
    [
      'the original names',
      {
        time_unix_nano: '1700000000123456789',
        observed_time_unix_nano: '1',
        severity_number: 9,
        severity_text: 'INFO',
        event_name: 'e',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
        span_id: 'b7ad6b7169203331',
        dropped_attributes_count: 1,
      },
      [
        '{"timestamp":1700000000123456789,"metadata":{"severity_text":"INFO","severity_number":9,"event_name":"e",' +
          '"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"}}',
      ],
    ],
    [
      'a field under both names',
      { severityText: 'a', severity_text: 'b' },
      ['rejected: severityText is present twice, as severityText and as severity_text'],
    ],
    [
      'null everywhere',
      { timeUnixNano: null, severityNumber: null, body: null, attributes: null, flags: null, traceId: null, x: null },
      metadata(''),
    ],
    [
      'unknown fields',
      { message: 'hi', level: { a: [1, null] }, traceFlags: 1, name: 'n' },
      metadata('"message":"hi","level":{"a":[1,null]},"traceFlags":1,"name":"n"'),
    ],
    ['an unknown field that is an attribute too', { a: 1, attributes: { a: 2 } }, metadata('"a":2')],
    ['an unknown field that is an object', { 'request.path': '/x' }, metadata('"request":{"path":"/x"}')],
    [
      'a time that is a number',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":1700000000123456789}]}]}]}',
      at('1700000000123456789'),
    ],
    ['a time that is a rounded number', { timeUnixNano: 1.7e18 }, at('1700000000000000000')],
    ['a time with an exponent in a text', { timeUnixNano: '1.7e18' }, at('1700000000000000000')],
    ['a time with a fraction of zeros', { timeUnixNano: '1700000000123456789.0' }, at('1700000000123456789')],
    ['a time in ISO 8601', { timeUnixNano: '2023-11-14T22:13:20.123456789Z' }, at('1700000000123456000')],
    ['an observed time in ISO 8601', { observedTimeUnixNano: '2023-11-14T23:13:20+01:00' }, at('1700000000000000000')],
    [
      'a time of text',
      { timeUnixNano: 'now' },
      ['rejected: timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    ],
    ['an empty time', { timeUnixNano: '' }, ['rejected: timeUnixNano is neither nanoseconds since 1970 nor ISO 8601']],
    [
      'a time with a fraction',
      { timeUnixNano: 1700000000.5 },
      ['rejected: timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    ],
    [
      'a time before 1970',
      { timeUnixNano: '1960-01-01' },
      ['rejected: timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    ],
    [
      'a time of seconds and nanoseconds',
      { timeUnixNano: { low: 1, high: 2 } },
      ['rejected: timeUnixNano is neither nanoseconds since 1970 nor ISO 8601'],
    ],
    ['a severity in digits', { severityNumber: '9' }, metadata('"severity_number":9')],
    ['a severity by its name', { severityNumber: 'SEVERITY_NUMBER_WARN2' }, metadata('"severity_number":14')],
    ['a severity by its short name', { severityNumber: 'Error' }, metadata('"severity_number":17')],
    ['an unspecified severity', { severityNumber: 'SEVERITY_NUMBER_UNSPECIFIED' }, metadata('')],
    [
      'an unknown severity',
      { severityNumber: 'LOUD' },
      ['rejected: severityNumber is neither an integer nor a name of OTLP'],
    ],
    [
      'a severity with a fraction',
      { severityNumber: 9.5 },
      ['rejected: severityNumber is neither an integer nor a name of OTLP'],
    ],
    ['a severity text that is a number', { severityText: 30 }, metadata('"severity_text":"30"')],
    ['a severity text that is an object', { severityText: {} }, ['rejected: severityText is not a string']],
    ['flags in digits', { flags: '1' }, metadata('"trace_flags":1')],
    ['flags that are none', { flags: 'sampled' }, ['rejected: flags is not an integer']],
    [
      'ids in base64',
      { traceId: 'CvdlGRbNQ92ESOshHIAxnA==', spanId: 't61rcWkgMzE=' },
      metadata('"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"'),
    ],
    [
      'an id in base64 of another length',
      { traceId: 'CvdlGRY=' },
      ['rejected: traceId is neither hexadecimal nor base64 of 16 bytes'],
    ],
    [
      'an id with dashes',
      { traceId: '0af76519-16cd-43dd-8448-eb211c80319c' },
      ['rejected: traceId is neither hexadecimal nor base64 of 16 bytes'],
    ],
    ['a span id that is none', { spanId: 'span' }, ['rejected: spanId is neither hexadecimal nor base64 of 8 bytes']],
    ['an id that is a list of bytes', { spanId: [1, 2, 3, 4, 5, 6, 7, 8] }, ['rejected: spanId is not a string']],
  ])('with %s', (_, record, outcome) => {
    expect(outcomes(typeof record === 'string' ? record : withRecord(record))).toEqual(outcome)
  })
})

describe('attributes', () => {
  test.each<Forms[number]>([
    [
      'an object in place of the list',
      { a: 'x', b: { intValue: '5' }, 'c.d': [true] },
      metadata('"a":"x","b":5,"c":{"d":[true]}'),
    ],
    ['one pair in place of the list', { key: 'a', value: { stringValue: 'x' } }, metadata('"a":"x"')],
    ['an object that is no pair', { key: 'a', value: 'x', more: 1 }, metadata('"key":"a","value":"x","more":1')],
    ['null in the list', [null, { key: 'a', value: 1 }], metadata('"a":1')],
    ['a pair without a value', [{ key: 'a' }], metadata('"a":null')],
    ['a key that is a number', [{ key: 1, value: {} }], metadata('"1":null')],
    ['a key that is an object', [{ key: {}, value: {} }], ['rejected: key is not a string']],
    [
      'a pair whose value lies beside the key',
      [{ key: 'a', stringValue: 'x' }],
      ['rejected: an attribute has no value, but stringValue'],
    ],
    ['a pair whose key has another name', [{ name: 'a', value: 'x' }], ['rejected: an attribute has no key, but name']],
    ['objects in place of pairs', [{ a: 'x' }], ['rejected: an attribute has no key, but a']],
    ['an unknown field in a pair', [{ key: 'a', value: 'x', type: 'string' }], metadata('"a":"x"')],
    ['texts in place of pairs', ['x'], ['rejected: an attribute is not an object']],
    ['lists in place of pairs', [['a', 'x']], ['rejected: an attribute is not an object']],
    ['JSON in a text', '{"a":1}', ['rejected: attributes is neither a list nor an object']],
  ])('with %s', (_, attributes, outcome) => {
    expect(outcomes(withRecord({ attributes }))).toEqual(outcome)
  })
})

describe('a value', () => {
  const stored = (json: string) => metadata(`"a":${json}`)

  test.each<Forms[number]>([
    [
      'the original names',
      {
        array_value: {
          values: [
            { string_value: 'x' },
            { bool_value: true },
            { int_value: '1' },
            { double_value: 0.5 },
            { bytes_value: 'AP8=' },
            { kvlist_value: { values: [] } },
          ],
        },
      },
      stored('["x",true,1,0.5,"AP8=",{}]'),
    ],
    ['a plain text', 'x', stored('"x"')],
    ['a plain number', 1.5, stored('1.5')],
    ['a plain truth value', false, stored('false')],
    ['a plain list', ['x', { intValue: 1 }, null, [2]], stored('["x",1,null,[2]]')],
    [
      'a plain object',
      { message: 'x', nested: { n: 1 }, none: null },
      stored('{"message":"x","nested":{"n":1},"none":null}'),
    ],
    ['a kind of Go', { Value: { StringValue: 'x' } }, stored('{"Value":{"StringValue":"x"}}')],
    ['null and another kind', { stringValue: null, boolValue: true }, stored('true')],
    ['no kind', {}, stored('null')],
    ['a kind that is null', { stringValue: null }, stored('null')],
    [
      'two kinds',
      { stringValue: 'x', intValue: 1 },
      ['rejected: a value has stringValue and intValue, but only one can be stored'],
    ],
    ['a number as text', { stringValue: 5 }, stored('"5"')],
    ['a truth value as text', { stringValue: true }, stored('"true"')],
    ['an object as text', { stringValue: { a: 1 } }, ['rejected: stringValue is not a string']],
    ['a truth value in a text', { boolValue: 'true' }, stored('true')],
    ['a number as truth value', { boolValue: 1 }, ['rejected: boolValue is not a boolean']],
    ['an integer with an exponent', { intValue: '1e3' }, stored('1000')],
    ['an integer with a fraction of zeros', { intValue: '-5.0' }, stored('-5')],
    ['a fraction as integer', { intValue: 1.5 }, ['rejected: intValue is not an integer']],
    ['a text as integer', { intValue: 'five' }, ['rejected: intValue is not an integer']],
    ['a truth value as integer', { intValue: true }, ['rejected: intValue is not an integer']],
    ['an integer of 64 bits and more', { intValue: '18446744073709551615' }, stored('18446744073709551615')],
    ['a text as double', { doubleValue: '0x1' }, ['rejected: doubleValue is not a number']],
    ['a list of bytes', { bytesValue: [1, 2] }, ['rejected: bytesValue is not a string']],
    ['bytes that are not base64', { bytesValue: 'AP8=!' }, ['rejected: bytesValue is not base64']],
    ['bytes of half a character of base64', { bytesValue: 'AP8AB' }, ['rejected: bytesValue is not base64']],
    ['bytes in base64 for URLs, without padding', { bytesValue: '-_8' }, stored('"+/8="')],
    ['a list without values', { arrayValue: [{ intValue: 1 }, 'x'] }, stored('[1,"x"]')],
    ['one object in place of the values', { arrayValue: { values: { intValue: 1 } } }, stored('[1]')],
    ['an object as list', { arrayValue: { items: [] } }, ['rejected: arrayValue has no values, but items']],
    ['a text as list', { arrayValue: 'x' }, ['rejected: arrayValue is not an object']],
    ['pairs without values', { kvlistValue: [{ key: 'b', value: 'x' }] }, stored('{"b":"x"}')],
    ['an object in place of pairs', { kvlistValue: { values: { b: 'x' } } }, stored('{"b":"x"}')],
    [
      'a plain object as pairs',
      { kvlistValue: { b: { intValue: 1 } } },
      ['rejected: kvlistValue has no values, but b'],
    ],
    ['a text as pairs', { kvlistValue: { values: 'x' } }, ['rejected: values is neither a list nor an object']],
  ])('with %s', (_, value, outcome) => {
    expect(outcomes(withRecord({ attributes: [{ key: 'a', value }] }))).toEqual(outcome)
  })

  test.each<[string, unknown, string]>([
    ['a text', 'x', '"x"'],
    ['a number', 5, '"5"'],
    ['an object', { msg: 'x' }, '"{\\"msg\\":\\"x\\"}"'],
    ['a list', ['x'], '"[\\"x\\"]"'],
  ])('may be %s as the body', (_, body, message) => {
    expect(outcomes(withRecord({ body }))).toEqual([`{"event_message":${message},"metadata":{}}`])
  })

  test.each([
    ['list', '[', ']'],
    ['object', '{"a":', '}'],
  ])('nests 128 levels of a plain %s, no more', (_, open, close) => {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
    const request = (body: string) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${body}}]}]}]}`
    const [line] = outcomes(request(nested(128)))
    expect(JSON.parse(line!).event_message).toBe(nested(128))
    const tooDeep = ['rejected: a value is nested over 128 levels deep']
    expect(outcomes(request(nested(129)))).toEqual(tooDeep)
    expect(outcomes(request(nested(100_000)))).toEqual(tooDeep)
  })
})

describe('a text cut inside an emoji', () => {
  const CUT = 'a\ud83d'

  test('becomes U+FFFD wherever a text may be', () => {
    const pair = { key: CUT, value: { stringValue: CUT } }
    const record = {
      severityText: CUT,
      eventName: CUT,
      body: { stringValue: CUT },
      attributes: [pair],
      [`${CUT}2`]: CUT,
    }
    const resource = { attributes: [{ key: 'logweir.project', value: { stringValue: CUT } }] }
    const scope = { name: CUT, version: CUT }
    expect(outcomes({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [record] }] }] })).toEqual([
      '{"project":"a�","event_message":"a�","metadata":{"a�2":"a�","a�":"a�","severity_text":"a�","event_name":"a�",' +
        '"scope":{"name":"a�","version":"a�"}}}',
    ])
  })

  test('becomes U+FFFD if it is the bytes that are cut', () => {
    const [start, end] = JSON.stringify(withRecord({ body: 'CUT' })).split('CUT')
    const bytes = Buffer.concat([Buffer.from(start!), Buffer.from([0x61, 0xf0, 0x9f, 0x98]), Buffer.from(end!)])
    expect(outcomeOf(bytes, 'json')).toEqual(['{"event_message":"a�","metadata":{}}'])
  })
})

describe('a request with a fault at any place', () => {
  const value = (text: string) => ({ stringValue: text })
  const REQUEST = {
    resourceLogs: [
      {
        resource: { attributes: [{ key: '#1;', value: value('#2;') }] },
        scopeLogs: [
          {
            scope: { name: '#3;', version: '#4;', attributes: [{ key: '#5;', value: value('#6;') }] },
            logRecords: [
              {
                severityText: '#7;',
                eventName: '#8;',
                body: { arrayValue: { values: [value('#9;'), { kvlistValue: { values: [{ key: '#10;' }] } }] } },
                attributes: [{ key: '#11;', value: value('#12;') }],
              },
              { body: value('#13;') },
            ],
          },
        ],
      },
    ],
  }
  type Place = { holder: Record<string, unknown>; name: string }

  /** Returns all members of all objects and lists of a request. */
  function placesIn(holder: Record<string, unknown>): Place[] {
    return Object.entries(holder).flatMap(([name, inner]) => [
      { holder, name },
      ...(typeof inner === 'object' ? placesIn(inner as Record<string, unknown>) : []),
    ])
  }

  const FAULTS: Record<string, (place: Place) => void> = {
    'another name'({ holder, name }) {
      if (Array.isArray(holder)) return
      holder[`${name}s`] = holder[name]
      delete holder[name]
    },
    'a list around it': ({ holder, name }) => void (holder[name] = [holder[name]]),
    'an object around it': ({ holder, name }) => void (holder[name] = { inner: holder[name] }),
    'a list in place of an object': ({ holder, name }) => void (holder[name] = Object.values(holder[name] as object)),
    'an object in place of a list': ({ holder, name }) => void (holder[name] = { ...(holder[name] as object) }),
    'its JSON': ({ holder, name }) => void (holder[name] = JSON.stringify(holder[name])),
  }
  const count = placesIn(structuredClone(REQUEST)).length

  const markers = (text: string) => new Set(text.match(/#\d+;/g))

  /** Returns whether every marker is stored, or a record is rejected, or the request is refused. */
  function isHonest(request: object): boolean {
    const found = outcomes(request)
    if (found.some((line) => /^(?:refused|rejected): /.test(line))) return true
    return markers(found.join('')).size === markers(JSON.stringify(REQUEST)).size
  }

  test.each(Object.entries(FAULTS))('is never stored in part only: %s', (_, makeFault) => {
    const requests = [...Array(count).keys()].map((at) => {
      const request = structuredClone(REQUEST)
      makeFault(placesIn(request)[at]!)
      return request
    })
    expect(requests.filter((request) => !isHonest(request))).toEqual([])
  })
})
