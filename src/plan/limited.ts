import type { Plan } from './plan.js'

/** Returns the plan with at most `maxRows` rows. A limit at the end is lowered. The empty plan stays empty. */
export function limited(plan: Plan, maxRows: number): Plan {
  const last = plan.at(-1)
  if (last === undefined) return plan
  if (last.op !== 'limit') return [...plan, { op: 'limit', rows: maxRows, offset: 0 }]
  return [...plan.slice(0, -1), { ...last, rows: Math.min(last.rows, maxRows) }]
}
