import { equals } from './builder.js'
import { conjunctsOf, type Expression, joinConditions } from './expression.js'
import { innerPlansOf, type Operator, type Plan, withInnerPlans } from './plan.js'

/**
 * Returns the plan over the rows of a single project. The project is the first condition behind each scan, also in
 * inner plans, so that nothing is evaluated in rows of another project: engines rely on that order. A plan that asks
 * for another project sees no rows, but keeps its columns, and a count without keys is 0.
 */
export function ofProject(plan: Plan, project: string): Plan {
  const [first, ...others] = plan.map((operator) => withInnerPlans(operator, (inner) => ofProject(inner, project)))
  if (first === undefined) return []
  if (first.op === 'union') return [first, ...others]
  const end = others.findIndex(({ op }) => op !== 'filter')
  const filters = (end < 0 ? others : others.slice(0, end)) as Extract<Operator, { op: 'filter' }>[]
  const rest = filters.flatMap(({ where }) => conjunctsOf(where)).filter((one) => projectAsked(one) !== project)
  const where: Operator[] = rest.length === 0 ? [] : [{ op: 'filter', where: joinConditions('and', rest) }]
  return [first, { op: 'filter', where: equals('project', project) }, ...where, ...(end < 0 ? [] : others.slice(end))]
}

/** Returns the project that a condition asks for by its name, or undefined. */
export function projectAsked(condition: Expression): string | undefined {
  if (condition.kind !== 'call' || condition.fn !== 'eq') return undefined
  const [column, value] = condition.args
  const isAsked = column?.kind === 'column' && column.name === 'project' && value?.kind === 'literal'
  return isAsked && typeof value.value === 'string' ? value.value : undefined
}

/** Whether a plan may read rows of a project: unless each of its reads asks for another project at once. */
export function mayRead(plan: Plan, project: string): boolean {
  const [first, ...others] = plan
  if (first === undefined) return false
  const end = others.findIndex(({ op }) => op !== 'filter')
  const filters = (end < 0 ? others : others.slice(0, end)) as Extract<Operator, { op: 'filter' }>[]
  const asked = filters.flatMap(({ where }) => conjunctsOf(where)).flatMap((one) => projectAsked(one) ?? [])
  const isOfOther = asked.some((one) => one !== project)
  if (first.op !== 'union' && !isOfOther) return true
  return plan.flatMap(innerPlansOf).some((inner) => mayRead(inner, project))
}
