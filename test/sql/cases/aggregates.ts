import { query, refused, Spelled, type SqlCase, valuesIn, wrong } from './case.js'
import { recordOf, time, withValues } from './records.js'

/** Numbers, texts that spell numbers, and other values. */
const MIXED = {
  records: withValues('aggregates-mixed', [1, 2.5, '3', '4e0', 'abc', true, { a: 1 }, null, undefined, 2.5]),
}
/** 0 to 100. */
const HUNDRED = {
  records: withValues(
    'aggregates-hundred',
    Array.from({ length: 101 }, (_, i) => (i * 37) % 101),
  ),
}
const TEXTS = { records: withValues('aggregates-texts', ['b', 'b', 'b', null]) }
const MANY = {
  records: withValues(
    'aggregates-many',
    Array.from({ length: 1000 }, (_, i) => (i % 500 === 0 ? null : `v${i % 500}`)),
  ),
}
const BIG = {
  records: withValues('aggregates-big', [new Spelled('9007199254740993'), 2, '9007199254740993']).map((record, i) =>
    i === 0 ? { ...record, metadata: '{"x":9007199254740993}' } : record,
  ),
}
const TIMES = {
  records: ['10:00:00', '10:00:01', '10:00:04'].map((clock, i) =>
    recordOf('edge_logs', { id: String(i), project: 'aggregates-times', timestampUs: time(clock) }),
  ),
}
const NONE = "edge_logs where id = 'none'"

