import type { Operator, Plan, TimeRange } from './plan.js'

/** Returns the plan over the rows of a range of time alone. It narrows every scan, those of inner plans included. */
export function withinTime(plan: Plan, range: TimeRange): Plan {
  return plan.map((operator) => narrowed(operator, range))
}

function narrowed(operator: Operator, range: TimeRange): Operator {
  switch (operator.op) {
    case 'scan':
      return {
        ...operator,
        fromUs: Math.max(operator.fromUs, range.fromUs),
        throughUs: Math.min(operator.throughUs, range.throughUs),
      }
    case 'union':
      return { ...operator, plans: operator.plans.map((one) => withinTime(one, range)) }
    case 'isIn':
      return { ...operator, plan: withinTime(operator.plan, range) }
    default:
      return operator
  }
}
