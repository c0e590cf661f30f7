import { call, type Expression } from '../../plan/expression.js'
import { likePattern } from '../../plan/functions/text.js'
import { isTime, momentUs, numberOf, type Scalar } from '../../plan/values/values.js'
import type { SourceName } from '../../sources.js'
import { AREAS } from '../columns.js'
import { isMarked, type Operand, operandOf } from './operands.js'
import { containsText, matchesPattern } from './patterns.js'
import { doubleValue, int64Value, textValue } from './values.js'

/**
 * A condition as two SQL expressions of 1 or 0, never null: that it is true, and that it is false. Both hold in rows
 * without a bit of the mask (see {@link Operand}).
 */
export interface Condition {
  isTrue: string
  isFalse: string
  mask: number
}

/**
 * Translates a condition to SQL. Undefined if ClickHouse has no expression of exactly its meaning, for any type that a
 * value may have in a row: the condition is then evaluated over the rows that the server returns.
 */
export function lowerCondition(condition: Expression, source: SourceName): Condition | undefined {
  if (condition.kind !== 'call') return undefined
  const { fn, args } = condition
  switch (fn) {
    case 'and':
      return connect(args, source, 'AND', 'OR')
    case 'or':
      return connect(args, source, 'OR', 'AND')
    case 'not': {
      const of = lowerCondition(args[0]!, source)
      return of && { ...of, isTrue: of.isFalse, isFalse: of.isTrue }
    }
    case 'is_true':
    case 'is_false': {
      const of = lowerCondition(args[0]!, source)
      const isTrue = fn === 'is_true' ? of?.isTrue : of?.isFalse
      return of && { mask: of.mask, isTrue: isTrue!, isFalse: `NOT (${isTrue})` }
    }
    case 'is_null':
      return isNull(operandOf(args[0]!, source))
    case 'in':
      return connect(
        args.slice(1).map((item) => call('eq', args[0]!, item)),
        source,
        'OR',
        'AND',
      )
    default:
      return lowerTest(condition, source)
  }
}

function connect(
  args: readonly Expression[],
  source: SourceName,
  ofTrue: string,
  ofFalse: string,
): Condition | undefined {
  const parts = args.map((arg) => lowerCondition(arg, source))
  if (parts.some((part) => part === undefined)) return undefined
  const all = parts as Condition[]
  return {
    isTrue: `(${all.map(({ isTrue }) => isTrue).join(` ${ofTrue} `)})`,
    isFalse: `(${all.map(({ isFalse }) => isFalse).join(` ${ofFalse} `)})`,
    mask: all.reduce((mask, part) => (mask | part.mask) >>> 0, 0),
  }
}

function isNull(operand: Operand | undefined): Condition | undefined {
  if (operand === undefined || operand.type === 'areas') return undefined
  const { sql, isEmptyAbsent, mask } = operand
  if (isEmptyAbsent) return { isTrue: `${sql} = ${textValue('')}`, isFalse: `${sql} != ${textValue('')}`, mask }
  return { isTrue: `isNull(${sql})`, isFalse: `isNotNull(${sql})`, mask }
}

const OPERATORS: Readonly<Record<string, { sql: string; negated: string }>> = {
  eq: { sql: '=', negated: '!=' },
  ne: { sql: '!=', negated: '=' },
  lt: { sql: '<', negated: '>=' },
  le: { sql: '<=', negated: '>' },
  gt: { sql: '>', negated: '<=' },
  ge: { sql: '>=', negated: '<' },
}

/** A test of one operand by a literal. */
function lowerTest({ fn, args }: Expression & { kind: 'call' }, source: SourceName): Condition | undefined {
  const [left, right] = args
  if (args.length !== 2 || right?.kind !== 'literal' || right.value === null) return undefined
  const operand = operandOf(left!, source)
  if (operand === undefined) return undefined
  const { value } = right
  if (operand.type === 'areas') return areaTest(fn, operand, value)
  const operator = OPERATORS[fn]
  if (operator !== undefined) {
    const literal = literalNextTo(operand, value)
    if (literal === undefined) return undefined
    const test = (sign: string) => present(operand, `${operand.sql} ${sign} ${literal}`)
    return { isTrue: test(operator.sql), isFalse: test(operator.negated), mask: operand.mask }
  }
  const matches = typeof value === 'string' && operand.type === 'text' ? textTest(fn, operand.sql, value) : undefined
  if (matches === undefined) return undefined
  return { isTrue: present(operand, matches), isFalse: present(operand, `NOT (${matches})`), mask: operand.mask }
}

/** A nullable test as 1 or 0; absent values pass none. */
function present({ sql, isEmptyAbsent }: Operand, test: string): string {
  return isEmptyAbsent ? `(${sql} != ${textValue('')} AND ${test})` : `ifNull(${test}, 0)`
}

/** A literal of the type of an operand, with which SQL compares as {@link compareValues} does. */
function literalNextTo({ type }: Operand, value: Scalar): string | undefined {
  if (type === 'timestamp') {
    const us = momentUs(value)
    return us === undefined ? undefined : int64Value(us)
  }
  if (isTime(value) || typeof value === 'boolean') return undefined
  if (type === 'text') return typeof value === 'string' ? textValue(value) : undefined
  const number = numberOf(value)
  return typeof number === 'number' ? doubleValue(number) : undefined
}

function textTest(fn: string, sql: string, value: string): string | undefined {
  switch (fn) {
    case 'regexp_contains':
      return matchesPattern(sql, value)
    case 'like':
      return matchesPattern(sql, `(?s)^(?:${likePattern(value)})$`)
    case 'contains':
      return containsText(sql, value)
    case 'starts_with':
      return `startsWith(${sql}, ${textValue(value)})`
    case 'ends_with':
      return `endsWith(${sql}, ${textValue(value)})`
    default:
      return undefined
  }
}

function areaTest(fn: string, { sql, mask }: Operand, value: Scalar): Condition | undefined {
  const bit = AREAS.indexOf(value as (typeof AREAS)[number])
  if (fn !== 'contains' || bit < 0) return undefined
  return { isTrue: `bitTest(${sql}, ${bit})`, isFalse: `NOT bitTest(${sql}, ${bit})`, mask }
}

/** The filters that a server applies before it returns rows. */
export interface ServerFilter {
  /** True in each row that passes, and in those with a bit of `mask`, for which the metadata decides. */
  sql: readonly string[]
  /** How many of the conditions it applies. */
  count: number
  mask: number
}

/**
 * Translates the first conditions, up to the first that SQL has no expression for: later ones must not be evaluated in
 * rows that it removes, or raise an error in rows that they would remove.
 */
export function lowerFilters(conditions: readonly Expression[], source: SourceName): ServerFilter {
  const sql: string[] = []
  let mask = 0
  for (const condition of conditions) {
    const lowered = lowerCondition(condition, source)
    if (lowered === undefined) break
    sql.push(lowered.mask === 0 ? lowered.isTrue : `(${lowered.isTrue} OR ${isMarked(lowered.mask)})`)
    mask = (mask | lowered.mask) >>> 0
  }
  return { sql, count: sql.length, mask }
}
