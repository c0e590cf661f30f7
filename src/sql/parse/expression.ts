import type { FunctionName } from '../../plan/functions/table.js'
import { typeOfCast } from './call.js'
import { invalid, unsupported } from './fault.js'
import { refuseForeign } from './foreign.js'
import { parseParentheses, parsePrimary } from './primary.js'
import type { Tokens } from './tokens.js'
import type { Node } from './tree.js'

/** How tightly infix operators bind, as in BigQuery. NOT is between AND and comparisons. Signs bind more tightly. */
const BINDS = { or: 1, and: 2, comparison: 4, sum: 5, product: 6 } as const

/**
 * Parses an expression by precedence climbing: operators that bind at least as tightly as `least` are part of the
 * expression. A chain of AND, OR or || becomes a single node. Few calls are nested for each level of the text, so that
 * the deepest text that is allowed fits on the stack.
 */
export function parseExpression(tokens: Tokens, least: number = BINDS.or): Node {
  tokens.enter()
  let node = parseOperand(tokens)
  for (let binds = bindsOf(tokens); binds !== undefined && binds >= least; binds = bindsOf(tokens)) {
    node = parseInfix(tokens, node, binds)
  }
  refuseForeign(tokens)
  tokens.leave()
  return node
}

/** How tightly the next operator binds, or undefined if the next token is no operator. */
function bindsOf(tokens: Tokens): number | undefined {
  const { kind, text } = tokens.peek()
  if (kind === 'symbol') return COMPARISONS.has(text) ? BINDS.comparison : SYMBOLS.get(text)
  if (kind !== 'word') return undefined
  if (text === 'and' || text === 'or') return BINDS[text]
  if (text === 'not') return TESTS.has(tokens.peek(1).text) ? BINDS.comparison : undefined
  return text === 'is' || TESTS.has(text) ? BINDS.comparison : undefined
}

const SYMBOLS: ReadonlyMap<string, number> = new Map([
  ['+', BINDS.sum],
  ['-', BINDS.sum],
  ['*', BINDS.product],
  ['/', BINDS.product],
  ['||', BINDS.product],
])

/** Tests that are words, and may follow NOT. */
const TESTS: ReadonlySet<string> = new Set(['between', 'in', 'like', 'ilike'])

/** Parses the next operator and the right side. */
function parseInfix(tokens: Tokens, left: Node, binds: number): Node {
  const { text, kind } = tokens.peek()
  if (binds === BINDS.or || binds === BINDS.and) return parseChain(tokens, left, text as 'and' | 'or', binds)
  if (text === '||') return parseChain(tokens, left, '||', binds)
  if (binds === BINDS.comparison) return kind === 'word' ? parseTest(tokens, left) : parseComparison(tokens, left)
  tokens.next()
  return operator(tokens, ARITHMETIC[text], [left, parseExpression(tokens, binds + 1)])
}

const ARITHMETIC: Readonly<Record<string, FunctionName>> = { '+': 'add', '-': 'sub', '*': 'mul', '/': 'div' }

/** A single node for `a op b op c`. */
function parseChain(tokens: Tokens, first: Node, symbol: 'and' | 'or' | '||', binds: number): Node {
  const args = [first]
  while (tokens.take(symbol)) args.push(parseExpression(tokens, binds + 1))
  return operator(tokens, symbol === '||' ? 'concat' : symbol, args)
}

const COMPARISONS: ReadonlyMap<string, FunctionName> = new Map([
  ['=', 'eq'],
  ['!=', 'ne'],
  ['<>', 'ne'],
  ['<', 'lt'],
  ['<=', 'le'],
  ['>', 'gt'],
  ['>=', 'ge'],
] as const)

function parseComparison(tokens: Tokens, value: Node): Node {
  const fn = COMPARISONS.get(tokens.next().text)!
  const compared = operator(tokens, fn, [value, parseSum(tokens)])
  if (bindsOf(tokens) !== BINDS.comparison) return compared
  throw invalid('A comparison is compared: put one of them in parentheses.', tokens.peek().at)
}

/** Parses the right side of a comparison. */
const parseSum = (tokens: Tokens): Node => parseExpression(tokens, BINDS.sum)

const operator = (tokens: Tokens, fn: FunctionName, args: readonly Node[]): Node =>
  tokens.node({ kind: 'operator', fn, args }, args[0].at, args)

const negated = (tokens: Tokens, node: Node, isNot: boolean): Node => (isNot ? operator(tokens, 'not', [node]) : node)

