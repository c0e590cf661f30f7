import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/time/clock.js'
import { DAY_US, HOUR_US, MINUTE_US, SECOND_US } from '../../base/units.js'
import type { SourceName } from '../../common/sources.js'
import type { Call, Endpoint } from '../../endpoints/endpoint.js'
import type { Engine } from '../../engine/engine.js'
import { hasGrouping } from '../../plan/answer-keys.js'
import { type Plan, readsOf, sourcesOf } from '../../plan/plan.js'
import type { QueryNotes } from '../query/compute.js'
import type { SubscriptionLimits } from './limits.js'
import type { Published } from './published.js'
import type { Subscriber } from './subscriber.js'

/** The plan of an evaluation, and the revision of its sources when the plan was made. */
interface SeenPlan {
  plan: Plan
  sources: readonly SourceName[]
  /** The sum of the revisions of the sources. Undefined over an engine that has none. */
  revision: number | undefined
  /** Whether the answer depends on the time. */
  isMoving: boolean
}

/** A query that is evaluated once for all of its subscribers. */
export interface FollowedQuery extends QueryNotes {
  readonly endpoint: Endpoint
  readonly call: Call
  readonly published: Published
  readonly subscribers: Set<Subscriber>
  /** Clients that wait for the first event, and subscribers. */
  members: number
  /** The plan of the last evaluation. Undefined before the first. */
  seen: SeenPlan | undefined
  /** The start of the last evaluation, and the earliest start of the next, on the monotonic clock. */
  startedMs: number
  nextMs: number
  /** The time that the last evaluation took. */
  spentMs: number
  /** The mean time of the last evaluations that no client waited for, the last most. Undefined before the first. */
  usualMs: number | undefined
  /** When rows that the last evaluation lacks were first noticed. Undefined if there are none. */
  behindMs: number | undefined
  /** The running evaluation. */
  evaluation: Promise<void> | undefined
  /** Aborted when no client waits for the running evaluation. */
  abandoned: AbortController
  /** How many evaluations in a row have failed. */
  failures: number
  /** Keeps the query although there are no members. */
  stopLinger(): void
}

/** Creates a query that was never evaluated. */
export function createFollowedQuery(endpoint: Endpoint, call: Call, published: Published): FollowedQuery {
  return {
    ...{ endpoint, call, published, subscribers: new Set(), members: 0, seen: undefined },
    ...{ startedMs: Number.NEGATIVE_INFINITY, nextMs: Number.NEGATIVE_INFINITY, spentMs: 0, behindMs: undefined },
    ...{ warnings: undefined, viewNotes: undefined, usualMs: undefined },
    ...{ evaluation: undefined, abandoned: new AbortController(), failures: 0, stopLinger() {} },
  }
}

/** The engine's part that says when rows change. */
export type Revisions = Pick<Engine, 'revision'>

function revisionOf({ revision }: Revisions, sources: readonly SourceName[]): number | undefined {
  return revision && sources.reduce((sum, source) => sum + revision(source), 0)
}

/** A step of time that no window keeps, whatever the unit of the window. */
const STEP_US = 400 * DAY_US + HOUR_US + MINUTE_US + SECOND_US + 1_001

/** Returns the plan of an evaluation that starts now: the last plan if it does not depend on the time. */
export const planAt = ({ seen, call }: FollowedQuery, nowUs: number): Plan =>
  seen === undefined || seen.isMoving ? call.plan(nowUs) : seen.plan

/** Notes the plan of an evaluation that starts now, before the engine looks at the rows. */
export function seePlan(query: FollowedQuery, plan: Plan, nowUs: number, engine: Revisions): void {
  const { seen, call } = query
  const sources = sourcesOf(plan)
  const isMoving = seen?.isMoving ?? (readsView(plan) || !isDeepStrictEqual(plan, call.plan(nowUs + STEP_US)))
  query.seen = { plan, sources, revision: revisionOf(engine, sources), isMoving }
  query.behindMs = undefined
}

/** Whether a plan reads a view, which hides old buckets as time goes by, whatever the plan. */
const readsView = (plan: Plan): boolean => readsOf(plan).some(({ op }) => op === 'view')

/** Notes the time at which rows are there that the last evaluation lacks. */
export function noteBehind(query: FollowedQuery, nowMs: number, engine: Revisions): void {
  if (query.behindMs === undefined && query.subscribers.size > 0 && hasNewRows(query, engine)) query.behindMs = nowMs
}

function hasNewRows({ seen }: FollowedQuery, engine: Revisions): boolean {
  return seen !== undefined && seen.revision !== undefined && revisionOf(engine, seen.sources) !== seen.revision
}

/** Sets the earliest start of the next evaluation when an evaluation has ended. */
export function pause(query: FollowedQuery, limits: SubscriptionLimits): void {
  const { startedMs, spentMs, call, failures } = query
  const plan = query.seen?.plan
  const isGrouped = plan !== undefined && call.computation === undefined && hasGrouping(plan)
  const leastMs = isGrouped && failures === 0 ? limits.groupsPauseMs : limits.rowsPauseMs
  query.nextMs = startedMs + Math.max(leastMs, spentMs * PAUSE_FACTOR)
}

/** A query takes at most a quarter of a core. */
const PAUSE_FACTOR = 4

/** The weight of the last evaluation in the mean of a query. */
const LAST_WEIGHT = 1 / 8

/** Notes the time that an evaluation took that no client waited for. */
export function noteUsual(query: FollowedQuery): void {
  const { spentMs, usualMs = spentMs } = query
  query.usualMs = usualMs + (spentMs - usualMs) * LAST_WEIGHT
}

/**
 * Whether a query has used less than its part of a quarter of a core, which `count` queries share equally. An
 * evaluation that takes much longer than those before, as after a head was sealed, is spread over the next ones.
 */
export const hasPart = ({ usualMs = 0, startedMs }: FollowedQuery, nowMs: number, count: number): boolean =>
  nowMs >= startedMs + PAUSE_FACTOR * usualMs * count

/** Whether a query is to be evaluated for its subscribers now. */
export function isDue(
  query: FollowedQuery,
  { nowMs, clock, engine, limits }: { nowMs: number; clock: Clock; engine: Revisions; limits: SubscriptionLimits },
): boolean {
  const { seen, startedMs } = query
  if (query.evaluation !== undefined || query.subscribers.size === 0 || nowMs < query.nextMs) return false
  if (seen === undefined || query.failures > 0 || hasNewRows(query, engine)) return true
  if (seen.revision === undefined) return nowMs >= startedMs + limits.unseenPauseMs
  if (!seen.isMoving || nowMs < startedMs + limits.windowPauseMs) return false
  if (hasMoved(seen, query.call, clock)) return true
  // The window is the same, and so are the rows.
  query.startedMs = nowMs
  return false
}

/** A plan that cannot be made counts as another one: the evaluation reports the error. */
function hasMoved({ plan }: SeenPlan, call: Call, clock: Clock): boolean {
  try {
    return readsView(plan) || !isDeepStrictEqual(plan, call.plan(clock.nowUs()))
  } catch {
    return true
  }
}

/** Whether a new subscriber would be sent an answer that is older than it may be. */
export function isOutdated(query: FollowedQuery, nowMs: number, engine: Revisions): boolean {
  const { seen } = query
  if (seen === undefined || query.published.number === 0) return true
  if (nowMs < query.nextMs) return false
  return seen.revision === undefined || seen.isMoving || hasNewRows(query, engine)
}
