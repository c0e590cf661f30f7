import { DOCUMENTS } from '../docs/documents.js'
import { SQL_CASES } from '../sql/cases/index.js'
import { ADVERSARIAL_TEXTS } from './adversarial.js'
import { COSTLY_TEXTS } from './costly-sql.js'
import { mutated } from './mutated-sql.js'
import { OWN_SOURCE } from './own-source.js'
import { below, oneOf, type Random } from './random.js'
import { randomSql } from './random-sql.js'

/** The most bytes of a request's path. The server refuses longer paths. */
const MAX_PATH = 60_000

const CORPUS: readonly string[] = [
  ...Object.values(SQL_CASES).flatMap((cases) => cases.map(({ sql }) => sql)),
  ...DOCUMENTS.flatMap(({ blocks }) => blocks.filter(({ language }) => language === 'sql').map(({ text }) => text)),
  ...COSTLY_TEXTS.map(([, text]) => text),
]

const TOKEN = /\s+|[A-Za-z_]\w*|\d+|'[^']*'|"[^"]*"|`[^`]*`|./gsu

/** Brackets that a part of a text is nested in. */
const NESTS = [
  ['(', ')'],
  ['lower(', ')'],
  ['length(', ')'],
  ['concat(event_message, ', ')'],
  ['to_json_string(', ')'],
  ['coalesce(null, ', ')'],
  ['case when true then ', ' end'],
  ['not (', ')'],
  ['(select * from ', ')'],
  ["json_value(event_message, '$.a') = (", ')'],
] as const

/** Names that records have, and columns. */
const NAMES = [
  'event_message',
  'metadata',
  'id',
  'timestamp',
  'project',
  'metadata.list',
  'metadata.request',
  'a',
  'level',
]

/** Changes that make a text long or deep, or let the text read other columns. */
const GROWTHS: readonly ((text: string, random: Random) => string)[] = [
  (text, random) => {
    const tokens = text.match(TOKEN) ?? []
    const from = below(random, tokens.length)
    const part = tokens.slice(from, from + 1 + below(random, 12)).join('')
    const times = Math.min(2 ** below(random, 14), Math.floor(MAX_PATH / 2 / (part.length + 1)))
    const numbered = Array.from({ length: times }, (_, i) => part.replaceAll(/\d+/g, `${i}`)).join('')
    return tokens.slice(0, from).join('') + numbered + tokens.slice(from).join('')
  },
  (text, random) => {
    const tokens = text.match(TOKEN) ?? []
    const at = below(random, tokens.length)
    const [open, close] = oneOf(random, NESTS)
    const levels = 2 ** below(random, 11)
    return [
      ...tokens.slice(0, at),
      open.repeat(levels),
      tokens[at],
      close.repeat(levels),
      ...tokens.slice(at + 1),
    ].join('')
  },
  (text, random) => text.replaceAll(/\b(?:level|status|response|event_message|id|a)\b/g, () => oneOf(random, NAMES)),
  (text, random) =>
    text.replaceAll(/\d+/g, () => oneOf(random, ['0', '1', '-5', '1000', '9223372036854775807', '1e300', '500000'])),
  (text, random) => text.replaceAll(/from \w+_logs/g, (from) => `${from}, unnest(metadata.list) e${below(random, 3)}`),
  (text) => `explain ${text}`,
  (text) => text.replaceAll(/\b(?:edge|postgres)_logs\b/g, OWN_SOURCE),
]

/** A text of SQL: a right text, or a changed text. */
function hostileSql(random: Random): string {
  let text = below(random, 3) === 0 ? randomSql(random) : oneOf(random, CORPUS)
  for (let left = below(random, 3); left > 0; left--) text = oneOf(random, GROWTHS)(text, random)
  return (below(random, 3) === 0 ? mutated(text, random) : text).toWellFormed()
}

const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2C', ',')

/** Returns the path of a request with a hostile text of SQL. */
export function sqlPath(random: Random): string {
  return `/api/endpoints/query/logs.all?project=a&sql=${encoded(hostileSql(random))}`
    .slice(0, MAX_PATH)
    .replace(/%.?$/, '')
}

const SOURCES = ['edge_logs', 'postgres_logs', 'function_edge_logs', 'function_logs', 'auth_logs', OWN_SOURCE, 'nope']
const OPERATORS = ['=', '!=', '<', '<=', '>', '>=', 'in', 'not_in', 'exists', 'missing', 'contains', 'matches']
const FIELDS = [
  ...NAMES,
  'request.method',
  'request.headers.host',
  'list',
  'a.a.a.a.a',
  'response.status_code',
  `${'a.'.repeat(126)}a`,
  `${'a.'.repeat(200)}a`,
]

function hostileText(random: Random): string {
  const texts = [
    () =>
      oneOf(random, [
        'a',
        'aa',
        'GET',
        '"',
        '\\',
        '%',
        '_',
        'é',
        '\u0301',
        '0',
        '[',
        '(a|b)*c',
        '^a+$',
        '.*x',
        '[',
        'ﬁ',
        'İ',
      ]),
  ]
  texts.push(() => ADVERSARIAL_TEXTS[oneOf(random, Object.keys(ADVERSARIAL_TEXTS))]!(2 ** (6 + below(random, 7))))
  return oneOf(random, texts)().toWellFormed()
}

function hostileValue(random: Random): unknown {
  const one = () =>
    oneOf(random, [
      () => hostileText(random),
      () => below(random, 500),
      () => 9007199254740992,
      () => true,
      () => null,
      () => '2026-11-25',
    ])()
  return below(random, 5) === 0 ? Array.from({ length: below(random, 50) }, one) : one()
}

function hostileFilter(random: Random): string {
  const condition = () => {
    const op = oneOf(random, OPERATORS)
    const field = oneOf(random, FIELDS)
    return op === 'exists' || op === 'missing' ? { field, op } : { field, op, value: hostileValue(random) }
  }
  const conditions = Array.from({ length: 1 + below(random, 4) }, () =>
    below(random, 4) === 0 ? [condition(), condition()] : condition(),
  )
  const text = JSON.stringify(conditions)
  return below(random, 20) === 0 ? mutated(text, random).toWellFormed() : text
}

/** Returns the path of a request for rows, counts or numbers of fields, with random parameters. */
export function searchPath(random: Random): string {
  const name = oneOf(random, [
    'logs.explore',
    'logs.fields',
    'logs.histogram',
    'logs.measure',
    'logs.all',
    'usage.api-counts',
    'functions.invocation-stats',
    'logs.projects',
  ])
  const params: Record<string, string> = { project: 'a', source: oneOf(random, SOURCES), start: '2020-01-01T00:00:00Z' }
  if (below(random, 2) === 0) params.search = hostileText(random)
  if (below(random, 2) === 0) params.filter = hostileFilter(random)
  if (below(random, 2) === 0 || name === 'logs.measure') params.field = oneOf(random, FIELDS)
  if (below(random, 3) === 0) params.by = oneOf(random, FIELDS)
  if (below(random, 3) === 0) params.limit = oneOf(random, ['0', '1', '1000', '-1', 'x'])
  if (below(random, 3) === 0) params.interval = oneOf(random, ['1hr', '1day', 'minutely', hostileText(random)])
  const query = Object.entries(params).map(([key, value]) => `${key}=${encoded(value)}`)
  return `/api/endpoints/query/${name}?${query.join('&')}`.slice(0, MAX_PATH).replace(/%.?$/, '')
}