/** Tests that are words: IS, BETWEEN, IN, LIKE, ILIKE. */
function parseTest(tokens: Tokens, value: Node): Node {
  if (tokens.take('is')) return parseIs(tokens, value)
  const isNot = tokens.isAt('not') && TESTS.has(tokens.peek(1).text)
  if (isNot) tokens.next()
  if (tokens.take('between')) {
    const low = parseSum(tokens)
    tokens.expect('and', ' of BETWEEN')
    const bounds = [operator(tokens, 'ge', [value, low]), operator(tokens, 'le', [value, parseSum(tokens)])]
    return negated(tokens, operator(tokens, 'and', bounds), isNot)
  }
  if (tokens.take('in')) return negated(tokens, parseIn(tokens, value), isNot)
  for (const fn of ['like', 'ilike'] as const) {
    if (tokens.take(fn)) return negated(tokens, parseLike(tokens, fn, value), isNot)
  }
  return value
}

function parseIs(tokens: Tokens, value: Node): Node {
  const isNot = tokens.take('not')
  const { text, at, spelled } = tokens.peek()
  const fn = ({ null: 'is_null', true: 'is_true', false: 'is_false' } as const)[text]
  if (fn === undefined) {
    if (text === 'distinct') throw unsupported('IS DISTINCT FROM is not covered: compare with = and IS NULL.', at)
    throw invalid(`Expected NULL, TRUE or FALSE behind IS, found ${spelled}.`, at)
  }
  tokens.next()
  return negated(tokens, operator(tokens, fn, [value]), isNot)
}

function parseIn(tokens: Tokens, value: Node): Node {
  if (tokens.isAt('unnest')) throw unsupported('IN UNNEST is not covered: write IN (a, b, …).', tokens.peek().at)
  tokens.expect('(', ' behind IN')
  if (tokens.isAt('select') || tokens.isAt('with')) {
    const query = tokens.grammar.query(tokens)
    tokens.expect(')', ' behind the subquery')
    const node = tokens.node({ kind: 'inQuery', value, query }, value.at, [value])
    return { ...node, depth: tokens.checkDepth(Math.max(node.depth, query.depth + 1), value.at) }
  }
  const args = [value]
  do args.push(tokens.grammar.expression(tokens))
  while (tokens.take(','))
  tokens.expect(')', ' behind the list of IN')
  return operator(tokens, 'in', args)
}

function parseLike(tokens: Tokens, fn: 'like' | 'ilike', value: Node): Node {
  const { at, text } = tokens.peek()
  if (text === 'any' || text === 'some' || text === 'all')
    throw unsupported(`LIKE ${text.toUpperCase()} is not covered: write LIKE … OR LIKE …`, at)
  const test = operator(tokens, fn, [value, parseSum(tokens)])
  if (tokens.isAt('escape')) throw unsupported('ESCAPE is not covered: a backslash escapes.', tokens.peek().at)
  return test
}

/**
 * Signs, NOT, and a value. A loop, since a chain of signs must not recurse. More than two count as 1 or 2, by parity.
 */
function parseOperand(tokens: Tokens): Node {
  const { at } = tokens.peek()
  if (tokens.isAt('not')) {
    let count = 0
    while (tokens.take('not')) count++
    return repeated(tokens, 'not', count, parseExpression(tokens, BINDS.comparison), at)
  }
  let minuses = 0
  while (tokens.isAt('-') || tokens.isAt('+')) minuses += tokens.next().text === '-' ? 1 : 0
  return repeated(tokens, 'neg', minuses, parsePostfix(tokens), at)
}

function repeated(tokens: Tokens, fn: 'not' | 'neg', count: number, value: Node, at: number): Node {
  let node = value
  for (let left = count > 2 ? 2 - (count % 2) : count; left > 0; left--)
    node = tokens.node({ kind: 'operator', fn, args: [node] }, at, [node])
  return node
}

/** Parses a value with suffixes, `[offset(0)]` and `::int64`. */
function parsePostfix(tokens: Tokens): Node {
  let node = tokens.isAt('(') ? parseParentheses(tokens) : parsePrimary(tokens)
  for (;;) {
    if (tokens.isAt('[')) node = parseElement(tokens, node)
    else if (tokens.take('::')) node = operator(tokens, `cast_${typeOfCast(tokens)}`, [node])
    else if (tokens.isAt('.') && node.kind !== 'name') {
      throw unsupported('A field of a computed value is not covered: use json_value.', tokens.peek().at)
    } else return node
  }
}

function parseElement(tokens: Tokens, list: Node): Node {
  const { at } = tokens.next()
  const { text } = tokens.peek()
  if (text !== 'offset' && text !== 'safe_offset') {
    throw unsupported('A place in a list is written [offset(0)], counted from 0, or [safe_offset(0)].', at)
  }
  tokens.next()
  tokens.expect('(')
  const place = tokens.grammar.expression(tokens)
  tokens.expect(')')
  tokens.expect(']')
  return operator(tokens, text, [list, place])
}
