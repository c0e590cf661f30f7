import { RESERVED } from '../../common/sql-words.js'
import { integer, numberOfText } from '../../plan/values/values.js'
import { parseCall, parseCast, parseExtract, parseInterval } from './call.js'
import { invalid, unsupported } from './fault.js'
import { refuseForeign } from './foreign.js'
import type { Tokens } from './tokens.js'
import type { Node } from './tree.js'

/** Words that start an expression of their own, not a name. */
const STARTS: Readonly<Record<string, (tokens: Tokens) => Node>> = {
  case: parseCase,
  cast: parseCast,
  safe_cast: parseCast,
  extract: parseExtract,
  interval: parseInterval,
}

/** Parses a value without suffixes: a literal, a parameter, a name, a call, CASE, or parentheses. */
export function parsePrimary(tokens: Tokens): Node {
  const token = tokens.peek()
  const { kind, at, text } = token
  if (kind === 'text') return tokens.node({ kind: 'literal', value: tokens.next().text }, at)
  if (kind === 'number') return tokens.node({ kind: 'literal', value: numberOf(tokens.next().text, at) }, at)
  if (kind === 'parameter') return tokens.node({ kind: 'parameter', name: tokens.next().spelled }, at)
  if (kind === 'word') {
    const constant = CONSTANTS.get(text)
    if (constant !== undefined) {
      tokens.next()
      return tokens.node({ kind: 'literal', value: constant }, at)
    }
    const start = Object.hasOwn(STARTS, text) ? STARTS[text] : undefined
    if (start !== undefined && (text === 'case' || text === 'interval' || tokens.peek(1).text === '('))
      return start(tokens)
    refuseWord(tokens)
    return parseCall(tokens)
  }
  if (kind === 'quoted') return parseCall(tokens)
  refuseForeign(tokens)
  if (tokens.isAt('?') || tokens.isAt(':') || tokens.isAt('{')) throw invalid('A parameter is written @name.', at)
  if (tokens.isAt('[')) throw unsupported('A list is not covered: write IN (a, b, …), or split(text, separator).', at)
  throw tokens.unexpected('an expression')
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Reserved words that start an expression of BigQuery which is not covered. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['exists', 'EXISTS is not covered: write value IN (select …).'],
  ['array', 'ARRAY is not covered.'],
  ['struct', 'STRUCT is not covered: select the fields one by one.'],
  ['select', 'A subquery as a value is not covered: write it behind IN, or as a table behind FROM.'],
  ['any', 'ANY is not covered: write IN (a, b, …).'],
])

function refuseWord(tokens: Tokens): void {
  const { text, at } = tokens.peek()
  const message = REFUSED.get(text)
  if (message !== undefined) throw unsupported(message, at)
  const isCall = tokens.peek(1).text === '(' && tokens.peek(1).kind === 'symbol'
  if (RESERVED.has(text) && !isCall) tokens.name('an expression')
}

/** Parses an expression in parentheses. Not by way of {@link parsePrimary}: a call less for each level of a text. */
export function parseParentheses(tokens: Tokens): Node {
  const { at } = tokens.next()
  if (tokens.isAt('select') || tokens.isAt('with')) {
    throw unsupported('A subquery as a value is not covered: write it behind IN, or as a table behind FROM.', at)
  }
  const node = tokens.grammar.expression(tokens)
  if (tokens.isAt(',')) throw unsupported('A struct in parentheses is not covered: compare the values one by one.', at)
  tokens.expect(')', ' behind the expression')
  return node
}

function parseCase(tokens: Tokens): Node {
  const { at } = tokens.next()
  const subject = tokens.isAt('when') ? undefined : tokens.grammar.expression(tokens)
  const args: Node[] = []
  if (!tokens.isAt('when')) throw tokens.unexpected('WHEN')
  while (tokens.take('when')) {
    const value = tokens.grammar.expression(tokens)
    args.push(
      subject === undefined
        ? value
        : tokens.node({ kind: 'operator', fn: 'eq', args: [subject, value] }, value.at, [subject, value]),
    )
    tokens.expect('then', ' of CASE')
    args.push(tokens.grammar.expression(tokens))
  }
  if (tokens.take('else')) args.push(tokens.grammar.expression(tokens))
  tokens.expect('end', ' of CASE')
  return tokens.node({ kind: 'operator', fn: 'case', args }, at, args)
}

function numberOf(spelled: string, at: number): number | bigint {
  if (!/^0x/i.test(spelled)) return numberOfText(spelled)!
  const value = integer(BigInt(spelled))
  if (value === undefined) throw invalid(`The number ${spelled} is too large.`, at)
  return value
}
