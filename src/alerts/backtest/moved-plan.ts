import type { Yielder } from '../../base/scheduling/time-slices.js'
import { type Plan, type Scan, scansOf } from '../../plan/plan.js'
import { type Instants, instantAt } from './instants.js'

/**
 * Returns the plan of the first instant if the plan of each instant is that plan with the range of its only scan moved
 * by the time between the instants. Undefined if the plans differ in anything else, such as a time that is selected or
 * a bound at the start of an hour. Compares the plans themselves: no form of the query is presumed.
 */
export async function movedPlan(
  planAt: (instantUs: number) => Plan,
  instants: Instants,
  yieldIfDue: Yielder,
): Promise<Plan | undefined> {
  const plan = planAt(instants.firstUs)
  const scan = onlyScan(plan)
  if (scan === undefined) return undefined
  const rest = textOf(plan)
  for (let place = 1; place < instants.count; place++) {
    const other = planAt(instantAt(instants, place))
    if (!isMoved(scan, onlyScan(other), place * instants.everyUs) || textOf(other) !== rest) return undefined
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  return plan
}

/** The scan of a plan, if the plan has a single scan, which has both bounds. */
function onlyScan(plan: Plan): Scan | undefined {
  const [scan, second] = scansOf(plan)
  const isOnly = scan !== undefined && second === undefined
  return isOnly && Number.isFinite(scan.fromUs) && Number.isFinite(scan.throughUs) ? scan : undefined
}

const isMoved = (scan: Scan, other: Scan | undefined, byUs: number): boolean =>
  other !== undefined && other.fromUs - scan.fromUs === byUs && other.throughUs - scan.throughUs === byUs

/** A text that is the same for plans that differ only in the ranges of scans. */
const textOf = (plan: Plan): string => JSON.stringify(plan, withoutRange)

function withoutRange(key: string, value: unknown): unknown {
  if (key === 'fromUs' || key === 'throughUs') return undefined
  // JSON has no infinite numbers, and no long integers.
  return typeof value === 'bigint' || typeof value === 'number' ? `${typeof value} ${value}` : value
}
