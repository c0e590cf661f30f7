import type { FunctionName } from '../../../src/plan/functions/table.js'
import { CivilDate, Datetime, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { dayOf, momentOf, type Us } from '../plan/times.js'
import { numeric } from '../plan/values.js'
import { literalOf, operator, type Query, type Syntax, unsupported, wrong } from './syntax.js'
import { has, kindOf, listOf, onlyHas, type Tree } from './tree.js'

/** The literal texts of an expression by place, and the reader of queries in parentheses. */
export interface Reading {
  texts: readonly string[]
  query(tree: Tree): Query
}

const BINARY: Readonly<Record<string, FunctionName>> = {
  And: 'and',
  Or: 'or',
  Eq: 'eq',
  NotEq: 'ne',
  Lt: 'lt',
  LtEq: 'le',
  Gt: 'gt',
  GtEq: 'ge',
  Plus: 'add',
  Minus: 'sub',
  Multiply: 'mul',
  Divide: 'div',
  StringConcat: 'concat',
}

const CAST_TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  Int64: 'int64',
  Float64: 'float64',
  Bool: 'bool',
  Text: 'string',
  Timestamp: 'timestamp',
  Datetime: 'datetime',
  Date: 'date',
}

const TIMES: Readonly<Record<string, (us: Us) => Scalar>> = {
  Timestamp: (us) => new Timestamp(us),
  Datetime: (us) => new Datetime(us),
  Date: (us) => new CivilDate(dayOf(us)),
}

type Read = (body: Tree, reading: Reading) => Syntax

const not = (isNegated: Tree, syntax: Syntax) => (String(isNegated) === 'true' ? operator('not', syntax) : syntax)

/** A test of a single value, negated or not. */
const test =
  (fn: FunctionName, isNegated = false): Read =>
  (body, reading) => {
    const tested = operator(fn, readExpression(body, reading))
    return isNegated ? operator('not', tested) : tested
  }

const match =
  (fn: 'like' | 'ilike'): Read =>
  (body, reading) => {
    onlyHas(body, 'negated', 'expr', 'pattern')
    return not(body.negated!, operator(fn, readExpression(body.expr!, reading), readExpression(body.pattern!, reading)))
  }

const rounding =
  (fn: 'floor' | 'ceil'): Read =>
  (body, reading) => ({ kind: 'call', fn, args: [readExpression(body.expr!, reading)] })

const EXPRESSIONS: Readonly<Record<string, Read>> = {
  Nested: (body, reading) => readExpression(body, reading),
  Value: (body, reading) => literalOf(readLiteral(body.value!, reading)),
  TypedString: readTime,
  Identifier: ({ value, quote_style }) => {
    const name = String(value)
    if (name.startsWith('@') && !has(quote_style)) return { kind: 'parameter', name: name.slice(1) }
    return { kind: 'name', steps: [name] }
  },
  CompoundIdentifier: (body) => ({ kind: 'name', steps: listOf(body).map(({ value }) => String(value)) }),
  UnaryOp: ({ op, expr }, reading) => {
    const digits = expr!.Value?.value && digitsOf(expr!.Value.value)
    const least = String(op) === 'Minus' && digits !== undefined ? numeric(`-${digits}`) : undefined
    // The digits alone are no integer of 64 bits.
    if (typeof least === 'bigint') return literalOf(least)
    const fn = ({ Minus: 'neg', Not: 'not' } as const)[String(op)] ?? unsupported()
    return operator(fn, readExpression(expr!, reading))
  },
  BinaryOp: ({ left, op, right }, reading) => {
    const fn = BINARY[String(op)] ?? unsupported()
    const [a, b] = [readExpression(left!, reading), readExpression(right!, reading)]
    if (b.kind !== 'interval') return operator(fn, a, b)
    if (fn !== 'add' && fn !== 'sub') return wrong()
    return operator('time_add', a, fn === 'sub' ? operator('neg', b.count) : b.count, literalOf(b.unit))
  },
  IsNull: test('is_null'),
  IsNotNull: test('is_null', true),
  IsTrue: test('is_true'),
  IsNotTrue: test('is_true', true),
  IsFalse: test('is_false'),
  IsNotFalse: test('is_false', true),
  Between: ({ expr, negated, low, high }, reading) => {
    const value = readExpression(expr!, reading)
    const [least, most] = [readExpression(low!, reading), readExpression(high!, reading)]
    return not(negated!, operator('and', operator('ge', value, least), operator('le', value, most)))
  },
  InList: ({ expr, list, negated }, reading) =>
    not(negated!, operator('in', ...[expr!, ...listOf(list)].map((one) => readExpression(one, reading)))),
  InSubquery: ({ expr, subquery, negated }, reading) =>
    not(negated!, { kind: 'in', value: readExpression(expr!, reading), query: reading.query(subquery!) }),
  Like: match('like'),
  ILike: match('ilike'),
  Case: readCase,
  Cast: ({ kind, expr, data_type }, reading) => {
    const type = CAST_TYPES[kindOf(data_type!).kind] ?? unsupported()
    const prefix = String(kind) === 'SafeCast' ? 'safe_cast' : 'cast'
    return operator(`${prefix}_${type}` as FunctionName, readExpression(expr!, reading))
  },
  Extract: ({ field, expr }, reading) =>
    operator('extract', readExpression(expr!, reading), literalOf(kindOf(field!).kind.toLowerCase())),
  Interval: ({ value, leading_field }, reading) => ({
    kind: 'interval',
    count: readExpression(value!, reading),
    unit: has(leading_field) ? kindOf(leading_field).kind.toLowerCase() : wrong(),
  }),
  Ceil: rounding('ceil'),
  Floor: rounding('floor'),
  Trim: (body, reading) => {
    onlyHas(body, 'expr', 'trim_characters')
    return call('trim', [body.expr!, ...listOf(body.trim_characters)], reading)
  },
  Substring: ({ expr, substring_from, substring_for, shorthand }, reading) => {
    if (String(shorthand) !== 'true') return unsupported()
    return call('substr', [expr!, substring_from!, substring_for!].filter(has), reading)
  },
  Function: readCall,
  CompoundFieldAccess: readOffset,
}

