import { foldCase } from '../../../base/text/fold-case.js'
import { KIB } from '../../../base/units.js'
import { AREAS } from '../../../common/columns.js'
import { call, type Expression } from '../../../plan/expression.js'
import { likePattern } from '../../../plan/functions/text.js'
import { isTime, momentUs, numberOf, type Scalar } from '../../../plan/values/values.js'
import { doubleValue, textValue } from '../server/values.js'
import type { JsonOperand } from './json-operand.js'
import {
  type ColumnOperand,
  type Exceptions,
  exceptionsOf,
  isException,
  joinExceptions,
  type Operand,
  operandOf,
  type Table,
} from './operands.js'
import { containsFolded, containsText, matchesPattern } from './patterns.js'

/**
 * A condition as two SQL expressions of 1 or 0, never null: `isTrue` and `isFalse`. Both hold in all rows but the
 * exceptions.
 */
export interface Condition {
  isTrue: string
  isFalse: string
  exceptions: Exceptions
}

/**
 * Translates a condition to SQL. Undefined if ClickHouse has no expression of exactly the same meaning, for any type
 * that a value may have in a row. The condition is then evaluated over the rows that the server returns.
 */
export function lowerCondition(condition: Expression, table: Table): Condition | undefined {
  if (condition.kind !== 'call') return undefined
  const { fn, args } = condition
  switch (fn) {
    case 'and':
      return connect(args, table, 'AND', 'OR')
    case 'or':
      return connect(args, table, 'OR', 'AND')
    case 'not': {
      const of = lowerCondition(args[0], table)
      return of && { ...of, isTrue: of.isFalse, isFalse: of.isTrue }
    }
    case 'is_true':
    case 'is_false': {
      const of = lowerCondition(args[0], table)
      const isTrue = fn === 'is_true' ? of?.isTrue : of?.isFalse
      return of && { exceptions: of.exceptions, isTrue: isTrue!, isFalse: `NOT (${isTrue})` }
    }
    case 'is_null':
      return isNull(operandOf(args[0], table))
    case 'in':
      return lowerIn(args[0], args.slice(1), table)
    default:
      return lowerTest(condition, table)
  }
}

function connect(args: readonly Expression[], table: Table, ofTrue: string, ofFalse: string): Condition | undefined {
  const parts = args.map((arg) => lowerCondition(arg, table))
  if (parts.some((part) => part === undefined)) return undefined
  const all = parts as Condition[]
  return {
    isTrue: `(${all.map(({ isTrue }) => isTrue).join(` ${ofTrue} `)})`,
    isFalse: `(${all.map(({ isFalse }) => isFalse).join(` ${ofFalse} `)})`,
    exceptions: joinExceptions(all.map(({ exceptions }) => exceptions)),
  }
}

/** More equalities take an old server seconds. */
const MOST_EQUALITIES = 50
/** The most characters of the literals of a single IN. A query has at most 1 MiB. */
const MOST_IN_LENGTH = 256 * KIB

function lowerIn(value: Expression, items: readonly Expression[], table: Table): Condition | undefined {
  const amongLiterals = inLiterals(operandOf(value, table), items)
  if (amongLiterals !== undefined || items.length > MOST_EQUALITIES) return amongLiterals
  return connect(
    items.map((item) => call('eq', value, item)),
    table,
    'OR',
    'AND',
  )
}

/**
 * `x IN (…)` of a column. Undefined if a literal is of another type. Undefined for numbers: IN compares bits, and the
 * bits of 0 and -0 differ.
 */
function inLiterals(operand: Operand | undefined, items: readonly Expression[]): Condition | undefined {
  if (operand?.type !== 'text' && operand?.type !== 'timestamp') return undefined
  const literals = items.map((item) =>
    item.kind === 'literal' && item.value !== null ? literalNextTo(operand, item.value) : undefined,
  )
  const list = literals.join(', ')
  if (literals.includes(undefined) || list.length > MOST_IN_LENGTH) return undefined
  const { sql, isEmptyAbsent } = operand
  const isPresent = isEmptyAbsent ? `${sql} != ${textValue('')}` : `isNotNull(${sql})`
  const isAmong = `${sql} IN (${list})`
  return {
    isTrue: `(${isPresent} AND ${isAmong})`,
    isFalse: `(${isPresent} AND NOT (${isAmong}))`,
    exceptions: exceptionsOf(operand),
  }
}

