import type { Expression } from '../../plan/expression.js'
import { unsupported } from '../parse/fault.js'
import type { SqlLimits } from '../parse/limits.js'

/** The size of an expression, in which the name of a derived column counts as the expression of that column. */
export interface Cost {
  expressions: number
  levels: number
}

/** The costs of columns by name. A column that is absent is stored, and has the cost {@link ONE}. */
export type ColumnCosts = ReadonlyMap<string, Cost>

const ONE: Cost = { expressions: 1, levels: 1 }

/** Measures expressions over the same columns. Linear in the number of distinct expression objects. */
export function createCosts(columns: ColumnCosts, limits: SqlLimits): (expression: Expression, at: number) => Cost {
  const known = new Map<Expression, Cost>()
  const measure = (expression: Expression): Cost => {
    if (expression.kind === 'literal') return ONE
    if (expression.kind === 'column') return columns.get(expression.name) ?? ONE
    const found = known.get(expression)
    if (found !== undefined) return found
    let [expressions, levels] = [1, 0]
    for (const arg of expression.args) {
      const cost = measure(arg)
      expressions += cost.expressions
      levels = Math.max(levels, cost.levels)
    }
    const cost = { expressions, levels: levels + 1 }
    known.set(expression, cost)
    return cost
  }
  return (expression, at) => {
    const cost = measure(expression)
    if (cost.expressions > limits.expressions)
      throw unsupported(`An expression has more than ${limits.expressions} parts.`, at)
    if (cost.levels > limits.levels)
      throw unsupported(`An expression is nested deeper than ${limits.levels} levels.`, at)
    return cost
  }
}
