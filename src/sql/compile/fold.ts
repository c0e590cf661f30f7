import { LogweirError } from '../../base/errors.js'
import { call, type Expression, literal } from '../../plan/expression.js'
import { FUNCTIONS, type FunctionName } from '../../plan/functions/table.js'
import type { Scalar } from '../../plan/values/values.js'

/** Longer texts are not computed in advance: the work would not be linear in the SQL text. */
const MAX_FOLDED_CHARACTERS = 1_024

const isLiteral = (arg: Expression): arg is Expression & { kind: 'literal' } => arg.kind === 'literal'
const isNull = (arg: Expression) => isLiteral(arg) && arg.value === null
const isTrue = (arg: Expression) => isLiteral(arg) && arg.value === true
/** A condition that chooses nothing: false or null. */
const isNotTrue = (arg: Expression) => isLiteral(arg) && (arg.value === false || arg.value === null)

/**
 * Returns a call, or the value or the argument that the call always returns, so that parameters and the current time
 * cost nothing for each row. A call that fails remains: only a row that reaches the call raises the error.
 */
export function foldedCall(fn: FunctionName, args: readonly Expression[]): Expression {
  switch (fn) {
    case 'and':
      return foldedChain(fn, args, false)
    case 'or':
      return foldedChain(fn, args, true)
    case 'coalesce':
      return foldedCoalesce(args)
    case 'if':
      if (isTrue(args[0])) return args[1]
      return isNotTrue(args[0]) ? args[2] : call(fn, ...args)
    case 'case':
      return foldedCase(args)
    default:
      return foldedValue(fn, args) ?? call(fn, ...args)
  }
}

/** Terms behind the decisive value are never evaluated, and are dropped. */
function foldedChain(fn: 'and' | 'or', args: readonly Expression[], decisive: boolean): Expression {
  const terms: Expression[] = []
  for (const arg of args) {
    if (isLiteral(arg) && arg.value === !decisive) continue
    terms.push(arg)
    if (isLiteral(arg) && arg.value === decisive) break
  }
  const [first] = terms
  if (first === undefined) return literal(!decisive)
  return terms.length === 1 && isLiteral(first) ? first : call(fn, ...terms)
}

function foldedCoalesce(args: readonly Expression[]): Expression {
  const terms: Expression[] = []
  for (const arg of args) {
    if (!isNull(arg)) terms.push(arg)
    if (isLiteral(arg) && !isNull(arg)) break
  }
  if (terms.length === 0) return literal(null)
  return terms.length === 1 ? terms[0] : call('coalesce', ...terms)
}

function foldedCase(args: readonly Expression[]): Expression {
  const kept: Expression[] = []
  let otherwise = args.length % 2 === 1 ? args.at(-1)! : undefined
  for (let i = 0; i + 1 < args.length; i += 2) {
    if (isNotTrue(args[i])) continue
    if (isTrue(args[i])) {
      otherwise = args[i + 1]
      break
    }
    kept.push(args[i], args[i + 1])
  }
  if (kept.length === 0) return otherwise ?? literal(null)
  return call('case', ...kept, ...(otherwise === undefined ? [] : [otherwise]))
}

function foldedValue(fn: FunctionName, args: readonly Expression[]): Expression | undefined {
  // The type of a cast stays known, even if the value is null.
  const isCast = fn.includes('cast_')
  if (isNullBy(fn, args)) return isCast ? undefined : literal(null)
  if (!args.every(isLiteral) || fn === 'field' || fn === 'field_text' || fn === 'json_object') return undefined
  const values = args.map(({ value }) => value)
  if (lengthOf(values) > MAX_FOLDED_CHARACTERS) return undefined
  try {
    const result = FUNCTIONS[fn].bind(
      values.map((value) => () => value),
      values,
    )(0)
    return result === null && isCast ? undefined : literal(result)
  } catch (error) {
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

/** Functions that read a literal argument in `bind`, where the argument must not be null. */
const NEEDS_LITERAL = /^(?:regexp_|format_|parse_|json_)/

/** Whether a function is null because an argument is null, and no earlier argument can raise an error. */
function isNullBy(fn: FunctionName, args: readonly Expression[]): boolean {
  const place = FUNCTIONS[fn].isStrict ? args.findIndex(isNull) : -1
  return place >= 0 && (NEEDS_LITERAL.test(fn) || args.slice(0, place).every(isSafe))
}

const isSafe = (arg: Expression) => arg.kind !== 'call' || arg.fn === 'field' || arg.fn === 'field_text'

const lengthOf = (values: readonly Scalar[]) =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : Array.isArray(value) ? MAX_FOLDED_CHARACTERS : 1),
    0,
  )
