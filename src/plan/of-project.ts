import { equals } from './builder.js'
import { call, conjunctsOf, type Expression } from './expression.js'
import type { Operator, Plan } from './plan.js'

/**
 * Returns the plan over the rows of one project alone; the empty plan if it asks for another project. The project is
 * the first condition behind each scan, so that nothing is evaluated in rows of another one: engines rely on that.
 */
export function ofProject(plan: Plan, project: string): Plan {
  const [first, ...others] = withInnerOfProject(plan, project)
  if (first === undefined) return []
  if (first.op === 'union') return [first, ...others]
  const end = others.findIndex(({ op }) => op !== 'filter')
  const filters = (end < 0 ? others : others.slice(0, end)) as Extract<Operator, { op: 'filter' }>[]
  const conditions = filters.flatMap(({ where }) => conjunctsOf(where))
  if (conditions.some((condition) => (projectAsked(condition) ?? project) !== project)) return []
  const rest = conditions.filter((condition) => projectAsked(condition) === undefined)
  const where: Operator[] =
    rest.length === 0 ? [] : [{ op: 'filter', where: rest.length === 1 ? rest[0]! : call('and', ...rest) }]
  return [first, { op: 'filter', where: equals('project', project) }, ...where, ...(end < 0 ? [] : others.slice(end))]
}

/** Returns the plan with its inner plans, in unions and `isIn`, over the rows of one project alone. */
function withInnerOfProject(plan: Plan, project: string): Operator[] {
  return plan.map((operator) => {
    if (operator.op === 'isIn') return { ...operator, plan: innerOfProject(operator.plan, project) }
    if (operator.op !== 'union') return operator
    return { ...operator, plans: operator.plans.map((one) => innerOfProject(one, project)) }
  })
}

/** An inner plan keeps its columns if it asks for another project: it has no row then. */
function innerOfProject(plan: Plan, project: string): Plan {
  const own = ofProject(plan, project)
  if (own.length > 0 || plan.length === 0) return own
  const [first, ...others] = withInnerOfProject(plan, project)
  return [first!, { op: 'filter', where: equals('project', project) }, ...others]
}

/** The project that a condition asks for by its name, or undefined. */
function projectAsked(condition: Expression): string | undefined {
  if (condition.kind !== 'call' || condition.fn !== 'eq') return undefined
  const [column, value] = condition.args
  const isAsked = column?.kind === 'column' && column.name === 'project' && value?.kind === 'literal'
  return isAsked && typeof value.value === 'string' ? value.value : undefined
}
