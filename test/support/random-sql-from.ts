import { ownSourceNames } from '../../src/common/sources.js'
import { below, oneOf, type Random } from './random.js'
import type { Atom } from './random-sql-expressions.js'
import type { SqlType } from './random-sql-literals.js'

/** FROM, the names that FROM gives, and the table. */
export interface From {
  text: string
  alias?: string
  atoms: readonly Atom[]
  columns: readonly Atom[]
}

/** The table of FROM: the text, the columns, and whether the table has a metadata column. */
export interface Table {
  text: string
  alias?: string
  columns: readonly Atom[]
}

/** The sources of random records, by names and aliases. Also an own source, if the process has one. */
const SOURCES = [
  'edge_logs',
  '`edge_logs`',
  'Edge_Logs',
  '`cloudflare.logs.prod`',
  'function_edge_logs',
  '`deno-relay-logs`',
  'postgres_logs',
  ...ownSourceNames().flatMap((name) => [name, `\`${name}\``, name.toUpperCase()]),
]

const SOURCE_COLUMNS: readonly Atom[] = [
  { text: 'id', type: 'text' },
  { text: 'timestamp', type: 'time' },
  { text: 'event_message', type: 'text' },
  { text: 'project', type: 'text' },
  { text: 'metadata', type: 'json' },
]

/** Fields of random records: declared fields, other fields, and fields that no record has. */
const FIELDS = [
  'function_id',
  'execution_time_ms',
  'response.status_code',
  'request.url',
  'request.path',
  'request.method',
  'request',
  'level',
  'odd.`a.b`',
  'odd.__proto__',
  'list',
  'list.n',
  'none.x',
]

/** Fields that are objects or lists, with the fields of their elements. */
const CONTAINERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['metadata', ['level', 'function_id', 'request.url', 'response', 'list']],
  ['request', ['url', 'path', 'level']],
  ['response', ['status_code', 'level']],
  ['list', ['n']],
  ['odd', ['`a.b`', '__proto__']],
  ['level', ['a']],
])
const CONTAINER_NAMES = [...CONTAINERS.keys()]

/** Names ignore case, but keys of JSON do not. */
const anyCase = (random: Random, name: string) => (random() < 0.1 ? name.toUpperCase() : name)

/** A source as a table. */
export function randomSource(random: Random): Table {
  const alias = random() < 0.6 ? 't' : undefined
  const text = `${oneOf(random, SOURCES)}${alias === undefined ? '' : oneOf(random, [' as t', ' t'])}`
  return { text, columns: SOURCE_COLUMNS, ...(alias && { alias }) }
}

/** The names of a table's columns and fields, with and without the alias. */
function namesOf(random: Random, { alias, columns }: Table): Atom[] {
  const prefix = () => (alias === undefined || random() < 0.5 ? '' : `${anyCase(random, alias)}.`)
  const own = columns.map(({ text, type }) => ({ text: prefix() + anyCase(random, text), type }))
  if (!columns.some(({ text, type }) => text === 'metadata' && type === 'json')) return own
  const fields = FIELDS.map((field): Atom => {
    const start = oneOf(random, ['', '', 'metadata.'])
    return { text: `${start === '' && random() < 0.7 ? '' : prefix()}${start}${field}`, type: 'any' }
  })
  return [...own, ...fields]
}

/** An unnest, and the names of its elements. */
interface Unnest {
  text: string
  atoms: Atom[]
  /** Paths that other unnests may take. */
  containers: string[]
}

function randomUnnest(random: Random, path: string, alias: string | undefined): Unnest {
  const last = path.split('.').at(-1)!
  const as = alias === undefined ? '' : oneOf(random, [` as ${alias}`, ` ${alias}`])
  const outer = [` left join unnest(${path})${as} on true`]
  const inner = [` cross join unnest(${path})${as}`, `, unnest(${path})${as}`]
  // Most values below metadata are absent, or no container.
  const text = oneOf(random, last === 'metadata' || random() < 0.3 ? [...inner, ...outer, ...outer] : outer)
  const keys = CONTAINERS.get(last) ?? []
  if (alias === undefined) return { text, containers: [], atoms: keys.map((text) => ({ text, type: 'any' })) }
  return {
    text,
    atoms: [
      { text: alias, type: 'any' },
      ...keys.map((key): Atom => ({ text: `${anyCase(random, alias)}.${key}`, type: 'any' })),
    ],
    containers: last === 'metadata' ? CONTAINER_NAMES.map((key) => `${alias}.${key}`) : [`${alias}.level`],
  }
}

/**
 * A table with up to three unnests: of each other, or of fields of the record. An alias may be the name of a field, and
 * hides the field.
 */
export function randomFrom(random: Random, table: Table): From {
  let atoms = namesOf(random, table)
  const hasMetadata = table.columns.some(({ text }) => text === 'metadata')
  let paths = hasMetadata ? [...CONTAINER_NAMES, ...(table.alias ? [`${table.alias}.metadata`] : [])] : []
  paths.push(...table.columns.filter(({ type }) => type === 'any').map(({ text }) => text))
  const aliases = ['m', 'r', 'request', 'x', 'e']
  let text = ` from ${table.text}`
  for (let count = random() < 0.5 ? 0 : 1 + below(random, 3); count > 0 && paths.length > 0; count--) {
    const alias = random() < 0.75 ? aliases.splice(below(random, aliases.length), 1)[0] : undefined
    const unnest = randomUnnest(random, oneOf(random, paths), alias)
    text += unnest.text
    atoms = [...atoms, ...unnest.atoms]
    if (unnest.containers.length > 0) paths = random() < 0.7 ? unnest.containers : [...paths, ...unnest.containers]
  }
  return { ...table, text, atoms }
}

const TIMES: ReadonlySet<SqlType> = new Set(['time', 'datetime', 'date'])

/**
 * The type of the values of several columns together. If times are among others, two that are equal may be written
 * differently.
 */
export function commonSqlType(types: readonly SqlType[]): SqlType {
  if (types.every((type) => type === types[0])) return types[0]!
  return types.some((type) => type === 'open' || TIMES.has(type)) ? 'open' : 'any'
}
