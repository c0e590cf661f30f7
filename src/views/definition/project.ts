import { column } from '../../plan/expression.js'
import { innerPlansOf, type Operator, type Plan } from '../../plan/plan.js'

/** Returns a function that makes names which no column of a plan has. */
export function createNames(plan: Plan): (prefix: string) => string {
  const taken = new Set(plan.flatMap(namesIn))
  return (prefix) => {
    let number = 0
    while (taken.has(`${prefix} ${number}`)) number++
    taken.add(`${prefix} ${number}`)
    return `${prefix} ${number}`
  }
}

function namesIn(operator: Operator): string[] {
  const inner = innerPlansOf(operator).flatMap((plan) => plan.flatMap(namesIn))
  return 'columns' in operator ? [...inner, ...operator.columns.map(({ name }) => name)] : inner
}

/** Returns the rows of a plan of scans with a further column, which no row has: the stored project. */
export function withProject([first, ...others]: Plan, name: string): Plan {
  if (first === undefined) return []
  const added = { name, value: column(name) }
  const start: Plan =
    first.op === 'union'
      ? [{ ...first, plans: first.plans.map((plan) => withProject(plan, name)) }]
      : [first, { op: 'extend', columns: [{ name, value: column('project') }] }]
  return [
    ...start,
    ...others.map((operator) =>
      operator.op === 'select' ? { ...operator, columns: [...operator.columns, added] } : operator,
    ),
  ]
}
