/** Suggestions for a place of a query. */
import { declaredFields } from '../../common/hot-columns.js'
import { AGGREGATE_CALLS, CAST_TYPE_NAMES, FUNCTION_CALLS, UNITS_OF_TIME } from '../../common/sql-words.js'
import { isBeforeTable, type Names, namesOf, pathOf } from './names.js'
import { isToken, nameOf, type Token, tokensOf } from './tokens.js'
import { COLUMNS, KEYWORDS } from './words.js'

/** A word that can be written. */
export interface Suggestion {
  label: string
  kind: 'source' | 'column' | 'field' | 'name' | 'aggregate' | 'function' | 'keyword' | 'unit' | 'type'
  /** A function with arguments. */
  call?: string
  /** Suggestions with a higher boost come first: from -99 to 99. */
  boost: number
}

/** Suggestions for the text from `from` up to the place. */
export interface Suggestions {
  from: number
  options: readonly Suggestion[]
}

/** The sources that a query can read. */
export interface Sources {
  names: readonly string[]
  /** Returns the known fields of a source, without declared fields. Empty if no field is known yet. */
  fieldsOf(source: string): readonly string[]
}

/** Returns the suggestions at an offset of a query, or undefined in a text, a number or a comment. */
export function suggestionsAt(query: string, offset: number, sources: Sources): Suggestions | undefined {
  const tokens = tokensOf(query)
  const inside = tokens.find(({ at, end }) => at < offset && offset <= end)
  if (inside !== undefined && isClosed(inside, query, offset)) return undefined
  const [path = ''] = /[\w.`]*$/.exec(query.slice(0, offset)) ?? []
  const before = tokens.filter(({ kind, end }) => kind !== 'comment' && end <= offset - path.length)
  const names = namesOf(tokens, sources.names)
  const dot = path.lastIndexOf('.')
  const from = offset - path.length + dot + 1
  if (dot >= 0) return { from, options: fieldsBelow(path.slice(0, dot), names, sources) }
  return { from, options: wordsAfter(before, names, sources) }
}

/** Whether nothing can be suggested inside of a token. A comment of a line goes on at its end. */
function isClosed({ kind, end, text }: Token, query: string, offset: number): boolean {
  if (kind === 'comment') return offset < end || !text.endsWith('*/')
  return kind === 'number' || (kind === 'text' && (offset < end || end === query.length))
}

/** The functions with a unit of time as their last argument. */
const WITH_UNIT = /_(?:trunc|diff)$/

function wordsAfter(before: readonly Token[], names: Names, sources: Sources): Suggestion[] {
  const last = before.at(-1)
  if (isBeforeTable(before, before.length - 1)) return tablesOf(names, sources)
  if (isToken(before.at(-2), 'interval')) return ofKind('unit', UNITS_OF_TIME)
  const call = openCall(before)
  if (isToken(last, 'as') && /^(?:safe_)?cast$/.test(call?.name ?? '')) return ofKind('type', CAST_TYPE_NAMES)
  const unit = call !== undefined && isUnit(call) ? ofKind('unit', UNITS_OF_TIME, 60) : []
  return [
    ...unit,
    ...ofKind('name', names.columns, 40),
    ...ofKind('name', names.aliases.keys(), 10),
    ...ofKind('column', COLUMNS, 30),
    ...ofKind('field', allFields(names, sources), 20),
    ...calls('aggregate', AGGREGATE_CALLS, 5),
    ...calls('function', FUNCTION_CALLS, 0),
    ...ofKind('keyword', KEYWORDS, -5),
  ]
}

const tablesOf = ({ tables }: Names, { names }: Sources) => [
  ...ofKind('name', tables, 20),
  ...ofKind('source', names, 10),
  UNNEST,
]
const UNNEST: Suggestion = { label: 'unnest', kind: 'keyword', boost: 0 }

const ofKind = (kind: Suggestion['kind'], labels: Iterable<string>, boost = 0): Suggestion[] =>
  [...labels].map((label) => ({ label, kind, boost }))

const calls = (kind: Suggestion['kind'], all: Readonly<Record<string, string>>, boost: number): Suggestion[] =>
  Object.entries(all).map(([label, call]) => ({ label, kind, call, boost }))

/** A call that is not closed: the name in lower case, and the number of the argument at the end, from 0. */
interface OpenCall {
  name: string
  argument: number
}

function openCall(before: readonly Token[]): OpenCall | undefined {
  let [closed, argument] = [0, 0]
  for (const [i, token] of [...before.entries()].reverse()) {
    if (isToken(token, ')')) closed++
    else if (isToken(token, ',') && closed === 0) argument++
    else if (isToken(token, '(') && closed-- === 0) {
      const name = before[i - 1]
      return name?.kind === 'word' ? { name: name.text.toLowerCase(), argument } : undefined
    }
  }
  return undefined
}

const isUnit = ({ name, argument }: OpenCall) =>
  name === 'extract' || (WITH_UNIT.test(name) && argument === (name.endsWith('_diff') ? 2 : 1))

function allFields({ sources }: Names, { fieldsOf }: Sources): Set<string> {
  return new Set(sources.flatMap((source) => [...declaredFields(source), ...fieldsOf(source)]))
}

/** Returns the fields below a path, without the path. After an alias of a source, also returns the columns. */
function fieldsBelow(written: string, names: Names, sources: Sources): Suggestion[] {
  const given = tokensOf(written).filter(({ kind }) => kind !== 'symbol')
  const path = pathOf(given.map(nameOf).join('.'), names.aliases)
  const isTable = path === '' && written !== 'metadata'
  const prefix = path === '' ? '' : `${path}.`
  const known = [...allFields(names, sources)]
  // Fields that are named like a column are `metadata.id` elsewhere.
  const paths = isTable ? known : known.map((field) => field.replace(/^metadata\./, ''))
  const below = paths.filter((field) => field.startsWith(prefix))
  return [
    ...ofKind('column', isTable ? COLUMNS : [], 30),
    ...ofKind('field', new Set(below.map((field) => field.slice(prefix.length))), 20),
  ]
}