const call = (fn: string, args: readonly Tree[], reading: Reading): Syntax => ({
  kind: 'call',
  fn,
  args: args.map((arg) => readExpression(arg, reading)),
})

/** Reads an expression. Throws `invalid_sql` or `unsupported_sql`. */
export function readExpression(tree: Tree, reading: Reading): Syntax {
  const { kind, body } = kindOf(tree)
  const read = EXPRESSIONS[kind]
  return read === undefined ? unsupported() : read(body, reading)
}

function readLiteral(tree: Tree, { texts }: Reading): Scalar {
  const { kind, body } = kindOf(tree)
  switch (kind) {
    case 'Null':
      return null
    case 'Boolean':
      return String(body) === 'true'
    case 'SingleQuotedString':
      return texts[Number(body)]!
    case 'Number':
    case 'HexStringLiteral':
      return numeric(digitsOf(tree)!) ?? wrong()
    default:
      return unsupported()
  }
}

/** The decimal digits of a number as written, or undefined for another literal. */
function digitsOf(tree: Tree): string | undefined {
  const { kind, body } = kindOf(tree)
  if (kind === 'Number') return String(listOf(body)[0])
  return kind === 'HexStringLiteral' ? String(BigInt(`0x${String(body)}`)) : undefined
}

function readTime({ data_type, value }: Tree, reading: Reading): Syntax {
  const make = TIMES[kindOf(data_type!).kind] ?? unsupported()
  const us = momentOf(readLiteral(value!.value!, reading)) ?? wrong()
  return literalOf(make(us))
}

function readCase({ operand, conditions, else_result }: Tree, reading: Reading): Syntax {
  const value = has(operand) ? readExpression(operand, reading) : undefined
  const pairs = listOf(conditions).flatMap(({ condition, result }) => {
    const when = readExpression(condition!, reading)
    return [value === undefined ? when : operator('eq', value, when), readExpression(result!, reading)]
  })
  return operator('case', ...pairs, ...(has(else_result) ? [readExpression(else_result, reading)] : []))
}

function readCall(body: Tree, reading: Reading): Syntax {
  onlyHas(body, 'name', 'args')
  const fn = listOf(body.name).map((part) => String(part.Identifier?.value).toLowerCase())
  if (fn.length !== 1) return unsupported()
  // Without parentheses: current_timestamp.
  const list = kindOf(body.args!).kind === 'List' ? body.args!.List! : { args: [] as unknown as Tree }
  onlyHas(list, 'args', 'clauses', 'duplicate_treatment')
  const args = listOf(list.args).map((arg): Syntax => {
    const { kind, body: given } = kindOf(arg.Unnamed ?? unsupported())
    return kind === 'Wildcard' ? { kind: 'star' } : kind === 'Expr' ? readExpression(given, reading) : unsupported()
  })
  const clauses = listOf(list.clauses).map(kindOf)
  if (clauses.some(({ kind }) => kind !== 'Limit')) return unsupported()
  const [limit] = clauses
  return {
    kind: 'call',
    fn: fn[0]!,
    args,
    ...(has(list.duplicate_treatment) && { isDistinct: true }),
    ...(limit && { limit: readExpression(limit.body, reading) }),
  }
}

/** A list and `[offset(k)]` or `[safe_offset(k)]`. */
function readOffset({ root, access_chain }: Tree, reading: Reading): Syntax {
  const [step, ...others] = listOf(access_chain)
  const index = step?.Subscript?.Index?.index
  if (others.length > 0 || !has(index)) return unsupported()
  const place = readExpression(index, reading)
  if (place.kind !== 'call' || place.args.length !== 1) return unsupported()
  if (place.fn !== 'offset' && place.fn !== 'safe_offset') return unsupported()
  return operator(place.fn, readExpression(root!, reading), place.args[0]!)
}
