import type { Operator, Plan, SortKey } from './plan.js'

/** Throws a TypeError if the order with a rank at a place of a plan may not have a rank there. */
export function checkRank(plan: Plan, place: number): void {
  const { keys } = plan[place] as Operator & { op: 'orderBy' }
  if (keys.length !== 1 || !isTime(keys[0].by) || !hasStoredTime(plan.slice(0, place)))
    throw new TypeError('The only key of an order with a rank must be the stored column timestamp.')
  const next = plan[place + 1]
  if (next !== undefined && next.op !== 'limit')
    throw new TypeError(`An order with a rank must end the plan, or be directly before limit, not ${next.op}.`)
}

const isTime = (by: SortKey['by']) => by.kind === 'column' && by.name === 'timestamp'

/** Whether the rows of a plan are stored rows with the stored column `timestamp`. */
function hasStoredTime([first, ...others]: Plan): boolean {
  return first?.op === 'scan' && others.every(keepsTime)
}

function keepsTime(operator: Operator): boolean {
  switch (operator.op) {
    case 'filter':
      return true
    case 'unnest':
    case 'isIn':
      return operator.name !== 'timestamp'
    case 'extend':
    case 'select':
      return operator.columns.every(({ name, value }) => name !== 'timestamp' || isTime(value))
    default:
      return false
  }
}
