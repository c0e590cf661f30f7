import { RESERVED } from '../../common/sql-words.js'
import { CAST_TYPES, type CastType } from '../../plan/functions/cast.js'
import { isTimeType, momentUs, TIME_OF, type TimeType } from '../../plan/values/values.js'
import { isAggregate } from './aggregate-names.js'
import { invalid, unsupported } from './fault.js'
import type { Token } from './lexer.js'
import type { Tokens } from './tokens.js'
import type { CallOptions, Node } from './tree.js'

/** Functions that BigQuery lets stand without parentheses. */
const WITHOUT_PARENTHESES: ReadonlySet<string> = new Set(['current_timestamp', 'current_date', 'current_datetime'])

/** A name with its path, a call, or a time as a literal. */
export function parseCall(tokens: Tokens): Node {
  const first = tokens.next()
  const { at, kind, text } = first
  if (kind === 'word') {
    if (tokens.peek().kind === 'text' && isTimeType(text)) return timeLiteral(tokens, text, at)
    if (tokens.isAt('(')) return parseArguments(tokens, first)
    if (WITHOUT_PARENTHESES.has(text))
      return tokens.node({ kind: 'call', name: text, spelled: first.spelled, args: [] }, at)
  }
  const steps = [first.spelled]
  let isQuoted = false
  while (tokens.take('.')) {
    const step = tokens.peek()
    if (step.kind !== 'word' && step.kind !== 'quoted') throw tokens.unexpected('a key behind the dot')
    if (steps.length === 1) isQuoted = step.kind === 'quoted'
    steps.push(tokens.next().spelled)
  }
  if (tokens.isAt('(')) {
    const name = steps.join('.')
    const instead = /^safe\./i.test(name) ? ` Write ${name.slice(5)}; safe_cast and safe_divide give null.` : ''
    throw unsupported(`The function ${name} is not covered.${instead}`, at)
  }
  return tokens.node({ kind: 'name', steps, ...(isQuoted && { isQuoted }) }, at)
}

/** A time as a literal: `timestamp '2026-11-24'`. */
function timeLiteral(tokens: Tokens, type: TimeType, at: number): Node {
  const { text, at: textAt } = tokens.next()
  const us = momentUs(text)
  if (us === undefined) throw invalid(`This text is no ${type}. Write it as ISO 8601: ${type} '2026-11-24'.`, textAt)
  return tokens.node({ kind: 'literal', value: TIME_OF[type](us) }, at)
}

function parseArguments(tokens: Tokens, { text: name, spelled, at }: Token): Node {
  tokens.expect('(')
  const options: CallOptions = {}
  const args: Node[] = []
  if (tokens.isAt('*') && tokens.peek(1).text === ')') {
    tokens.next()
    options.isStar = true
  } else if (!tokens.isAt(')')) {
    if (tokens.take('distinct')) options.isDistinct = true
    do args.push(tokens.grammar.expression(tokens))
    while (tokens.take(','))
    refuseOptions(tokens)
    if (tokens.take('limit')) options.limit = tokens.grammar.expression(tokens)
  }
  tokens.expect(')', ` behind the arguments of ${name}`)
  refuseBehind(tokens)
  const children = options.limit === undefined ? args : [...args, options.limit]
  return tokens.node({ kind: 'call', name, spelled, args, ...options }, at, children, isAggregate(name))
}

function refuseOptions(tokens: Tokens): void {
  const { text, at } = tokens.peek()
  if (text === 'order') throw unsupported('ORDER BY in an aggregate is not covered: its order is open.', at)
  if (text === 'ignore' || text === 'respect')
    throw unsupported('IGNORE NULLS and RESPECT NULLS are not covered: nulls are left out.', at)
  if (text === 'separator') throw unsupported('Write the separator as an argument: string_agg(x, ", ").', at)
}

function refuseBehind(tokens: Tokens): void {
  const { at } = tokens.peek()
  if (tokens.isAt('over')) throw unsupported('Windows (OVER) are not covered: use GROUP BY.', at)
  if (tokens.isAt('('))
    throw unsupported('Two pairs of parentheses are not covered: write approx_quantiles(x, 100)[offset(95)].', at)
  if (tokens.isAt('filter', '('))
    throw unsupported('FILTER (WHERE …) is not covered: write countif(condition), or sum(if(condition, x, null)).', at)
}

