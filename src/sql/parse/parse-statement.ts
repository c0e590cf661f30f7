import { nearest } from '../../base/text/nearest.js'
import { RESERVED } from '../../common/sql-words.js'
import { parseExpression } from './expression.js'
import { invalid, unsupported } from './fault.js'
import { parseFrom } from './from.js'
import { tokensOf } from './lexer.js'
import type { SqlLimits } from './limits.js'
import { type Grammar, Tokens } from './tokens.js'
import type { Body, CommonTable, Item, Node, OrderItem, Query, Select } from './tree.js'

/** A statement: a query, and whether EXPLAIN precedes the query. */
export interface Statement {
  query: Query
  isExplain: boolean
  /** The first place of each parameter by name. */
  parameters: ReadonlyMap<string, number>
}

/** Parses a text. Throws an SqlFault: `invalid_sql`, or `unsupported_sql` outside of the subset. */
export function parseStatement(text: string, limits: SqlLimits): Statement {
  const tokens = new Tokens(tokensOf(text, limits), limits, GRAMMAR)
  const isExplain = tokens.take('explain')
  const { kind, text: first, at, spelled } = tokens.peek()
  if (kind === 'end') throw invalid('The text is empty: write SELECT …', at)
  if (isExplain && (first === 'analyze' || first === 'verbose'))
    throw unsupported('EXPLAIN takes no options: it counts the rows of each operator.', at)
  if (kind === 'word' && first !== 'select' && first !== 'with')
    throw unsupported(`Only SELECT is covered, with EXPLAIN or WITH before it, not ${spelled}.`, at)
  const query = parseQuery(tokens)
  const isEnded = tokens.take(';')
  while (tokens.take(';'));
  const next = tokens.peek()
  if (next.kind === 'end') return { query, isExplain, parameters: tokens.parameters }
  if (isEnded || tokens.isAt('select') || tokens.isAt('with'))
    throw unsupported('Only one statement is covered.', next.at)
  if (tokens.isAt('offset')) throw invalid('OFFSET stands behind LIMIT: write LIMIT 100 OFFSET 10.', next.at)
  throw unexpectedEnd(tokens)
}

/**
 * Parses a text that is one expression, such as a condition. Throws an SqlFault as {@link parseStatement} does, also
 * for a parameter.
 */
export function parseAlone(text: string, limits: SqlLimits): Node {
  const tokens = new Tokens(tokensOf(text, limits), limits, GRAMMAR)
  const { kind, at } = tokens.peek()
  if (kind === 'end') throw invalid("The condition is empty: write one, such as user_id = '42'.", at)
  const node = parseExpression(tokens)
  if (tokens.peek().kind !== 'end') throw tokens.unexpected('the end of the condition')
  for (const [name, place] of tokens.parameters)
    throw unsupported(`The condition has the parameter @${name}: write its value.`, place)
  return node
}

/** Words of other dialects behind a complete query, and the error message for each. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['similar', 'SIMILAR TO is not covered: write regexp_contains(text, pattern).'],
  ['within', 'WITHIN GROUP is not covered: write approx_quantiles(x, 100)[offset(95)].'],
])

/** The clauses of a query in their order. */
const CLAUSES = ['from', 'where', 'group', 'having', 'order', 'limit']

/** The error of a text that goes on: a clause may be in the wrong place, or misspelt and thus read as an alias. */
function unexpectedEnd(tokens: Tokens): Error {
  const { text, at } = tokens.peek()
  const instead = INSTEAD.get(text)
  if (instead !== undefined) return unsupported(instead, at)
  if (CLAUSES.includes(text))
    return invalid(`${text.toUpperCase()} is in the wrong place. The order is ${CLAUSES.join(', ').toUpperCase()}.`, at)
  const before = tokens.peek(-1)
  const meant = before.kind === 'word' && !RESERVED.has(before.text) ? nearest(before.text, CLAUSES) : undefined
  if (meant === undefined) return tokens.unexpected('the end of the text')
  return invalid(`Expected the end of the text. Is ${before.spelled} meant to be ${meant.toUpperCase()}?`, before.at)
}

const GRAMMAR: Grammar = { expression: parseExpression, query: parseQuery }

function parseQuery(tokens: Tokens): Query {
  tokens.enter()
  const { at } = tokens.peek()
  const tables = parseCommonTables(tokens)
  const body = parseBody(tokens)
  const orderBy = takeBy(tokens, 'order') ? listOf(tokens, parseOrderItem) : []
  const limit = tokens.take('limit') ? parseExpression(tokens) : undefined
  if (limit !== undefined && tokens.isAt(','))
    throw unsupported('LIMIT with a comma is not covered: write LIMIT 100 OFFSET 10.', tokens.peek().at)
  const offset = limit !== undefined && tokens.take('offset') ? parseExpression(tokens) : undefined
  const depth = tokens.checkDepth(1 + Math.max(depthOf(body), ...tables.map(({ query }) => query.depth)), at)
  tokens.leave()
  return { at, depth, tables, body, orderBy, limit, offset }
}

/** Whether ORDER BY or GROUP BY is next, which is taken. */
function takeBy(tokens: Tokens, word: 'order' | 'group'): boolean {
  if (!tokens.take(word)) return false
  tokens.expect('by', ` behind ${word.toUpperCase()}`)
  return true
}

