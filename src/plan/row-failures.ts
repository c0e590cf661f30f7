import type { Expression } from './expression.js'
import type { FunctionName } from './functions/table.js'
import { LIST, ROW_RULES } from './row-rules.js'
import { type Schema, typeOf } from './schema.js'

type Call = Expression & { kind: 'call' }

/** A call that raises an error in some rows. */
export interface RowFailure {
  call: Call
  /** The call by its name in SQL. */
  name: string
  /** The advice for the user, without a final dot. */
  instead: string
}

/**
 * Returns a call in an expression that raises an error for some values of the columns of `schema`, the innermost first.
 * Undefined if the expression has a value in every row, which is no list. Visits each distinct object once.
 */
export function rowFailureOf(expression: Expression, schema: Schema): RowFailure | undefined {
  const failure = innermost(expression, schema, new Set())
  if (failure !== undefined || expression.kind !== 'call' || typeOf(expression, schema) !== 'list') return failure
  return failureOf(expression, LIST)
}

function innermost(expression: Expression, schema: Schema, seen: Set<Expression>): RowFailure | undefined {
  if (expression.kind !== 'call' || seen.has(expression)) return undefined
  seen.add(expression)
  for (const arg of expression.args) {
    const failure = innermost(arg, schema, seen)
    if (failure !== undefined) return failure
  }
  const instead = faultOf(expression, schema)
  return instead === undefined ? undefined : failureOf(expression, instead)
}

const failureOf = (call: Call, instead: string): RowFailure => ({ call, name: SQL_NAMES[call.fn] ?? call.fn, instead })

function faultOf(call: Call, schema: Schema): string | undefined {
  // A list may be as long as a record, and its text longer than a value may be.
  const hasList = call.args.some((arg) => typeOf(arg, schema) === 'list')
  if (hasList && call.fn !== 'safe_offset' && call.fn !== 'offset') return LIST
  return ROW_RULES[call.fn](call, schema)
}

/** Functions of plans with another name in SQL. */
const SQL_NAMES: Partial<Record<FunctionName, string>> = {
  and: 'a condition',
  or: 'OR',
  not: 'NOT',
  case: 'CASE',
  in: 'IN',
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  neg: '-',
  like: 'LIKE',
  ilike: 'ILIKE',
  cast_int64: 'cast',
  cast_float64: 'cast',
  cast_bool: 'cast',
  cast_timestamp: 'cast',
  cast_datetime: 'cast',
  cast_date: 'cast',
  time_add: 'adding an interval',
  date_diff: 'a difference of times',
  timestamp_diff: 'a difference of times',
}
