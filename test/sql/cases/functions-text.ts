import { badPattern, each, MORE, query, refused, type SqlCase, values, wrong } from './case.js'
import { recordOf } from './records.js'

/** Numbers that are sent with other digits than the value has. */
const SENT = ['{"x":1.0}', '{"x":-0}'].map((metadata, i) =>
  recordOf('edge_logs', { id: String(i + 1), project: 'sent-digits', metadata }),
)

/** A number of a record, by value: the digits are not kept behind a table of the query, a choice or a list. */
const BY_VALUE = [
  recordOf('auth_logs', { id: '1', project: 'digits-by-value', metadata: '{"x":5.0,"l":[1.0,2.50],"o":{"x":5.0}}' }),
]
const digits = (name: string, sql: string, ...texts: (string | number | boolean)[]) =>
  query(
    `the digits of ${name}`,
    sql,
    texts.map((y) => ({ y })),
    { records: BY_VALUE },
  )
const BOTH = '(select timestamp, x from auth_logs union all select timestamp, x from edge_logs)'

const tooLong = (name: string, sql: string) => ({
  ...wrong(name, sql, ''),
  error: {
    code: 'too_much_memory',
    message: 'The query computes a value of more than 1048576 characters. (line 1, column 15)',
  },
})

/** Functions over texts, which take the digits of a number. */
export const TEXT_CASES: readonly SqlCase[] = [
  ...each('lower(x)', [
    ['AbC', 'abc'],
    ['ÄÉ', 'äé'],
    [15, '15'],
    [true, 'true'],
    [null, null],
    [undefined, null],
  ]),
  ...each('upper(x)', [
    ['AbC', 'ABC'],
    ['äé', 'ÄÉ'],
    ['', ''],
    [1.5, '1.5'],
    [null, null],
  ]),
  ...each('trim(x)', [
    [' a b ', 'a b'],
    ['\n a\n', 'a'],
    ['', ''],
    [7, '7'],
    [null, null],
  ]),
  ...each("trim(x, '\"/')", [
    ['"a/b"/', 'a/b'],
    ['///', ''],
    [null, null],
  ]),
  ...each('length(x)', [
    ['abc', 3],
    ['', 0],
    ['äé', 2],
    ['😀', 1],
    [1234, 4],
    [null, null],
    [{ a: 1 }, 7],
  ]),
  ...each("concat('<', x, '>')", [
    ['a', '<a>'],
    ['', '<>'],
    [1, '<1>'],
    [null, null],
    [false, '<false>'],
  ]),
  ...each("'<' || x || '>'", [
    ['a', '<a>'],
    [1.5, '<1.5>'],
    [null, null],
  ]),
  ...each('substr(x, 2)', [
    ['abc', 'bc'],
    ['a', ''],
    ['', ''],
    ['😀é', 'é'],
    [123, '23'],
    [null, null],
  ]),
  ...each('substr(x, 2, 3)', [
    ['abcdef', 'bcd'],
    ['abc', 'bc'],
    [null, null],
  ]),
  ...each('substr(x, -2)', [
    ['abc', 'bc'],
    ['a', 'a'],
    ['', ''],
  ]),
  ...each('substr(x, 0, 2)', [['abc', 'ab']]),
  ...each("replace(x, 'a', '--')", [
    ['banana', 'b--n--n--'],
    ['x', 'x'],
    ['', ''],
    [null, null],
  ]),
  ...each("replace(x, '', '-')", [['abc', 'abc']]),
  ...each("starts_with(x, '/a')", [
    ['/abc', true],
    ['/', false],
    ['', false],
    ['x/a', false],
    [null, null],
  ]),
  ...each("ends_with(x, '.png')", [
    ['cat.png', true],
    ['cat.PNG', false],
    [null, null],
  ]),
  ...each("contains_substr(x, 'Err')", [
    ['an ERROR', true],
    ['err', true],
    ['er r', false],
    ['', false],
    [null, null],
  ]),
  ...each("contains_substr(x, '5')", [
    [1530, true],
    [133, false],
    ['a5', true],
  ]),
  ...each("regexp_contains(x, r'^/v\\d+/')", [
    ['/v1/users', true],
    ['/vx/', false],
    ['a/v1/', false],
    ['', false],
    [null, null],
  ]),
  ...each("regexp_contains(x, '^/v\\d+/')", [
    ['/v12/', true],
    ['/v/', false],
  ]),
  ...each("regexp_contains(x, '(?i)error|fatal')", [
    ['ERROR: x', true],
    ['a Fatal', true],
    ['warn', false],
  ]),
  ...each("regexp_contains(x, '5..')", [
    [500, true],
    [404, false],
    ['x5', false],
  ]),
  ...each("regexp_contains(x, '\\\\.png$')", [
    ['a.png', true],
    ['apng', false],
  ]),
  ...each("regexp_contains(x, 'a.c')", [
    ['abc', true],
    ['a\nc', false],
  ]),
  ...each("regexp_extract(x, r'user=(\\w+)')", [
    ['user=web host=1', 'web'],
    ['host=1', null],
    ['', null],
    [null, null],
  ]),
  ...each("regexp_extract(x, '[0-9]+')", [
    ['a12b3', '12'],
    ['abc', null],
    [456, '456'],
  ]),
  ...each("regexp_extract(x, 'a(b)?')", [
    ['ab', 'b'],
    ['ac', null],
  ]),
  digits('a field', 'select cast(x as string) as y from auth_logs', '5.0'),
  digits('a field of an element', 'select o.x || "" as y from auth_logs cross join unnest(o) as o', '5.0'),
  digits('a field of an object of a derived table', 'select o.x || "" as y from (select o from auth_logs)', '5.0'),
  digits('the metadata of a derived table', 'select x || "" as y from (select metadata from auth_logs)', '5.0'),
  digits('a text that was made of a field', 'select y from (select x || "" as y from auth_logs)', '5.0'),
  digits('a column of a derived table', 'select cast(x as string) as y from (select x from auth_logs)', '5'),
  digits('a column of a table of WITH', 'with t as (select x from auth_logs) select length(x) as y from t', 1),
  digits('a column behind a limit', "select x like '%.0' as y from (select x from auth_logs limit 1)", false),
  digits('a column of a union', `select x || '' as y from ${BOTH}`, '5'),
  digits('a filter of unions', `select x as y from (select x from ${BOTH} union all select 1) where x || '' = '5.0'`),
  digits(
    'a filter of the first rows of unions',
    `select y from (select timestamp, x as y from (select * from ${BOTH} union all select timestamp, x from ${BOTH}))
    where y || '' = '5.0' order by timestamp desc limit 3`,
  ),
  digits('a group', 'select lower(x) as y from auth_logs group by x', '5'),
  digits('a choice', 'select if(true, coalesce(x, 0), x) || "" as y from auth_logs', '5'),
  digits('elements', 'select cast(v as string) as y from auth_logs cross join unnest(l) as v order by 1', '1', '2.5'),
  ...each("regexp_replace(x, r'\\d+', '#')", [
    ['a1b22', 'a#b#'],
    ['abc', 'abc'],
    [15, '#'],
    [null, null],
  ]),
  ...each("regexp_replace(x, r'(\\w+)@(\\w+)', r'\\2 at \\1')", [
    ['me@home', 'home at me'],
    ['x', 'x'],
  ]),
  ...each("regexp_replace(x, 'b', '$1')", [['abc', 'a$1c']]),
  ...each("split(x, '/')[offset(0)]", [
    ['a/b', 'a'],
    ['/b', ''],
    ['', ''],
    [null, null],
  ]),
  ...each("split(x, '/')[safe_offset(2)]", [
    ['a/b/c', 'c'],
    ['a/b', null],
    [null, null],
  ]),
  ...each('split(x)[safe_offset(1)]', [
    ['a,b', 'b'],
    ['a', null],
  ]),
  ...each("split(x, '')[safe_offset(1)]", [['a😀b', '😀']]),
  ...each("x like 'a_c%'", [
    ['abc', true],
    ['a😀cd', true],
    ['ac', false],
    ['xabc', false],
    ['a\ncd', true],
    [null, null],
  ]),
  ...each("x ilike '%É%'", [
    ['éa', true],
    ['ea', false],
  ]),
  ...each("x like '2__'", [
    [200, true],
    [20, false],
  ]),

  values(
    'other names',
    [
      ["char_length('äb')", 2],
      ["character_length('äb')", 2],
      ["substring('abc', 2)", 'bc'],
    ],
    MORE,
  ),
  values('other forms', [
    ["concat('a')", 'a'],
    ["concat('a', 1, true, 1.5)", 'a1true1.5'],
    ["'a' || 'b' || 1", 'ab1'],
    ["split('a,b')", ['a', 'b']],
    ["regexp_contains('', '')", true],
    ["regexp_replace('abc', '', '-')", '-a-b-c-'],
  ]),
  query(
    'the digits of a field as they were sent',
    `select length(response.origin_time) as n, concat(response.origin_time, 'ms') as t
    from edge_logs where id in ('e1', 'e5') order by n`,
    [
      { n: 2, t: '12ms' },
      { n: 6, t: '1000.5ms' },
    ],
  ),
  query(
    'patterns as users type them',
    `select id from edge_logs where regexp_contains(event_message, '5\\d\\d')
    and regexp_contains(event_message, "\\|\\s/(rest|storage)/") order by id`,
    [{ id: 'e4' }, { id: 'e5' }],
  ),

  badPattern(
    'a repetition of nothing',
    "select regexp_contains('a', '*a')",
    'The pattern is not valid RE2: no argument for repetition operator: *. (line 1, column 8)',
  ),
  badPattern(
    'a reference to a group',
    "select regexp_contains(id, r'(a)\\1') from edge_logs",
    'The pattern is not valid RE2: invalid escape sequence: \\1. (line 1, column 8)',
  ),
  wrong(
    'a pattern of a field',
    'select regexp_contains(event_message, id) from edge_logs',
    'A pattern must be a text that is written in the query. (line 1, column 8)',
  ),
  wrong('too few arguments', "select starts_with('a')", 'starts_with takes 2 arguments, and got 1. (line 1, column 8)'),
  wrong('too many arguments', "select lower('a', 'b')", 'lower takes 1 argument, and got 2. (line 1, column 8)'),
  wrong(
    'a negative length',
    "select substr(id, 1, -1) as x from edge_logs where id = 'e1'",
    'substr: the length must not be negative. (line 1, column 8)',
  ),
  tooLong(
    'a text that is too long',
    `select length(${'replace('.repeat(4)}id${`, 'a', '${'a'.repeat(40)}')`.repeat(4)}) as x
    from auth_logs`,
  ),
  wrong(
    'an offset beyond the list',
    "select split(id, ',')[offset(1)] as x from edge_logs",
    'An offset is beyond the end of its list: use safe_offset, which is null then. (line 1, column 8)',
  ),
  refused(
    'a place without offset',
    "select split('a,b', ',')[0]",
    'A place in a list is written [offset(0)], counted from 0, or [safe_offset(0)]. (line 1, column 25)',
  ),
  refused(
    'ORDINAL',
    "select split('a,b', ',')[ordinal(1)]",
    'A place in a list is written [offset(0)], counted from 0, or [safe_offset(0)]. (line 1, column 25)',
  ),
  refused(
    'strpos',
    "select strpos('abc', 'b')",
    'The function strpos is not covered. Write contains_substr(text, part), or regexp_contains(text, pattern): ' +
      'whether it occurs. (line 1, column 8)',
  ),
  query(
    'the value of an expression that always returns a field, as of any other expression',
    `select cast(x as string) as sent, cast(case when true then x end as string) as a, concat(if(true, x, 1)) as b,
      cast(coalesce(null, x) as string) as c, cast(case when id = '1' then x end as string) as d
    from edge_logs order by id`,
    [
      { sent: '1.0', a: '1', b: '1', c: '1', d: '1' },
      { sent: '-0', a: '0', b: '0', c: '0', d: null },
    ],
    { records: SENT },
  ),
]
