import type { Params, PlainRow } from '../oracle/oracle.js'
import { edge, type PartialRecord, type TestRecord } from '../support/records.js'
import { at, type Case, upTo } from './case.js'

const NOW = '2026-11-20T10:37:42.500000Z'
const nowUs = at(NOW)
const TIME_US = at('2026-11-20T10:30:00Z')

const record = (metadata: PartialRecord['metadata'], given: PartialRecord = {}): TestRecord =>
  edge({ timestampUs: TIME_US, metadata: metadata!, ...given })

/** A value and its count. */
type Counted = readonly [value: unknown, count: number]

/** The row of a field. A value that is not listed counts as a different value. */
function row(field: string, count: number, values: readonly Counted[], rows: number, more: Partial<PlainRow> = {}) {
  const json = values.map(([value, n]) => `{"value":${JSON.stringify(value)},"count":${n}}`).join(',')
  return { field, count, values: { json: `[${json}]` }, distinct: values.length, rows, is_sample: false, ...more }
}

const fields = (name: string, records: readonly TestRecord[], params: Params, rows: readonly object[]): Case => ({
  name: `logs.fields: ${name}`,
  endpoint: 'logs.fields',
  records,
  params: { project: 'a', source: 'edge_logs', ...params },
  nowUs,
  rows: rows as PlainRow[],
})

const LONG = 'x'.repeat(201)
const longest = 'x'.repeat(200)
const deep = (levels: number): object => (levels === 0 ? { end: 1 } : { d: deep(levels - 1) })

const SAMPLES = [
  fields('no row has no field', [], {}, []),
  fields('rows without metadata have none', [record({}), record('[{}]')], {}, []),
  fields(
    'those with a column come first, then those of most rows, then by name',
    [
      record({ b: 1, response: { status_code: 200 } }),
      record({ b: 2, a: 1, c: 'x', response: { status_code: 200 }, request: { method: 'GET' } }),
    ],
    {},
    [
      row('response.status_code', 2, [[200, 2]], 2),
      row('request.method', 1, [['GET', 1]], 2),
      row(
        'b',
        2,
        [
          [1, 1],
          [2, 1],
        ],
        2,
      ),
      row('a', 1, [[1, 1]], 2),
      row('c', 1, [['x', 1]], 2),
    ],
  ),
  fields(
    'values of different types differ, numbers with one value do not, and null is missing',
    ['{"a":500}', '{"a":"500"}', '{"a":500.0}', '{"a":5e2}', '{"a":true}', '{"a":null}', '{"a":-0}', '{"a":0}'].map(
      (metadata) => record(metadata),
    ),
    {},
    [
      row(
        'a',
        7,
        [
          [500, 3],
          [0, 2],
          ['500', 1],
          [true, 1],
        ],
        8,
      ),
    ],
  ),
  fields(
    'long texts, objects and lists count but are not listed',
    [LONG, LONG, longest, `${LONG}y`, [1], ['x'], [[1]], []].map((a) => record({ a })),
    {},
    [row('a', 8, [[longest, 1]], 8, { distinct: 7 })],
  ),
  fields(
    'a path passes through the first element of lists',
    [
      record([{ request: [{ headers: [{ h: 'x' }, { h: 'y' }] }] }] as never),
      record({ request: { headers: { h: 'x' } } }),
    ],
    {},
    [row('request.headers.h', 2, [['x', 2]], 2)],
  ),
  fields(
    'objects below eight keys are values',
    [record(deep(7)), record(deep(8))],
    {},
    [row(`${'d.'.repeat(7)}end`, 1, [[1, 1]], 2), row(`${'d.'.repeat(7)}d`, 1, [], 2, { distinct: 1 })].sort((a, b) =>
      a.field < b.field ? -1 : 1,
    ),
  ),
  fields(
    'names are those that a filter reads',
    [record({ 'a.b': 1, id: 2, '': 3, metadata: { x: 4 }, timestamp: { x: 5 } })],
    {},
    [
      row('[""]', 1, [[3, 1]], 1),
      row('["a.b"]', 1, [[1, 1]], 1),
      row('metadata.id', 1, [[2, 1]], 1),
      row('metadata.metadata.x', 1, [[4, 1]], 1),
      row('timestamp.x', 1, [[5, 1]], 1),
    ],
  ),
  fields(
    'the ten most frequent values are listed, equal ones by their text',
    upTo(12).flatMap((i) => upTo(i === 3 ? 2 : 1).map(() => record({ n: `v${String(i).padStart(2, '0')}` }))),
    {},
    [
      row(
        'n',
        13,
        [['v03', 2], ...[1, 2, 4, 5, 6, 7, 8, 9, 10].map((i): Counted => [`v${String(i).padStart(2, '0')}`, 1])],
        13,
        { distinct: 12 },
      ),
    ],
  ),
  fields(
    'at most 300 fields',
    [record(Object.fromEntries(upTo(400).map((i) => [`k${String(i).padStart(3, '0')}`, i])))],
    {},
    upTo(300).map((i) => row(`k${String(i).padStart(3, '0')}`, 1, [[i, 1]], 1)),
  ),
  fields(
    'of the newest 2,000 rows, which it says',
    upTo(2_001).map((i) => record({ n: i === 1 ? 'oldest' : 'newer' }, { timestampUs: TIME_US + i })),
    {},
    [row('n', 2_000, [['newer', 2_000]], 2_000, { is_sample: true })],
  ),
  fields(
    'all of 2,000 rows are no sample',
    upTo(2_000).map(() => record({ n: 1 })),
    {},
    [row('n', 2_000, [[1, 2_000]], 2_000)],
  ),
  fields(
    'of rows that pass, of this project and source alone',
    [
      record({ n: 1 }, { event_message: 'GET' }),
      record({ n: 2 }, { event_message: 'POST' }),
      record({ n: 3 }, { project: 'b', event_message: 'GET' }),
      record({ n: 4 }, { project: null, event_message: 'GET' }),
      { ...record({ n: 5 }, { event_message: 'GET' }), source: 'auth_logs' },
      record({ n: 6 }, { event_message: 'GET', timestampUs: TIME_US - 3_600e6 }),
      record({ n: 1, response: { status_code: 200 } }, { event_message: 'get' }),
      record({ n: 7, response: { status_code: 500 } }, { event_message: 'get' }),
    ],
    { search: 'Get', filter: '[{"field":"response.status_code","op":"!=","value":500}]' },
    [row('response.status_code', 1, [[200, 1]], 2), row('n', 2, [[1, 2]], 2)],
  ),
]

