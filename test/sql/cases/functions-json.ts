import { each, MORE, query, Spelled, type SqlCase, values, valuesIn, wrong } from './case.js'
import { recordOf } from './records.js'

const MESSAGE =
  '{"duration": 12.50, "user": {"name": "a\\"b", "tags": ["x", {"y": 1}]}, ' +
  '"none": null, "ok": true, "a b": 1, "n": 1e3}'
const RECORDS = [
  recordOf('auth_logs', {
    id: '1',
    project: 'json',
    event_message: MESSAGE,
    metadata: '{"o": {"k": [1, 2.0]}, "t": "text", "n": 1.50, "b": false, "nested": "{\\"k\\": 5}"}',
  }),
  recordOf('auth_logs', { id: '2', project: 'json', event_message: 'no JSON', metadata: {} }),
]
const options = { records: RECORDS }

const ofMessage = (name: string, pairs: readonly (readonly [string, unknown])[], more = {}) =>
  valuesIn(name, "auth_logs where id = '1'", pairs, { ...options, ...more })

/** JSON in texts, and JSON values of fields. */
export const JSON_CASES: readonly SqlCase[] = [
  ofMessage('json_value: texts, numbers as spelled, booleans', [
    ["json_value(event_message, '$.duration')", '12.50'],
    ["json_value(event_message, '$.user.name')", 'a"b'],
    ["json_value(event_message, '$.user.tags[0]')", 'x'],
    ["json_value(event_message, '$.user.tags[1].y')", '1'],
    ["json_value(event_message, '$.ok')", 'true'],
    ["json_value(event_message, '$.n')", '1e3'],
    ["json_value(event_message, '$.none')", null],
    ["json_value(event_message, '$.user')", null],
    ["json_value(event_message, '$.user.tags')", null],
    ["json_value(event_message, '$.absent.x')", null],
    ["json_value(event_message, '$.user.tags[9]')", null],
    ["json_extract_scalar(event_message, '$.duration')", '12.50'],
    ["cast(json_value(event_message, '$.duration') as float64)", 12.5],
  ]),
  ofMessage('json_query: JSON as text', [
    ["json_query(event_message, '$.user.tags')", '["x",{"y":1}]'],
    ["json_query(event_message, '$.user.name')", '"a\\"b"'],
    ["json_query(event_message, '$.duration')", '12.50'],
    ["json_query(event_message, '$.absent')", null],
    ["json_query(event_message, '$.none')", null],
    ["json_query(event_message, '$.none') is null", true],
  ]),
  ofMessage(
    'keys in quotes, and another name of json_query',
    [
      ["json_extract(event_message, '$.user.tags[1]')", '{"y":1}'],
      [`json_value(event_message, "$['a b']")`, '1'],
      [`json_value(event_message, '$."a b"')`, '1'],
    ],
    MORE,
  ),
  ofMessage('JSON values of fields', [
    ['json_value(metadata, "$.t")', 'text'],
    ['json_value(metadata, "$.o.k[1]")', '2.0'],
    ['json_query(metadata, "$.o")', '{"k":[1,2.0]}'],
    ['json_query(o, "$.k")', '[1,2.0]'],
    ['json_value(metadata.nested, "$.k")', '5'],
    ['to_json_string(o)', '{"k":[1,2.0]}'],
    ['to_json_string(t)', '"text"'],
    ['to_json_string(b)', 'false'],
    ['to_json_string(nothing)', 'null'],
    ['cast(o as string)', '{"k": [1, 2.0]}'],
    ['length(o)', 15],
    ['o', new Spelled('[{"k": [1, 2.0]}]')],
  ]),
  ofMessage('a selected field is a value, not its text', [
    ['n', 1.5],
    ['b', false],
    ['cast(n as string)', '1.50'],
  ]),
  query(
    'a text that is no JSON',
    `select json_value(event_message, '$.x') as a, json_query(event_message, '$') as b
    from auth_logs where id = '2'`,
    [{ a: null, b: null }],
    options,
  ),
  query(
    'a field of a text is not read',
    "select t.x as x, event_message from auth_logs where id = '2'",
    [{ x: null, event_message: 'no JSON' }],
    options,
  ),
  ...each("json_value(x, '$.a')", [
    ['{"a": 1}', '1'],
    ['{"a": "b"}', 'b'],
    ['[1]', null],
    ['', null],
    ['{', null],
    [null, null],
    [5, null],
  ]),
  ...each('json_value(x)', [
    ['"a"', 'a'],
    ['5', '5'],
    ['{}', null],
    [5, '5'],
    [true, 'true'],
    [null, null],
  ]),
  ...each('to_json_string(x)', [
    ['a"b', '"a\\"b"'],
    [1.5, '1.5'],
    [true, 'true'],
    [null, 'null'],
    ['é\n', '"é\\n"'],
  ]),
  values('to_json_string of other values', [
    ["to_json_string(timestamp '2026-11-24 10:00:00')", '"2026-11-24T10:00:00Z"'],
    ["to_json_string(date '2026-11-24')", '"2026-11-24"'],
    ["to_json_string(split('a,b'))", '["a","b"]'],
    ['to_json_string(9007199254740993)', '"9007199254740993"'],
    ['to_json_string(9007199254740991)', '9007199254740991'],
    ["to_json_string(datetime '2026-11-24 10:00:00.5')", '"2026-11-24T10:00:00.500"'],
  ]),
  ofMessage('json_object: an object, not a list of one', [
    ["json_object('ok', 1, 'name', json_value(event_message, '$.user.name'))", new Spelled('{"ok":1,"name":"a\\"b"}')],
    ["json_object('o', o, 'nothing', nothing)", new Spelled('{"o":{"k": [1, 2.0]},"nothing":null}')],
    ["json_value(json_object('a', json_object('b', 5)), '$.a.b')", '5'],
  ]),
  query(
    'json_object of aggregates',
    `select json_object('all', count(*), 'none', countif(false)) as o from auth_logs where id = '1'`,
    [{ o: { all: 1, none: 0 } }],
    options,
  ),
  wrong(
    'json_object with a key too many',
    "select json_object('a', 1, 'b') from auth_logs",
    "json_object takes pairs of a key and a value: json_object('ok', 1, 'failed', 0). (line 1, column 8)",
  ),
  wrong(
    'a JSON path that is none',
    "select json_value(event_message, 'duration') from auth_logs",
    "A JSON path must be a text like '$.request.method'. (line 1, column 8)",
  ),
  wrong(
    'a JSON path of a field',
    'select json_value(event_message, id) from auth_logs',
    "A JSON path must be a text like '$.request.method'. (line 1, column 8)",
  ),
]
