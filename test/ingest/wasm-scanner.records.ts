/** Random texts of records in all spellings of JSON: white space, escapes, equal keys, repeated records. */
import fc from 'fast-check'

const space = fc.constantFrom('', '', '', '', ' ', '\t', '\r', '  \t')

const stringPart = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[ !#-[\]-~\x80-\xff]{0,20}$/) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\u0041', '\\uD83D\\ude00', '\\ud800', '\\u0000'),
  },
  { weight: 1, arbitrary: fc.constantFrom('{"', '[', ']}', ',', ':', 'null').map((text) => text.replace('"', '\\"')) },
  { weight: 1, arbitrary: fc.nat(9).map((pairs) => '\\\\'.repeat(pairs)) },
)
/** A JSON string of Latin-1 characters. */
export const string = fc.array(stringPart, { maxLength: 6 }).map((parts) => `"${parts.join('')}"`)

const number = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e5', '0.1E-7', '1E+400', '12345678901234567890', '9007199254740993', '-1.50e00'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const literal = fc.constantFrom('true', 'false', 'null')

/** A key of plain characters and \u escapes. */
function spelled(name: string): fc.Arbitrary<string> {
  const plain = fc.constant(`"${name}"`)
  const escapes = fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length })
  const escaped = escapes.map((which) => `"${[...name].map((c, i) => (which[i] ? hexEscape(c) : c)).join('')}"`)
  return fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: escaped })
}
const hexEscape = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`

const OTHER_KEYS = ['', 'ID', 'ids', 'projects', '__proto__', 'constructor']
const otherKey = fc.oneof(
  fc.constantFrom(...OTHER_KEYS).map((name) => `"${name}"`),
  string,
)

function list(open: string, items: fc.Arbitrary<string[]>, close: string): fc.Arbitrary<string> {
  return fc.tuple(items, space, space).map(([texts, s, t]) => `${open}${s}${texts.join(`${t},${s}`)}${t}${close}`)
}
const member = (key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(key, space, space, value).map(([k, s, t, v]) => `${k}${s}:${t}${v}`)

export const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    string,
    number,
    literal,
    list('[', fc.array(tie('value'), { maxLength: 4 }), ']'),
    list('{', fc.array(member(otherKey, tie('value')), { maxLength: 4 }), '}'),
  ),
}))

/** An object with any number of the given keys in any order, and sometimes other keys. */
export function objectWith(values: { [name: string]: fc.Arbitrary<string> }): fc.Arbitrary<string> {
  const named = Object.entries(values).map(([name, arbitrary]) => member(spelled(name), arbitrary))
  const members = fc.array(fc.oneof({ weight: 4, arbitrary: fc.oneof(...named) }, member(otherKey, value)), {
    maxLength: 9,
  })
  return list('{', members, '}')
}

/** The object itself, an array of such objects (a repeated record), or another value. */
export const repeated = (object: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: object },
    { weight: 2, arbitrary: list('[', fc.array(object, { maxLength: 3 }), ']') },
    { weight: 1, arbitrary: list('[', fc.array(fc.oneof(object, value), { maxLength: 3 }), ']') },
    { weight: 1, arbitrary: object.map((text) => `[[${text}]]`) },
    { weight: 1, arbitrary: value },
  )

const headers = objectWith({ user_agent: value, method: value })
const request = objectWith({
  url: value,
  path: value,
  method: value,
  headers: repeated(headers),
  status_code: value,
  request: value,
})
const response = objectWith({ status_code: value, origin_time: value, url: value, headers: value })
const parsed = objectWith({ error_severity: value, user_name: value, application_name: value, sql_state_code: value })
const metadata = objectWith({
  project: value,
  project_ref: value,
  function_id: value,
  execution_time_ms: value,
  request: repeated(request),
  response: repeated(response),
  parsed: repeated(parsed),
  level: value,
  status: value,
  path: value,
  method: value,
  event_type: value,
  metadata: repeated(request),
})

/** The text of a record object. */
export const recordText: fc.Arbitrary<string> = objectWith({
  source: value,
  id: value,
  timestamp: value,
  project: value,
  event_message: value,
  message: value,
  metadata: repeated(metadata),
  request: repeated(request),
  parsed: repeated(parsed),
  level: value,
  status: value,
})

/** The text of a line: mostly a record, with surrounding white space. */
export const lineText: fc.Arbitrary<string> = fc
  .tuple(space, fc.oneof({ weight: 9, arbitrary: recordText }, value, fc.constant('')), space)
  .map((texts) => texts.join(''))

/** A function that deletes, replaces or inserts a byte of a text. `at` in [0, 1) is the relative position. */
export const mutation: fc.Arbitrary<(text: string) => string> = fc
  .record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    keptBytes: fc.constantFrom(0, 1),
    insert: fc.oneof(
      fc.constant(''),
      fc.constantFrom(...'{}[]:,"\\\0\n\t\r\x1f\x7f 01-+.eEtfnu'),
      fc.nat(255).map((byte) => String.fromCharCode(byte)),
    ),
  })
  .map(({ at, keptBytes, insert }) => (text: string) => {
    const i = Math.floor(at * text.length)
    return text.slice(0, i) + insert + text.slice(i + 1 - keptBytes)
  })