function isNull(operand: Operand | undefined): Condition | undefined {
  if (operand === undefined || operand.type === 'areas') return undefined
  const exceptions = exceptionsOf(operand)
  if (operand.type === 'json') return { isTrue: `${operand.kind} = 'Null'`, isFalse: isPresent(operand), exceptions }
  const { sql, isEmptyAbsent } = operand
  if (isEmptyAbsent) return { isTrue: `${sql} = ${textValue('')}`, isFalse: `${sql} != ${textValue('')}`, exceptions }
  return { isTrue: `isNull(${sql})`, isFalse: `isNotNull(${sql})`, exceptions }
}

const OPERATORS: Readonly<Record<string, { sql: string; negated: string }>> = {
  eq: { sql: '=', negated: '!=' },
  ne: { sql: '!=', negated: '=' },
  lt: { sql: '<', negated: '>=' },
  le: { sql: '<=', negated: '>' },
  gt: { sql: '>', negated: '<=' },
  ge: { sql: '>=', negated: '<' },
}

/** A test of an operand by a literal. */
function lowerTest({ fn, args }: Expression & { kind: 'call' }, table: Table): Condition | undefined {
  const [left, right] = args
  if (args.length !== 2 || right?.kind !== 'literal' || right.value === null) return undefined
  const operand = operandOf(left!, table)
  if (operand === undefined) return undefined
  const { value } = right
  if (operand.type === 'json') return jsonTest(fn, operand, value)
  if (operand.type === 'areas') return areaTest(fn, operand, value)
  if (fn === 'contains_substr') return foldedTest(operand, value)
  const exceptions = exceptionsOf(operand)
  const operator = OPERATORS[fn]
  if (operator !== undefined) {
    const literal = literalNextTo(operand, value)
    if (literal === undefined) return undefined
    const test = (sign: string) => {
      const compared = `${operand.sql} ${sign} ${literal}`
      // A text that equals the literal is present, and a plain equality finds the rows of a project by the order of the
      // table.
      return operand.isEmptyAbsent && sign === '=' && value !== '' ? compared : present(operand, compared)
    }
    return { isTrue: test(operator.sql), isFalse: test(operator.negated), exceptions }
  }
  const matches = typeof value === 'string' && operand.type === 'text' ? textTest(fn, operand.sql, value) : undefined
  if (matches === undefined) return undefined
  // Separate conditions, so that the server can apply the fast first condition before the server reads the data for the
  // second.
  const isTrue = matches.map((test) => present(operand, test)).join(' AND ')
  return { isTrue, isFalse: present(operand, `NOT (${matches.join(' AND ')})`), exceptions }
}

const ASCII = /^[\0-\x7f]*$/

/**
 * Whether a text contains another, ignoring case: the server folds ASCII alone, so that texts with other characters are
 * exceptions.
 */
function foldedTest(operand: ColumnOperand, value: Scalar): Condition | undefined {
  if (operand.type !== 'text' || typeof value !== 'string') return undefined
  const { sql } = operand
  const part = foldCase(value)
  const inAscii = ASCII.test(part) ? containsFolded(sql, part) : `${sql} != ${sql}`
  const isBeyondAscii = present(operand, `lengthUTF8(${sql}) != length(${sql})`)
  return {
    isTrue: present(operand, inAscii),
    isFalse: present(operand, `NOT (${inAscii})`),
    exceptions: joinExceptions([exceptionsOf(operand), { mask: 0, odd: [isBeyondAscii] }]),
  }
}

/** A nullable test as 1 or 0. Absent values pass no test. */
function present({ sql, isEmptyAbsent }: ColumnOperand, test: string): string {
  return isEmptyAbsent ? `(${sql} != ${textValue('')} AND ${test})` : `ifNull(${test}, 0)`
}

