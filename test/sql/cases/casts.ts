import { each, MORE, query, refused, Spelled, type SqlCase, values, wrong } from './case.js'
import { recordOf, time } from './records.js'

const FAILED = (type: string) =>
  `A value cannot be cast to ${type}: use safe_cast, which is null then. (line 1, column 8)`

/** A field that int64 cannot hold. */
const TEXT = [recordOf('edge_logs', { id: '1', project: 'casts', metadata: { x: 'abc', n: 0 } })]

/** CAST, SAFE_CAST and `::`. */
export const CAST_CASES: readonly SqlCase[] = [
  ...each('safe_cast(x as int64)', [
    [5, 5],
    [2.5, 3],
    [-2.5, -3],
    [2.4, 2],
    ['12', 12],
    ['-12', -12],
    ['0x1F', 31],
    ['1.5', null],
    ['abc', null],
    ['', null],
    [true, 1],
    [false, 0],
    ['9007199254740993', new Spelled('9007199254740993')],
    ['9223372036854775808', null],
    [null, null],
    [undefined, null],
    [{ a: 1 }, null],
  ]),
  ...each('safe_cast(x as float64)', [
    [5, 5],
    ['1.50', 1.5],
    ['1e3', 1000],
    ['abc', null],
    ['', null],
    [null, null],
    [[1], null],
  ]),
  ...each('safe_cast(x as bool)', [
    [true, true],
    ['true', true],
    ['FALSE', false],
    ['yes', null],
    [0, false],
    [2, true],
    [null, null],
  ]),
  ...each('safe_cast(x as string)', [
    ['a', 'a'],
    [1.5, '1.5'],
    [200, '200'],
    [true, 'true'],
    [null, null],
    [{ a: 1 }, '{"a":1}'],
    [[1, 'b'], '[1,"b"]'],
  ]),
  ...each('safe_cast(x as timestamp)', [
    ['2026-11-24T10:00:00Z', time('10:00:00')],
    ['2026-11-24 10:00:00', time('10:00:00')],
    ['2026-11-24', time('00:00:00')],
    [1795514480, time('10:01:20')],
    ['soon', null],
    ['', null],
    [true, null],
    [null, null],
  ]),
  ...each('safe_cast(x as datetime)', [
    ['2026-11-24T10:00:00.25Z', '2026-11-24T10:00:00.250000'],
    ['soon', null],
  ]),
  ...each('safe_cast(x as date)', [
    ['2026-11-24T10:00:00Z', '2026-11-24'],
    ['2026-11-24', '2026-11-24'],
    ['24.11.2026', null],
  ]),
  ...each('cast(x as int64) + 1', [
    ['41', 42],
    [null, null],
  ]),
  ...each('x::int64 + 1', [
    ['41', 42],
    [null, null],
  ]),
  ...each('x::string', [
    [5, '5'],
    ['a', 'a'],
  ]),

  values(
    'types by other names',
    [
      ["cast('5' as integer)", 5],
      ["cast('5' as bigint)", 5],
      ["cast('true' as boolean)", true],
    ],
    MORE,
  ),
  values('casts of literals', [
    ["cast('5' as INT64)", 5],
    ["'2026-11-24'::date", '2026-11-24'],
    ['5::string', '5'],
    ['5::text', '5'],
    ["'1.5'::float64 * 2", 3],
    ['-1::string', -1],
    ["cast(timestamp '2026-11-24 12:00:00.123456' as string)", '2026-11-24 12:00:00.123456+00'],
    ["cast(timestamp '2026-11-24 12:00:00' as string)", '2026-11-24 12:00:00+00'],
    ["cast(datetime '2026-11-24 12:00:00' as string)", '2026-11-24 12:00:00'],
    ["cast(datetime '2026-11-24 12:00:00.120' as string)", '2026-11-24 12:00:00.120'],
    ["concat('at ', datetime '2026-11-24 12:00:00')", 'at 2026-11-24 12:00:00'],
    ["cast(datetime '2026-11-24 12:00:00' as string) = '2026-11-24 12:00:00'", true],
    ["cast(date '2026-11-24' as string)", '2026-11-24'],
    ["cast(date '2026-11-24' as timestamp)", 1795478400000000],
    ['cast(null as int64)', null],
    ['safe_cast(cast(null as string) as int64)', null],
    ["cast(cast('7' as int64) as float64)", 7],
  ]),
  query(
    'a filter of a cast',
    `select id from edge_logs
    where ifnull(safe_cast(response.status_code as int64), 0) between 400 and 499`,
    [{ id: 'e3' }],
  ),
  query('the digits of a field', "select cast(response.origin_time as string) as x from edge_logs where id = 'e5'", [
    { x: '1000.5' },
  ]),

  wrong('a text that is no integer', 'select cast(x as int64) as y from edge_logs', FAILED('int64'), { records: TEXT }),
  wrong('a text that is no number', 'select x::float64 as y from edge_logs', FAILED('float64'), { records: TEXT }),
  wrong('a text that is no boolean', 'select cast(x as bool) as y from edge_logs', FAILED('bool'), { records: TEXT }),
  wrong('a text that is no time', 'select cast(x as timestamp) as y from edge_logs', FAILED('timestamp'), {
    records: TEXT,
  }),
  wrong('a literal that is no date', "select cast('x' as date) as y", FAILED('date')),
  query('rows that WHERE removes raise no error', "select cast(x as int64) as y from edge_logs where x != 'abc'", [], {
    records: TEXT,
  }),
  query('the left side of AND', 'select id from edge_logs where n != 0 and 1 / n > 0', [], { records: TEXT }),
  query('the left side of OR', 'select id from edge_logs where n = 0 or 1 / n > 0', [{ id: '1' }], { records: TEXT }),
  query('IN (select …) behind AND', 'select id from edge_logs where n != 0 and 1 / n in (select 1)', [], {
    records: TEXT,
  }),
  query('IN (select …) behind OR', 'select id from edge_logs where n = 0 or 1 / n in (select 1)', [{ id: '1' }], {
    records: TEXT,
  }),
  query('CASE', 'select case when n = 0 then null else 1 / n end as y from edge_logs', [{ y: null }], {
    records: TEXT,
  }),
  query('IF', "select if(n = 0, 'none', cast(x as int64)) as y from edge_logs", [{ y: 'none' }], { records: TEXT }),
  query(
    'rows outside of the time range',
    "select cast(x as int64) as y from edge_logs where timestamp > '2026-11-25'",
    [],
    { records: TEXT },
  ),

  wrong(
    'an unknown type',
    'select cast(1 as money)',
    'There is no type money, but string, int64, float64, bool, timestamp, datetime, date. (line 1, column 18)',
  ),
  wrong('CAST without a type', 'select cast(1)', 'Expected AS and a type, found ). (line 1, column 14)'),
  refused('varchar', "select 'a'::varchar", 'The type varchar is not covered: write string. (line 1, column 13)'),
  refused(
    'numeric',
    "select cast('1' as numeric)",
    'The type numeric is not covered: write float64. (line 1, column 20)',
  ),
  refused(
    'timestamptz',
    "select '2026-11-24'::timestamptz",
    'The type timestamptz is not covered: write timestamp. (line 1, column 22)',
  ),
  refused(
    'jsonb',
    'select event_message::jsonb from auth_logs',
    'The type jsonb is not covered: fields are read by their path, texts with json_value. (line 1, column 23)',
  ),
  refused(
    'FORMAT',
    "select cast(timestamp as string format 'YYYY') from edge_logs",
    'FORMAT is not covered: use format_timestamp or parse_timestamp. (line 1, column 33)',
  ),
]