/** Types of BigQuery by other names. */
const TYPE_ALIASES: Readonly<Record<string, CastType>> = {
  int: 'int64',
  integer: 'int64',
  bigint: 'int64',
  smallint: 'int64',
  boolean: 'bool',
  // Written by Studio for the logs of cron jobs in a self-hosted Supabase.
  text: 'string',
}

/** Types that are not covered, and the type to write instead. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  varchar: 'string',
  char: 'string',
  uuid: 'string',
  float: 'float64',
  double: 'float64',
  real: 'float64',
  numeric: 'float64',
  decimal: 'float64',
  bignumeric: 'float64',
  timestamptz: 'timestamp',
}

/** Reads the type of a cast. */
export function typeOfCast(tokens: Tokens): CastType {
  const { text, at, kind, spelled } = tokens.peek()
  if (kind !== 'word') throw tokens.unexpected('a type')
  tokens.next()
  if (Object.hasOwn(CAST_TYPES, text)) return text as CastType
  if (Object.hasOwn(TYPE_ALIASES, text)) return TYPE_ALIASES[text]
  const instead = Object.hasOwn(OTHER_TYPES, text) ? OTHER_TYPES[text] : undefined
  if (instead !== undefined) throw unsupported(`The type ${spelled} is not covered: write ${instead}.`, at)
  if (text === 'json' || text === 'jsonb')
    throw unsupported(`The type ${spelled} is not covered: fields are read by their path, texts with json_value.`, at)
  throw invalid(`There is no type ${spelled}, but ${Object.keys(CAST_TYPES).join(', ')}.`, at)
}

/** `cast(x as int64)` and `safe_cast(x as int64)`. */
export function parseCast(tokens: Tokens): Node {
  const { text, at } = tokens.next()
  tokens.expect('(')
  const value = tokens.grammar.expression(tokens)
  tokens.expect('as', ' and a type')
  const type = typeOfCast(tokens)
  if (tokens.isAt('format'))
    throw unsupported('FORMAT is not covered: use format_timestamp or parse_timestamp.', tokens.peek().at)
  tokens.expect(')', ' behind the type')
  return tokens.node({ kind: 'operator', fn: `${text as 'cast'}_${type}`, args: [value] }, at, [value])
}

/** `extract(hour from x)`, optionally with `at time zone 'UTC'`. */
export function parseExtract(tokens: Tokens): Node {
  const { at } = tokens.next()
  tokens.expect('(')
  const part = tokens.next()
  if (part.kind !== 'word') throw invalid('Expected a part of a time, as in extract(hour from timestamp).', part.at)
  if (part.text === 'epoch') throw unsupported('EPOCH is not covered: write unix_seconds(timestamp).', part.at)
  tokens.expect('from', ', as in extract(hour from timestamp)')
  const value = tokens.grammar.expression(tokens)
  if (tokens.take('at')) {
    tokens.expect('time')
    tokens.expect('zone')
    const zone = tokens.next()
    if (zone.text.toUpperCase() !== 'UTC') throw otherZone(zone.at)
  }
  tokens.expect(')', ' of extract')
  const unit = tokens.node({ kind: 'literal', value: part.text }, part.at)
  return tokens.node({ kind: 'operator', fn: 'extract', args: [value, unit] }, at, [value, unit])
}

/** The error of a time zone other than UTC. */
export const otherZone = (at: number) => unsupported('Time zones other than UTC are not covered.', at)

/** Parses an interval, as `interval 5 minute`. */
export function parseInterval(tokens: Tokens): Node {
  const { at } = tokens.next()
  if (tokens.peek().kind === 'text') {
    const [, count = '1', unit = 'hour'] = /^\s*(-?\d+)\s+([a-z]+?)s?\s*$/i.exec(tokens.peek().text) ?? []
    const next = tokens.peek(1)
    if (next.kind !== 'word' || RESERVED.has(next.text))
      throw unsupported(`An interval is written without quotes: interval ${count} ${unit.toLowerCase()}.`, at)
  }
  const count = tokens.grammar.expression(tokens)
  const unit = tokens.peek()
  if (unit.kind !== 'word') throw tokens.unexpected('a unit of time, as in interval 5 minute')
  tokens.next()
  return tokens.node({ kind: 'interval', count, unit: unit.text }, at, [count])
}