/** Aggregates over groups of all kinds of values. */
export const AGGREGATES_CASES: readonly SqlCase[] = [
  valuesIn(
    'mixed values',
    'edge_logs',
    [
      ['count(*)', 10],
      ['count(x)', 8],
      ['count(distinct x)', 7],
      ['countif(x > 2)', 4],
      ['countif(x is null)', 2],
      ['count(case when x > 2 then 1 end)', 4],
      ["count(case when x > 2 then 'yes' else null end)", 4],
      ['count(case when x > 2 then x end)', 4],
      ['count(if(x > 2, 1, null))', 4],
      ['sum(x)', 13],
      ['sum(if(x > 2, 1, 0))', 4],
      ['avg(x)', 2.6],
      ['min(x)', true],
      ['max(x)', new Spelled('[{"a":1}]')],
      ['max(safe_cast(x as int64))', 3],
      ['approx_count_distinct(x)', 7],
    ],
    MIXED,
  ),
  valuesIn('no rows', NONE, [
    ['count(*)', 0],
    ['count(id)', 0],
    ['count(distinct id)', 0],
    ['countif(true)', 0],
    ['sum(response.status_code)', null],
    ['avg(response.status_code)', null],
    ['min(id)', null],
    ['max(id)', null],
    ['any_value(id)', null],
    ['approx_quantiles(response.status_code, 2)', null],
    ['approx_quantiles(response.status_code, 2)[offset(1)]', null],
    ['approx_count_distinct(id)', 0],
    ['array_agg(id limit 2)', null],
    ['string_agg(id)', null],
  ]),
  valuesIn('no rows, of columns that have no nulls', NONE, [
    ['min(id)', null],
    ['max(event_message)', null],
    ['any_value(project)', null],
    ['min(timestamp)', null],
    ['any_value(timestamp)', null],
  ]),
  valuesIn('nulls alone', 'edge_logs', [
    ['count(nothing)', 0],
    ['sum(nothing)', null],
    ['avg(nothing)', null],
    ['min(nothing)', null],
    ['any_value(nothing)', null],
    ['string_agg(nothing, ",")', null],
    ['count(null)', 0],
  ]),
  valuesIn(
    'quantiles of 0 to 100',
    'edge_logs',
    [
      ['approx_quantiles(x, 4)', [0, 25, 50, 75, 100]],
      ['approx_quantiles(x, 1)', [0, 100]],
      ['approx_quantiles(x, 100)[offset(0)]', 0],
      ['approx_quantiles(x, 100)[offset(50)]', 50],
      ['approx_quantiles(x, 100)[offset(95)]', 95],
      ['approx_quantiles(x, 100)[offset(100)]', 100],
      ['approx_quantiles(x, 100)[safe_offset(99)]', 99],
      ['approx_quantiles(x, 100)[safe_offset(101)]', null],
      ['approx_quantiles(x, 1000)[offset(999)]', 100],
      ['approx_quantiles(x, 4)[offset(1)] + 1', 26],
      ['round(approx_quantiles(x, 10)[offset(9)])', 90],
      ['min(x)', 0],
      ['max(x)', 100],
      ['sum(x)', 5050],
      ['avg(x)', 50],
    ],
    HUNDRED,
  ),
  valuesIn(
    'quantiles ignore what is no number',
    'edge_logs',
    [
      ['approx_quantiles(x, 2)[offset(0)]', 1],
      ['approx_quantiles(x, 2)[offset(2)]', 4],
      ['approx_quantiles(x, 2)', [1, 2.5, 4]],
    ],
    MIXED,
  ),
  valuesIn(
    'texts',
    'edge_logs',
    [
      ['string_agg(x)', 'b,b,b'],
      ["string_agg(x, ' - ')", 'b - b - b'],
      ["string_agg(x, '')", 'bbb'],
      ['array_agg(x)', ['b', 'b', 'b']],
      ['array_agg(x limit 2)', ['b', 'b']],
      ['array_agg(x limit 2)[offset(1)]', 'b'],
      ['array_agg(x limit 2)[safe_offset(2)]', null],
      ['any_value(x)', 'b'],
      ['max(x)', 'b'],
      ['sum(x)', null],
    ],
    TEXTS,
  ),
  valuesIn('elements of array_agg', "auth_logs where id = 'a1'", [
    ['array_agg(timestamp)', [time('10:01:00')]],
    ['array_agg(metadata)', [{ level: 'info', status: 200 }]],
    ['array_agg(status)', [200]],
  ]),
  valuesIn('digits of a number in string_agg', "edge_logs where id = 'e1'", [
    ['string_agg(response.status_code)', '200'],
  ]),
  valuesIn(
    'many different values',
    'edge_logs',
    [
      ['count(distinct x)', 499],
      ['approx_count_distinct(x)', 499],
      ["approx_count_distinct(concat(x, 'a', id))", 998],
    ],
    MANY,
  ),
  valuesIn(
    'integers beyond 2^53',
    'edge_logs',
    [
      ['max(x)', '9007199254740993'],
      ['min(x)', 2],
    ],
    BIG,
  ),
  valuesIn(
    'times',
    'edge_logs',
    [
      ['min(timestamp)', time('10:00:00')],
      ['max(timestamp)', time('10:00:04')],
      ['timestamp_diff(max(timestamp), min(timestamp), second)', 4],
      ['count(distinct timestamp_trunc(timestamp, minute))', 1],
      ['max(cast(timestamp as date))', '2026-11-24'],
    ],
    TIMES,
  ),
  query(
    'an aggregate of an expression, and an expression of aggregates',
    `select level,
    round(100 * countif(length(event_message) > 10) / count(*), 1) as share from auth_logs group by level`,
    [
      { level: 'error', share: 100 },
      { level: 'info', share: 50 },
    ],
  ),
  query(
    'averages of JSON in the message',
    `select avg(cast(json_value(event_message, '$.duration') as float64)) as a
    from auth_logs where event_message like '{%'`,
    [{ a: 2_300_000 }],
  ),
  query('one aggregate twice', 'select count(*) as a, count(*) as b, count(*) + count(*) as c from auth_logs', [
    { a: 3, b: 3, c: 6 },
  ]),

  wrong(
    'an aggregate in an aggregate',
    'select sum(count(*)) from auth_logs',
    'count is an aggregate: it stands in SELECT, HAVING or ORDER BY, and in no other aggregate. (line 1, column 12)',
  ),
  wrong('sum(*)', 'select sum(*) from auth_logs', 'sum(*) has no meaning: only count(*) has. (line 1, column 8)'),
  wrong('sum without arguments', 'select sum() from auth_logs', 'sum takes 1 argument, and got 0. (line 1, column 8)'),
  wrong(
    'approx_quantiles with one argument',
    'select approx_quantiles(id) from auth_logs',
    'approx_quantiles takes 2 arguments, and got 1. (line 1, column 8)',
  ),
  wrong(
    'approx_quantiles without a number',
    "select approx_quantiles(status, 'x') from auth_logs",
    'This must be a whole number from 1 to 10000. (line 1, column 33)',
  ),
  wrong(
    'an offset beyond the quantiles',
    'select approx_quantiles(response.status_code, 2)[offset(3)] as x from edge_logs',
    'An offset is beyond the end of its list: use safe_offset, which is null then. (line 1, column 8)',
  ),
  wrong(
    'a separator that is a field',
    'select string_agg(id, level) from auth_logs',
    'The separator of string_agg must be a text. (line 1, column 23)',
  ),
  wrong(
    'sum of a text that is no number fails in a cast',
    'select sum(cast(level as int64)) as s from auth_logs',
    'A value cannot be cast to int64: use safe_cast, which is null then. (line 1, column 12)',
  ),
  refused(
    'sum(DISTINCT …)',
    'select sum(distinct status) from auth_logs',
    'sum(DISTINCT …) is not covered, but count(distinct x). (line 1, column 8)',
  ),
  refused(
    'LIMIT in string_agg',
    'select string_agg(id limit 2) from auth_logs',
    'LIMIT in string_agg is not covered, but in array_agg. (line 1, column 8)',
  ),
  refused(
    'ORDER BY in array_agg',
    'select array_agg(id order by id) from auth_logs',
    'ORDER BY in an aggregate is not covered: its order is open. (line 1, column 21)',
  ),
  refused(
    'IGNORE NULLS',
    'select array_agg(id ignore nulls) from auth_logs',
    'IGNORE NULLS and RESPECT NULLS are not covered: nulls are left out. (line 1, column 21)',
  ),
  refused(
    'array_agg(struct …)',
    'select array_agg(struct(id, level)) from auth_logs',
    'STRUCT is not covered: select the fields one by one. (line 1, column 18)',
  ),
  refused(
    'a window',
    'select count(*) over (partition by level) from auth_logs',
    'Windows (OVER) are not covered: use GROUP BY. (line 1, column 17)',
  ),
  refused(
    'FILTER (WHERE …)',
    "select count(*) filter (where level = 'error') from auth_logs",
    'FILTER (WHERE …) is not covered: write countif(condition), or sum(if(condition, x, null)). (line 1, column 17)',
  ),
]
