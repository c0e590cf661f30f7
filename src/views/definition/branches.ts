import type { SourceName } from '../../common/sources.js'
import { column, conjunctsOf, type Expression } from '../../plan/expression.js'
import { rewrittenCall } from '../../plan/place.js'
import type { NamedExpression, Operator, Plan } from '../../plan/plan.js'
import { schemaOf } from '../../plan/schema.js'

/** Columns in sight, by name, as expressions over the columns of a scan. */
export type Scope = ReadonlyMap<string, Expression>

/** A scan below a grouping, with the conditions on its rows, and the columns that the grouping sees. */
export interface Branch {
  source: SourceName
  where: readonly Expression[]
  columns: Scope
  /** Every expression over the columns of the scan, computed or not. */
  expressions: readonly Expression[]
}

/**
 * Returns the scans of the rows of a plan, one for each part of its unions. The plan has only operators that work on
 * single rows.
 */
export function branchesOf(plan: Plan): Branch[] {
  return plan.reduce<Branch[]>((branches, operator) => {
    if (operator.op === 'scan') return operator.sources.map(scanned)
    if (operator.op === 'union') return united(operator.plans)
    return branches.map((branch) => after(branch, operator))
  }, [])
}

function scanned(source: SourceName): Branch {
  const names = [...schemaOf([{ op: 'scan', sources: [source], fromUs: 0, throughUs: 0 }]).keys()]
  return { source, where: [], columns: new Map(names.map((name) => [name, column(name)])), expressions: [] }
}

/** The parts of a union, with the names of the columns of the first part. */
function united(plans: readonly Plan[]): Branch[] {
  const names = [...schemaOf(plans[0]!).keys()]
  return plans.flatMap((plan) => {
    const own = [...schemaOf(plan).keys()]
    return branchesOf(plan).map((branch) => ({
      ...branch,
      columns: new Map(names.map((name, i) => [name, branch.columns.get(own[i]!)!])),
    }))
  })
}

function after(branch: Branch, operator: Operator): Branch {
  const { where, columns, expressions } = branch
  switch (operator.op) {
    case 'filter': {
      const conditions = conjunctsOf(inScope(operator.where, columns))
      return { ...branch, where: [...where, ...conditions], expressions: [...expressions, ...conditions] }
    }
    case 'select':
      return withColumns(branch, operator.columns, [])
    case 'extend':
      return withColumns(branch, operator.columns, [...columns])
    default:
      throw new TypeError(`Rows of a view are not read through ${operator.op}.`)
  }
}

function withColumns(
  branch: Branch,
  columns: readonly NamedExpression[],
  kept: readonly [string, Expression][],
): Branch {
  const made = columns.map(({ name, value }) => [name, inScope(value, branch.columns)] as const)
  const expressions = [...branch.expressions, ...made.map(([, value]) => value)]
  return { ...branch, columns: new Map([...kept, ...made]), expressions }
}

/** Returns an expression with the expressions of columns in place of their names. Each distinct object is made once. */
export function inScope(expression: Expression, scope: Scope, known = new Map<Expression, Expression>()): Expression {
  if (expression.kind === 'literal') return expression
  if (expression.kind === 'column') return scope.get(expression.name) ?? expression
  const found = known.get(expression)
  if (found !== undefined) return found
  const args = expression.args.map((arg) => inScope(arg, scope, known))
  const isSame = args.every((arg, i) => arg === expression.args[i])
  const made = isSame ? expression : rewrittenCall(expression, { args })
  known.set(expression, made)
  return made
}
