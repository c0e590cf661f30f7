import { badPattern, each, query, refused, type SqlCase, values, wrong } from './case.js'

const edges = (name: string, where: string, ids: readonly string[]) =>
  query(
    name,
    `select id from edge_logs as t where ${where} order by id`,
    ids.map((id) => ({ id })),
  )

const postgres = (name: string, where: string, ids: readonly string[]) =>
  query(
    name,
    `select id from postgres_logs as t where ${where} order by id`,
    ids.map((id) => ({ id })),
  )

const ODD = [0, 1, 200, '200', '200.0', '2e2', 'abc', '', true, false, { a: 1 }, [1], null, undefined]

const outcomes = (expression: string, results: readonly (boolean | null)[], options: { ofFields?: boolean } = {}) =>
  each(
    expression,
    ODD.map((x, i) => [x, results[i]]),
    options,
  )

const [T, F, N] = [true, false, null]

/** Conditions: comparisons between types, three-valued logic, tests of texts. */
export const WHERE_CASES: readonly SqlCase[] = [
  edges('equality', 'response.status_code = 401', ['e3']),
  edges('equality of a number and a text', "response.status_code = '401'", ['e3']),
  edges('!= leaves nulls out', 'response.status_code != 200', ['e2', 'e3', 'e4', 'e5']),
  edges('<>', 'response.status_code <> 200', ['e2', 'e3', 'e4', 'e5']),
  edges('<', 'response.status_code < 401', ['e1', 'e2']),
  edges('<=', 'response.status_code <= 401', ['e1', 'e2', 'e3']),
  edges('>', 'response.status_code > 401', ['e4', 'e5']),
  edges('>=', 'response.status_code >= 401', ['e3', 'e4', 'e5']),
  edges('the literal on the left', '401 <= response.status_code', ['e3', 'e4', 'e5']),
  edges('BETWEEN', 'response.status_code between 401 and 500', ['e3', 'e4']),
  edges('NOT BETWEEN', 'response.status_code not between 401 and 500', ['e1', 'e2', 'e5']),
  edges('BETWEEN of the wrong order', 'response.status_code between 500 and 401', []),
  edges('IN', "request.method in ('POST', 'PUT')", ['e2']),
  edges('IN of numbers', 'response.status_code in (200, 503)', ['e1', 'e5']),
  edges('NOT IN leaves nulls out', "request.method not in ('POST', 'PUT')", ['e1', 'e3', 'e4', 'e5']),
  edges('IN with a null', "request.method in ('POST', null)", ['e2']),
  edges('NOT IN with a null is never true', "request.method not in ('POST', null)", []),
  edges('IN of ten texts', "id in ('a','b','c','d','e','f','g','h','e2','e1')", ['e1', 'e2']),
  edges('IS NULL', 'request.method is null', ['e6']),
  edges('IS NOT NULL', 'request.headers.user_agent is not null', ['e1', 'e2', 'e3', 'e4']),
  edges('IS TRUE', '(response.status_code >= 500) is true', ['e4', 'e5']),
  edges('IS NOT TRUE', '(response.status_code >= 500) is not true', ['e1', 'e2', 'e3', 'e6']),
  edges('IS FALSE', '(response.status_code >= 500) is false', ['e1', 'e2', 'e3']),
  edges('IS NOT FALSE', '(response.status_code >= 500) is not false', ['e4', 'e5', 'e6']),
  edges('NOT of null is null', 'not (response.status_code >= 500)', ['e1', 'e2', 'e3']),
  edges('AND binds before OR', "id = 'e6' or request.method = 'GET' and response.status_code = 200", ['e1', 'e6']),
  edges('NOT binds before AND', "not request.method = 'POST' and response.status_code > 200", ['e3', 'e4', 'e5']),
  edges('parentheses', "(id = 'e6' or request.method = 'GET') and response.status_code = 200", ['e1']),
  edges('NOT NOT', 'not not response.status_code = 200', ['e1']),
  edges('a condition of a literal', 'true', ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']),
  edges('a condition that is null', 'null', []),
  edges(
    'comparisons of the time with texts',
    "timestamp > '2026-11-24T10:01:20Z' and t.timestamp <= '2026-11-24 10:02:00'",
    ['e4', 'e5'],
  ),
  edges('a day as a text', "timestamp < '2026-11-24'", []),
  edges('a number next to the time: 16 digits are microseconds', 't.timestamp > 1795514480000000', ['e4', 'e5', 'e6']),
  edges('13 digits are milliseconds', 't.timestamp > 1795514480000', ['e4', 'e5', 'e6']),
  edges('10 digits are seconds', 't.timestamp > 1795514480', ['e4', 'e5', 'e6']),
  edges(
    'BETWEEN of times',
    "timestamp between '2026-11-24T10:00:30.5Z' and timestamp '2026-11-24 10:01:20.123456+00'",
    ['e2', 'e3', 'e4'],
  ),
  edges('an offset of a time', "timestamp = '2026-11-24T11:02:05+01:00'", ['e6']),

  edges('LIKE with %', "request.path like '/rest/%'", ['e1', 'e2', 'e4']),
  edges('LIKE is of the whole text', "request.path like 'rest'", []),
  edges('LIKE with _', "request.path like '/rest/v_/users'", ['e1', 'e4']),
  edges('NOT LIKE leaves nulls out', "request.path not like '/rest/%'", ['e3', 'e5']),
  edges('LIKE heeds case', "request.path like '/REST/%'", []),
  edges('ILIKE', "request.path ilike '/REST/%'", ['e1', 'e2', 'e4']),
  edges('NOT ILIKE', "request.path not ilike '%USERS'", ['e2', 'e3', 'e5']),
  edges('LIKE of a number takes its digits', "response.status_code like '5%'", ['e4', 'e5']),
  edges('LIKE with characters of patterns', "event_message like '%|%cat.png'", ['e5']),
  postgres('LIKE with an escaped %', "event_message like '%100\\\\%'", ['p4']),
  postgres('LIKE with an escaped % in a raw text', "event_message like r'%100\\%'", ['p4']),
  postgres('an unknown escape keeps its backslash', "event_message like '%100\\%'", ['p4']),

  query(
    'a computed text next to the time that is no time gives null',
    `select count(*) as n, countif(timestamp > concat('so', 'on')) as a, countif(t > timestamp '2026-11-24') as b,
      countif(not timestamp = t) as c from (select timestamp, concat('so', 'on') as t from auth_logs)`,
    [{ n: 3, a: 0, b: 0, c: 0 }],
  ),
  ...outcomes('x = 200', [F, F, T, T, T, T, F, F, F, F, F, F, N, N]),
  ...outcomes("x = '200'", [F, F, T, T, F, F, F, F, F, F, F, F, N, N]),
  ...outcomes('x != 200', [T, T, F, F, F, F, T, T, T, T, T, T, N, N]),
  ...outcomes('x < 200', [T, T, F, F, F, F, N, N, N, N, N, N, N, N]),
  ...outcomes('x <= true', [N, N, N, N, N, N, N, N, T, T, N, N, N, N]),
  ...outcomes("x >= 'a'", [N, N, N, F, F, F, T, F, N, N, N, N, N, N]),
  ...outcomes('x in (1, 200)', [F, T, T, T, T, T, F, F, F, F, F, F, N, N]),
  ...outcomes('x not in (1, null)', [N, F, N, N, N, N, N, N, N, N, N, N, N, N]),
  ...outcomes('x between 1 and 200', [F, T, T, T, T, T, N, N, N, N, N, N, N, N]),
  ...outcomes('x is null', [F, F, F, F, F, F, F, F, F, F, F, F, T, T]),
  ...outcomes('x is true', [F, F, F, F, F, F, F, F, T, F, F, F, F, F]),
  ...outcomes('x is not false', [T, T, T, T, T, T, T, T, T, F, T, T, T, T]),
  ...outcomes("x = timestamp '1970-01-01 00:03:20'", [F, F, T, T, T, N, N, N, F, F, F, F, N, N], { ofFields: true }),
  ...each('x = 9007199254740993', [
    [9007199254740992, false],
    ['9007199254740993', true],
    ['9007199254740992', false],
    ['9007199254740992.0', true],
  ]),
  values('three-valued logic', [
    ['true and null', null],
    ['false and null', false],
    ['null and null', null],
    ['true or null', true],
    ['false or null', null],
    ['null or null', null],
    ['not cast(null as bool)', null],
    ['null = null', null],
    ['null is null', true],
    ['null in (1)', null],
    ['1 in (null, 1)', true],
    ['1 in (null, 2)', null],
    ['1 not in (null, 2)', null],
    ['null between 1 and 2', null],
    ['0 between 1 and null', false],
    ['3 between 1 and null', null],
    ["'b' > 'a'", true],
    ["'B' < 'a'", true],
    ["'10' > '9'", false],
    ["'10' > 9", true],
    ["1 = '1.0'", true],
    ["true = 'true'", false],
    ['1 = true', false],
  ]),

  badPattern(
    'a pattern that is no RE2',
    "select id from edge_logs where regexp_contains(event_message, 'a(')",
    'The pattern is not valid RE2: missing ): a(. (line 1, column 32)',
  ),
  wrong(
    'a text next to the time that is no time',
    "select id from edge_logs where timestamp > 'yesterday'",
    '"yesterday" is no time. Write it as ISO 8601: 2026-11-24T12:00:00Z. (line 1, column 44)',
  ),
  wrong(
    'a literal next to a literal time that is no time',
    "select timestamp '2026-11-24' = 'abc'",
    '"abc" is no time. Write it as ISO 8601: 2026-11-24T12:00:00Z. (line 1, column 33)',
  ),
  wrong(
    'a chain of comparisons',
    'select id from edge_logs where 1 < response.status_code < 500',
    'A comparison is compared: put one of them in parentheses. (line 1, column 57)',
  ),
  wrong(
    'a condition that is neither true nor false',
    'select id from edge_logs where request.method',
    'A condition is neither true nor false: compare the value with something. (line 1, column 32)',
  ),
  wrong(
    'an aggregate in WHERE',
    'select count(*) as n from edge_logs where count(*) > 1',
    'count is an aggregate: it stands in SELECT, HAVING or ORDER BY, and in no other aggregate. (line 1, column 43)',
  ),
  wrong('IS with a value', 'select 1 is 1', 'Expected NULL, TRUE or FALSE behind IS, found 1. (line 1, column 13)'),
  refused(
    'IS DISTINCT FROM',
    'select 1 is distinct from 2',
    'IS DISTINCT FROM is not covered: compare with = and IS NULL. (line 1, column 13)',
  ),
  refused(
    'LIKE ANY',
    "select id from edge_logs where id like any ('a', 'b')",
    'LIKE ANY is not covered: write LIKE … OR LIKE … (line 1, column 40)',
  ),
  refused(
    'ESCAPE',
    "select id from edge_logs where id like 'a!%' escape '!'",
    'ESCAPE is not covered: a backslash escapes. (line 1, column 46)',
  ),
  refused(
    'EXISTS',
    'select id from edge_logs where exists (select 1)',
    'EXISTS is not covered: write value IN (select …). (line 1, column 32)',
  ),
  refused(
    'a struct',
    "select id from edge_logs where (id, project) = ('e1', 'a')",
    'A struct in parentheses is not covered: compare the values one by one. (line 1, column 32)',
  ),
  refused(
    'IN UNNEST',
    'select id from edge_logs where id in unnest(x)',
    'IN UNNEST is not covered: write IN (a, b, …). (line 1, column 38)',
  ),
]
