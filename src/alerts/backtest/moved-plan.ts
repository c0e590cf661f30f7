import { type Plan, readsOf, type Scan } from '../../plan/plan.js'
import type { Rule } from '../rules/rule.js'
import { type Instants, instantAt } from './instants.js'

/**
 * Returns the plan of the first instant if the plan of each instant is that plan with the range of its only scan moved
 * by the time between the instants. Undefined if other parts of the plans may differ.
 */
export function movedPlan({ planAt, movesBounds }: Rule, instants: Instants): Plan | undefined {
  if (!movesBounds) return undefined
  const plan = planAt(instants.firstUs)
  const scan = onlyScan(plan)
  // A bound that has moved all the way from the first instant to the last has moved at each instant between: a bound is
  // the greatest, or the least, of fixed times and times that move.
  const last = planAt(instantAt(instants, instants.count - 1))
  const isMoved = scan !== undefined && isMovedBy(scan, onlyScan(last), (instants.count - 1) * instants.everyUs)
  return isMoved && textOf(last) === textOf(plan) ? plan : undefined
}

/** The scan of a plan, if the plan reads nothing but a single scan, which has both bounds. */
function onlyScan(plan: Plan): Scan | undefined {
  const [scan, second] = readsOf(plan)
  const isOnly = scan?.op === 'scan' && second === undefined
  return isOnly && Number.isFinite(scan.fromUs) && Number.isFinite(scan.throughUs) ? scan : undefined
}

const isMovedBy = (scan: Scan, other: Scan | undefined, byUs: number): boolean =>
  other !== undefined && other.fromUs - scan.fromUs === byUs && other.throughUs - scan.throughUs === byUs

/** A text that is the same for plans that differ only in the ranges of scans. */
const textOf = (plan: Plan): string => JSON.stringify(plan, withoutRange)

function withoutRange(key: string, value: unknown): unknown {
  if (key === 'fromUs' || key === 'throughUs') return undefined
  // JSON has no infinite numbers, and no long integers.
  return typeof value === 'bigint' || typeof value === 'number' ? `${typeof value} ${value}` : value
}
