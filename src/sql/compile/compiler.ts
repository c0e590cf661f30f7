import type { Expression } from '../../plan/expression.js'
import type { FunctionName } from '../../plan/functions/table.js'
import type { Type } from '../../plan/values/values.js'
import type { Node } from '../parse/tree.js'
import type { Context } from './context.js'

/** Compiles expressions over the rows of a part of a query. Functions of SQL use a Compiler for arguments. */
export interface Compiler {
  readonly context: Context
  /** Returns the expression of a node. Throws an SqlFault. */
  compile(node: Node): Expression
  /** The same for an argument of a function of plans: functions of texts read fields as texts. */
  compileArgument(node: Node, fn: FunctionName): Expression
  /** The same for all arguments of a function: some are conditions. */
  compileArguments(nodes: readonly Node[], fn: FunctionName): Expression[]
  /** The same for a condition: the error of a value that is none has the place of the node. */
  compileCondition(node: Node): Expression
  /** The static type of an expression. */
  typeOf(expression: Expression): Type
  /** Returns a call, or the value of the call if known. Throws an SqlFault at `at` if the arguments do not fit. */
  call(fn: FunctionName, args: readonly Expression[], at: number): Expression
}
