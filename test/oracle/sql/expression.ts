import type { Aggregate } from '../../../src/plan/aggregates.js'
import { call, type Expression, literal } from '../../../src/plan/expression.js'
import { type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { READS_TEXTS } from '../plan/functions.js'
import { aggregateOf } from './aggregates.js'
import { FUNCTIONS } from './functions.js'
import { resolveName, type Scope, textOfName } from './names.js'
import { type Query, type Syntax, wrong } from './syntax.js'

/** The names, parameters, aggregates and queries that an expression can refer to at a place of a query. */
export interface Context {
  scope: Scope
  parameters: Readonly<Record<string, Scalar>>
  nowUs: number
  /** Output names in lower case, which win over other names outside of aggregates. Undefined if no output is known. */
  outputs?: ReadonlyMap<string, Expression>
  /** Returns the column of an aggregate. Undefined where aggregates are not allowed. */
  aggregate?: (aggregate: Aggregate) => Expression
  /** Returns the column that tells whether a value is among the rows of a query. */
  isIn: (value: Expression, query: Query) => Expression
}

/** Returns the expression of a plan. Throws `invalid_sql` or `unsupported_sql`. */
export function compileExpression(syntax: Syntax, context: Context): Expression {
  switch (syntax.kind) {
    case 'literal':
      return literal(syntax.value)
    case 'parameter':
      return literal(syntax.name in context.parameters ? context.parameters[syntax.name]! : null)
    case 'now':
      return literal(new Timestamp(context.nowUs))
    case 'name':
      return outputOf(syntax, context) ?? resolveName(syntax.steps, context.scope)
    case 'operator':
      return call(syntax.fn, ...argumentsOf(syntax, context))
    case 'call':
      return compileCall(syntax, context)
    case 'in':
      return context.isIn(compileExpression(syntax.value, context), syntax.query)
    default:
      return wrong()
  }
}

/** The output column that a name of a single step means. */
function outputOf({ steps }: Syntax & { kind: 'name' }, { outputs }: Context): Expression | undefined {
  return steps.length === 1 ? outputs?.get(steps[0]!.toLowerCase()) : undefined
}

/** A field in a function of texts, `string_agg` too, is read as text. */
function argumentsOf({ fn, args }: { fn: string; args: readonly Syntax[] }, context: Context): Expression[] {
  const readsTexts = READS_TEXTS.has(fn) || fn === 'string_agg'
  return args.map((arg) => {
    const isField = arg.kind === 'name' && outputOf(arg, context) === undefined
    const value = compileExpression(arg, context)
    return isField && readsTexts ? textOfName(value) : value
  })
}

function compileCall(syntax: Syntax & { kind: 'call' }, context: Context): Expression {
  const aggregate = aggregateOf(syntax)
  if (aggregate === undefined) {
    if (syntax.isDistinct || syntax.limit || !Object.hasOwn(FUNCTIONS, syntax.fn)) return wrong()
    return compileExpression(FUNCTIONS[syntax.fn]!(...syntax.args), context)
  }
  if (context.aggregate === undefined) return wrong()
  const inner: Context = { ...context, outputs: undefined, aggregate: undefined }
  return context.aggregate({ fn: aggregate.fn, args: argumentsOf(aggregate, inner) })
}
