/** Random lines of NDJSON, mostly valid: records of all sources, in every form that their fields may have. */
import fc from 'fast-check'
import { allSources, ownSourceNames } from '../../src/common/sources.js'
import { NOW_US } from './parsing.js'
import { lineText, mutation, objectWith, repeated, string, value } from './wasm-scanner.records.js'

const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<string> => text.map((content) => JSON.stringify(content))

/** Mostly the wanted value, sometimes any other value. */
const mostly = (wanted: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: wanted }, { weight: 1, arbitrary: fc.oneof(value, fc.constant('null')) })

/** Other spellings of a name of an own source, in JSON. Those of the last line mean another name. */
const spellings = (name: string) => [
  ...[name.toUpperCase(), name.replace('_', '-'), name.replace('_', ' \u0000é.'), name.replace('_', '😀')].map((text) =>
    JSON.stringify(text),
  ),
  `"${name.replace('_', '\\ud800')}"`,
  ...[`${name}-`, `-${name}`, name.replace('_', '_-'), name.replace('_', ''), `${name} \u017f`].map((text) =>
    JSON.stringify(text),
  ),
]

const names = allSources().flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]))

const source = fc.oneof(
  { weight: 20, arbitrary: quoted(fc.constantFrom(...names)) },
  ...ownSourceNames().map((name) => ({ weight: 10, arbitrary: fc.constantFrom(`"${name}"`, ...spellings(name)) })),
  { weight: 1, arbitrary: fc.constantFrom('"edg\\u0065_logs"', '"edge_log"', '"edge_logsx"', '""') },
)

/** Timestamps within the accepted range, and around the limits. */
const momentUs = fc.oneof(
  fc.integer({ min: NOW_US - 89 * 86_400e6, max: NOW_US }),
  fc.constantFrom(-90, 1).chain((days) => fc.integer({ min: -2, max: 2 }).map((us) => NOW_US + days * 86_400e6 + us)),
)

/** Lengths to which texts such as `2026-11-20T12:00:00` are cut. */
const TEXT_LENGTHS = [19, 19, 19, 16, 13, 10, 18]
const ZONES = ['Z', 'Z', 'Z', 'z', '', '+05:30', '-0530', '+02', '+24:00', ' Z', ' UTC', ' -02']

const iso = fc
  .record({
    us: momentUs,
    length: fc.constantFrom(...TEXT_LENGTHS),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^[.,][0-9]{0,10}$/)),
    t: fc.constantFrom('T', 'T', 'T', 't', ' '),
    zone: fc.constantFrom(...ZONES),
  })
  .map(({ us, length, fraction, t, zone }) => {
    const text = new Date(us / 1000).toISOString().slice(0, length).replace('T', t)
    return `"${text}${length === 19 ? fraction : ''}${zone}"`
  })

const epoch = fc
  .record({
    us: momentUs,
    unit: fc.constantFrom(1e6, 1e3, 1, 1e-3),
    end: fc.constantFrom('', '', '', '.25', 'e0', 'e-1', '0'),
  })
  .map(({ us, unit, end }) => `${BigInt(Math.round(us / unit))}${end}`)

const timestamp = fc.oneof(
  { weight: 8, arbitrary: iso },
  { weight: 4, arbitrary: epoch },
  { weight: 1, arbitrary: fc.constantFrom('"2024-02-29T00:00:00Z"', '"2026-02-29T00:00:00Z"', '"now"', '-0', '1e400') },
  { weight: 1, arbitrary: fc.tuple(iso, mutation).map(([text, mutate]) => mutate(text)) },
)

const digits = (most: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`)).map((text) => text.replace(/^0+(?=\d)/, ''))

/** Numbers with few digits, and with about as many as a double represents exactly. */
const number = fc
  .record({
    sign: fc.constantFrom('', '', '-'),
    whole: fc.oneof(digits(3), digits(18)),
    fraction: fc.oneof(fc.constant(''), digits(3), digits(18)),
    exponent: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom('e0', 'E-7', 'e22', 'e400', 'e-400')),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${exponent}`)

const few = fc.constantFrom('"a"', '"b"', '"c"', '""', '"\\u0061"', '"a\\nb"', '"\\ud800"')
const many = fc.nat(300).map((n) => `"project ${n}"`)
const project = fc.oneof(few, many, string)

const path = fc
  .array(fc.constantFrom('/rest', '/storage', '/auth', '/realtime', '/', '/v1', 'rest', '/res', '\\/auth', 'é'), {
    maxLength: 5,
  })
  .map((parts) => `"${parts.join('')}"`)

const request = repeated(objectWith({ url: mostly(string), path: mostly(path) }))
const response = repeated(objectWith({ status_code: mostly(number) }))

const metadata = objectWith({
  project: mostly(project),
  project_ref: mostly(project),
  function_id: mostly(project),
  execution_time_ms: mostly(number),
  request,
  response,
})

const record = objectWith({
  source,
  id: mostly(string),
  timestamp: mostly(timestamp),
  project: mostly(project),
  event_message: mostly(string),
  metadata: mostly(repeated(metadata)),
  // Other fields, which join the metadata. Some fields are read from the metadata.
  message: mostly(string),
  function_id: project,
  execution_time_ms: number,
  request,
  response,
  level: value,
})

/** A record that names a source, with any other fields. */
const sourced = fc.tuple(record, source).map(([text, name]) => text.replace('{', `{"source":${name}, `))

const line = fc.oneof(
  { weight: 8, arbitrary: sourced.map((text) => text.replace(/, (\s*\})$/, '$1')) },
  { weight: 1, arbitrary: fc.oneof(record, lineText) },
  { weight: 1, arbitrary: fc.tuple(sourced, mutation).map(([text, mutate]) => mutate(text)) },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\r', '{', '[]', 'null') },
)

/** A stream of the given lines, mostly valid UTF-8. */
export const stream: fc.Arbitrary<Buffer> = fc
  .record({
    mark: fc.constantFrom('', '', '', '\ufeff'),
    lines: fc.array(line, { minLength: 1, maxLength: 60, size: 'max' }),
    end: fc.constantFrom('', '\n', '\r\n'),
    encoding: fc.constantFrom('utf8', 'utf8', 'utf8', 'latin1'),
  })
  .map(({ mark, lines, end, encoding }) => Buffer.from(mark + lines.join('\n') + end, encoding as BufferEncoding))