/** A literal of the type of an operand, with which SQL compares as {@link compareValues} does. */
function literalNextTo({ type }: ColumnOperand, value: Scalar): string | undefined {
  if (type === 'timestamp') {
    const us = momentUs(value)
    return us === undefined ? undefined : String(us)
  }
  if (isTime(value) || typeof value === 'boolean') return undefined
  if (type === 'text') return typeof value === 'string' ? textValue(value) : undefined
  const number = numberOf(value)
  return typeof number === 'number' ? doubleValue(number) : undefined
}

/** Conditions that are all true if the text passes, and null for a null text. Undefined for other functions. */
function textTest(fn: string, sql: string, value: string): string[] | undefined {
  switch (fn) {
    case 'regexp_contains':
      return matchesPattern(sql, value)
    case 'like':
      return matchesPattern(sql, `(?s)^(?:${likePattern(value)})$`)
    case 'contains':
      return [containsText(sql, value)]
    case 'starts_with':
      return [`startsWith(${sql}, ${textValue(value)})`]
    case 'ends_with':
      return [`endsWith(${sql}, ${textValue(value)})`]
    default:
      return undefined
  }
}

function areaTest(fn: string, operand: ColumnOperand, value: Scalar): Condition | undefined {
  const bit = AREAS.indexOf(value as (typeof AREAS)[number])
  if (fn !== 'contains' || bit < 0) return undefined
  const test = `bitTest(${operand.sql}, ${bit})`
  return { isTrue: test, isFalse: `NOT ${test}`, exceptions: exceptionsOf(operand) }
}

const isPresent = ({ kind }: JsonOperand) => `${kind} != 'Null'`

/** A test of a field with a type that varies by row. Undefined for a comparison with a text that spells a number. */
function jsonTest(fn: string, operand: JsonOperand, value: Scalar): Condition | undefined {
  if (typeof value !== 'string') return undefined
  const { kind, text } = operand
  const exceptions = exceptionsOf(operand)
  const matches = textTest(fn, text, value)
  if (matches !== undefined) {
    const all = matches.join(' AND ')
    const test = (condition: string) => `(${isPresent(operand)} AND ${condition})`
    return { isTrue: test(all), isFalse: test(`NOT (${all})`), exceptions }
  }
  const operator = OPERATORS[fn]
  if (operator === undefined || numberOf(value) !== undefined) return undefined
  const test = (sign: string) => `(${kind} = 'String' AND ${text} ${sign} ${textValue(value)})`
  if (fn !== 'eq' && fn !== 'ne') return { isTrue: test(operator.sql), isFalse: test(operator.negated), exceptions }
  // Values of other types are unequal.
  const isEqual = test('=')
  const isUnequal = `(${isPresent(operand)} AND NOT ${isEqual})`
  return fn === 'eq'
    ? { isTrue: isEqual, isFalse: isUnequal, exceptions }
    : { isTrue: isUnequal, isFalse: isEqual, exceptions }
}

/** The filters that a server applies before rows are returned. */
export interface ServerFilter {
  /** True in each row that passes, and in each exception, which the process decides. */
  sql: readonly string[]
  /** The members of `sql` that read columns alone. */
  ofColumns: readonly string[]
  /** How many of the conditions the server applies. */
  count: number
  exceptions: Exceptions
}

/**
 * Translates the first conditions, up to the first condition without a SQL expression. Later conditions must neither be
 * evaluated in rows that the untranslated condition removes, nor remove rows in which the untranslated condition raises
 * an error.
 */
export function lowerFilters(conditions: readonly Expression[], table: Table): ServerFilter {
  const lowered: Condition[] = []
  for (const condition of conditions) {
    const one = lowerCondition(condition, table)
    if (one === undefined) break
    lowered.push(one)
  }
  return {
    sql: lowered.map(passing),
    ofColumns: lowered.filter(({ exceptions }) => exceptions.odd.length === 0).map(passing),
    count: lowered.length,
    exceptions: joinExceptions(lowered.map(({ exceptions }) => exceptions)),
  }
}

function passing({ isTrue, exceptions }: Condition): string {
  const other = isException(exceptions)
  return other === undefined ? isTrue : `(${isTrue} OR ${other})`
}
