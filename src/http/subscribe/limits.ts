import { DAY_US, KIB, MIB, MILLISECOND_US } from '../../base/units.js'
import { TAIL_LIMITS, type TailLimits } from '../tail/limits.js'

/** The limits of a stream of events, which subscriptions share with tails. */
type StreamLimits = Pick<
  TailLimits,
  'keepAliveMs' | 'tokenCheckMs' | 'endMs' | 'chunkBytes' | 'lingerMs' | 'sentBytesPerS' | 'sentBurstBytes'
>

/** Limits of subscriptions. Tests use small values. */
export interface SubscriptionLimits extends StreamLimits {
  /** Different queries, and subscribers of all queries together. */
  subscribedQueries: number
  subscribers: number
  /** Bytes of the last results of all queries, with the events that are made of them. */
  resultsBytes: number
  /** Bytes of the changes of a query that are kept for clients that reconnect, or those of the answer if longer. */
  changesBytes: number
  /** The least time from one evaluation of a query to the next, if the query groups rows and if not. */
  groupsPauseMs: number
  rowsPauseMs: number
  /** The same over an engine that does not say when rows change. */
  unseenPauseMs: number
  /** How often a query with a moving window is evaluated if no rows arrive. */
  windowPauseMs: number
  /** How many evaluations in a row may fail for lack of resources before the streams end. */
  failures: number
  /** After this time a stream ends, and the client connects again. */
  streamMs: number
}

/** The limits of the service. `lingerMs`: how long the last result of a query without subscribers is kept. */
export const SUBSCRIPTION_LIMITS: SubscriptionLimits = {
  ...TAIL_LIMITS,
  subscribedQueries: 50,
  subscribers: 200,
  resultsBytes: 64 * MIB,
  changesBytes: 16 * KIB,
  groupsPauseMs: 250,
  rowsPauseMs: 2_000,
  unseenPauseMs: 5_000,
  windowPauseMs: 10_000,
  failures: 3,
  streamMs: DAY_US / MILLISECOND_US,
}

/** The share of the memory limit for the last results. */
const RESULTS_SHARE = 1 / 16

/** Returns the limits of a process with a memory limit. */
export function subscriptionLimits(memoryLimitBytes: number): SubscriptionLimits {
  const { resultsBytes } = SUBSCRIPTION_LIMITS
  return { ...SUBSCRIPTION_LIMITS, resultsBytes: Math.min(resultsBytes, memoryLimitBytes * RESULTS_SHARE) }
}