function depthOf(body: Body): number {
  if (body.kind === 'union') return Math.max(...body.parts.map((part) => ('body' in part ? part.depth : depthOf(part))))
  const table = body.from?.table
  return table?.kind === 'derived' ? table.query.depth : 0
}

function parseCommonTables(tokens: Tokens): CommonTable[] {
  if (!tokens.take('with')) return []
  const { at } = tokens.peek()
  if (tokens.take('recursive')) throw unsupported('WITH RECURSIVE is not covered.', at)
  return listOf(tokens, () => {
    const name = tokens.name('a name')
    tokens.expect('as')
    tokens.expect('(')
    const query = parseQuery(tokens)
    tokens.expect(')', ' behind the query')
    return { at: name.at, name: name.spelled, query }
  })
}

function listOf<T>(tokens: Tokens, parse: (tokens: Tokens) => T): T[] {
  const list = [parse(tokens)]
  while (tokens.take(',')) list.push(parse(tokens))
  return list
}

function parseBody(tokens: Tokens): Body {
  const { at } = tokens.peek()
  const first = tokens.isAt('(') ? parsePart(tokens) : parseSelect(tokens)
  const parts = [first]
  while (tokens.isAt('union') || tokens.isAt('except') || tokens.isAt('intersect')) {
    const { at, text } = tokens.next()
    const instead = text === 'except' ? 'NOT IN' : 'IN'
    if (text !== 'union') throw unsupported(`${text.toUpperCase()} is not covered: use ${instead} (select …).`, at)
    if (!tokens.take('all')) throw unsupported('Only UNION ALL is covered: use SELECT DISTINCT around it.', at)
    parts.push(parsePart(tokens))
  }
  return parts.length === 1 && 'kind' in first ? first : { kind: 'union', at, parts }
}

function parsePart(tokens: Tokens): Select | Query {
  if (!tokens.take('(')) return parseSelect(tokens)
  const query = parseQuery(tokens)
  tokens.expect(')', ' behind the query')
  return query
}

function parseSelect(tokens: Tokens): Select {
  const { at } = tokens.expect('select')
  if (tokens.isAt('as')) throw unsupported('SELECT AS STRUCT is not covered.', tokens.peek().at)
  const isDistinct = tokens.take('distinct')
  if (isDistinct && tokens.isAt('on', '('))
    throw unsupported('DISTINCT ON is not covered: use GROUP BY and any_value(x).', tokens.peek().at)
  if (!isDistinct) tokens.take('all')
  const items = parseItems(tokens)
  const from = tokens.take('from') ? parseFrom(tokens) : undefined
  const where = tokens.take('where') ? parseExpression(tokens) : undefined
  const groupBy = takeBy(tokens, 'group') ? parseGroupBy(tokens) : []
  const having = tokens.take('having') ? parseExpression(tokens) : undefined
  refuseBehindSelect(tokens)
  return { kind: 'select', at, isDistinct, items, from, where, groupBy, having }
}

/** A comma may stand before FROM. */
function parseItems(tokens: Tokens): Item[] {
  const items = [parseItem(tokens)]
  while (tokens.take(',')) {
    const { kind } = tokens.peek()
    if (tokens.isAt('from') || kind === 'end' || tokens.isAt(')')) return items
    items.push(parseItem(tokens))
  }
  return items
}

function parseItem(tokens: Tokens): Item {
  const { at, kind, spelled } = tokens.peek()
  const isPath = kind === 'word' || kind === 'quoted'
  const isAllOf =
    isPath && tokens.peek(1).text === '.' && tokens.peek(2).text === '*' && tokens.peek(2).kind === 'symbol'
  if (tokens.isAt('*') || isAllOf) {
    for (let left = isAllOf ? 3 : 1; left > 0; left--) tokens.next()
    const { text, at: behind } = tokens.peek()
    if (text === 'except' || text === 'replace')
      throw unsupported(`* ${text.toUpperCase()} is not covered: name the columns.`, behind)
    return { kind: 'all', at, table: isAllOf ? spelled : undefined }
  }
  return { kind: 'value', value: parseExpression(tokens), name: tokens.alias() }
}

function parseGroupBy(tokens: Tokens): Node[] {
  const { text, at } = tokens.peek()
  if (['all', 'rollup', 'cube', 'grouping'].includes(text))
    throw unsupported(`GROUP BY ${text.toUpperCase()} is not covered: name the keys.`, at)
  return listOf(tokens, parseExpression)
}

function refuseBehindSelect(tokens: Tokens): void {
  const { text, at } = tokens.peek()
  if (tokens.isAt('qualify') || tokens.isAt('window'))
    throw unsupported(`${text.toUpperCase()} is not covered: windows are not.`, at)
  if (tokens.isAt('fetch')) throw unsupported('FETCH is not covered: write LIMIT.', at)
}

function parseOrderItem(tokens: Tokens): OrderItem {
  const by = parseExpression(tokens)
  const direction = tokens.take('desc') ? 'desc' : 'asc'
  if (direction === 'asc') tokens.take('asc')
  if (tokens.take('nulls', 'first')) return { by, direction, nulls: 'first' }
  if (tokens.take('nulls', 'last')) return { by, direction, nulls: 'last' }
  return { by, direction, nulls: direction === 'asc' ? 'first' : 'last' }
}
