import { unsupported } from './fault.js'
import type { Tokens } from './tokens.js'
import type { From, Table, Unnest } from './tree.js'

/** Parses the clause behind FROM: a table, and the joined lists. */
export function parseFrom(tokens: Tokens): From {
  const table = parseTable(tokens)
  refuseBehindTable(tokens)
  const unnests: Unnest[] = []
  for (;;) {
    const unnest = parseUnnest(tokens)
    if (unnest === undefined) return { table, unnests }
    unnests.push(unnest)
  }
}

function parseTable(tokens: Tokens): Table {
  const { at } = tokens.peek()
  if (tokens.isAt('unnest'))
    throw unsupported('UNNEST as the first table is not covered: write from edge_logs cross join unnest(…).', at)
  if (tokens.take('(')) {
    const query = tokens.grammar.query(tokens)
    tokens.expect(')', ' behind the subquery')
    refuseBehindTable(tokens)
    return { kind: 'derived', at, query, alias: tokens.alias() }
  }
  const name = tableName(tokens)
  if (tokens.isAt('(')) throw unsupported(`The table function ${name} is not covered.`, at)
  refuseBehindTable(tokens)
  const [, view] = VIEW.exec(name) ?? []
  if (view !== undefined) return { kind: 'view', at, name: view, alias: tokens.alias() }
  return { kind: 'table', at, name, alias: tokens.alias() }
}

/** `` view.`edge.requests-by-hour` ``: no source has such a name. */
const VIEW = /^view\.(.+)$/is

/** Names of sources and views may have dots and dashes. The lexer reads the end of `logs.prod.2` as a number. */
function tableName(tokens: Tokens): string {
  let name = tokens.name('a source or a subquery').spelled
  for (;;) {
    const { kind, text } = tokens.peek()
    if (tokens.isAt('.') || tokens.isAt('-')) name += tokens.next().text + tokens.next().spelled
    else if (kind === 'number' && text.startsWith('.')) name += tokens.next().text
    else return name
  }
}

/** Refuses clauses behind a table that BigQuery has, and that are not covered. */
function refuseBehindTable(tokens: Tokens): void {
  const { text, at, kind } = tokens.peek()
  if (kind !== 'word') return
  if ((text === 'pivot' || text === 'unpivot') && tokens.peek(1).text === '(')
    throw unsupported(`${text.toUpperCase()} is not covered: use countif(condition) and GROUP BY.`, at)
  if (text === 'match_recognize' && tokens.peek(1).text === '(')
    throw unsupported('MATCH_RECOGNIZE is not covered.', at)
  if (text === 'tablesample') throw unsupported('TABLESAMPLE is not covered.', at)
  if (tokens.isAt('for', 'system_time')) throw unsupported('FOR SYSTEM_TIME is not covered: filter by timestamp.', at)
}

/** The joins that are covered: with the elements of a list. */
function parseUnnest(tokens: Tokens): Unnest | undefined {
  const { at, text } = tokens.peek()
  if (tokens.take(',') || tokens.take('cross', 'join')) return parseList(tokens, at, false)
  if (tokens.take('left', 'join') || tokens.take('left', 'outer', 'join')) {
    const unnest = parseList(tokens, at, true)
    if (tokens.isAt('on') && !tokens.take('on', 'true')) throw tokens.unexpected('ON TRUE behind LEFT JOIN UNNEST(…)')
    return unnest
  }
  if (['join', 'inner', 'left', 'right', 'full', 'natural', 'cross'].includes(text) && tokens.peek().kind === 'word')
    throw joinOfTables(at)
  return undefined
}

const joinOfTables = (at: number) =>
  unsupported(
    'Joins of two tables are not covered: write value IN (select …), or UNION ALL. ' +
      'Lists are joined as cross join unnest(metadata.request) as r.',
    at,
  )

function parseList(tokens: Tokens, at: number, isOuter: boolean): Unnest {
  if (!tokens.take('unnest', '(')) throw joinOfTables(at)
  const list = tokens.grammar.expression(tokens)
  tokens.expect(')', ' behind UNNEST')
  refuseBehindTable(tokens)
  const alias = tokens.alias()
  refuseBehindTable(tokens)
  if (tokens.isAt('with', 'offset')) throw unsupported('WITH OFFSET is not covered.', tokens.peek().at)
  return { at, list, alias, isOuter }
}