/** A field that is a value in some rows, and an object or a list of objects in others. */
const MIXED = ['{"a":1}', '{"a":{"b":1}}', '{"a":[{"b":{"c":2}}]}', '{"a":{}}', '{"a":null}', '{}'].map((metadata) =>
  record(metadata),
)
/** The same of a field that has a column. */
const MIXED_STATUSES = [500, { x: 1 }, [{ x: 2 }], 'x', [500], null].map((status_code) =>
  record({ response: { status_code } }),
)

const OBJECTS = [
  fields('an object counts as the value of a field that is a value in another row', MIXED, {}, [
    row('a', 4, [[1, 1]], 6, { distinct: 4 }),
    row('a.b', 2, [[1, 1]], 6, { distinct: 2 }),
    row('a.b.c', 1, [[2, 1]], 6),
  ]),
  ...['', 'response.status_code'].map((field) =>
    fields(
      `an object counts as the value of a field with a column: ${field || 'all fields'}`,
      MIXED_STATUSES,
      { field },
      [
        row(
          'response.status_code',
          5,
          [
            ['x', 1],
            [500, 1],
          ],
          6,
          { distinct: 5 },
        ),
        row(
          'response.status_code.x',
          2,
          [
            [1, 1],
            [2, 1],
          ],
          6,
        ),
      ].filter((one) => field === '' || one.field === field),
    ),
  ),
]

const METHODS = ['GET', 'GET', 'POST', '', LONG, undefined, null, 5, '5', true, { a: 1 }]

const VALUES = [
  fields(
    'of one field has its values in all rows',
    METHODS.map((method) => record({ request: { method } })),
    { field: 'metadata.request.method' },
    [
      row(
        'request.method',
        9,
        [
          ['GET', 2],
          ['', 1],
          ['5', 1],
          ['POST', 1],
          [5, 1],
          [true, 1],
        ],
        11,
        { distinct: 8 },
      ),
    ],
  ),
  fields('of one field that no row has is a row of zeros', [record({})], { field: 'response.status_code' }, [
    row('response.status_code', 0, [], 1),
  ]),
  fields('of one field without rows is a row of zeros', [], { field: 'response.status_code' }, [
    row('response.status_code', 0, [], 0),
  ]),
  fields(
    'of one field lists its 50 most frequent values in more rows than a sample has',
    upTo(2_100).map((i) => record({ response: { status_code: i % 60 === 0 ? 7 : i % 60 } })),
    { field: '["response","status_code"]' },
    [
      row(
        'response.status_code',
        2_100,
        [
          [7, 70],
          ...upTo(59)
            .filter((n) => n !== 7)
            .map(String)
            .sort()
            .slice(0, 49)
            .map((n): Counted => [Number(n), 35]),
        ],
        2_100,
        { distinct: 59 },
      ),
    ],
  ),
  fields(
    'of a column of the row',
    [record({}, { event_message: 'b' }), record({}, { event_message: 'a' }), record({}, { event_message: 'b' })],
    { field: 'event_message' },
    [
      row(
        'event_message',
        3,
        [
          ['b', 2],
          ['a', 1],
        ],
        3,
      ),
    ],
  ),
  fields('of the timestamp, in microseconds', [record({})], { field: 'timestamp' }, [
    row('timestamp', 1, [[TIME_US, 1]], 1),
  ]),
]

export const LOGS_FIELDS_CASES: readonly Case[] = [...SAMPLES, ...OBJECTS, ...VALUES]
