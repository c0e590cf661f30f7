import { type Plan, type TimeRange, withInnerPlans } from './plan.js'

/**
 * Returns the plan over the rows of a range of time alone. Narrows every scan, and every view by the starts of its
 * buckets, also of inner plans.
 */
export function withinTime(plan: Plan, range: TimeRange): Plan {
  return plan.map((operator) => {
    if (!('fromUs' in operator)) return withInnerPlans(operator, (inner) => withinTime(inner, range))
    const fromUs = Math.max(operator.fromUs, range.fromUs)
    return { ...operator, fromUs, throughUs: Math.min(operator.throughUs, range.throughUs) }
  })
}
