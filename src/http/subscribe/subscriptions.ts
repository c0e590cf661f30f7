/** Answers of endpoints as streams of events: the rows, and then each change. */

import type { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import type { MemoryBudget } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import type { BoundCall, Call, Endpoint } from '../../endpoints/endpoint.js'
import { createNameChecks } from '../../endpoints/unknown-names.js'
import type { Engine } from '../../engine/engine.js'
import type { Access } from '../../tokens/access.js'
import { queryFields } from '../query/answer.js'
import type { Following, QueryRequest } from '../query/answer-queries.js'
import { type ConcurrencyLimits, createConcurrencyLimit } from '../query/concurrency.js'
import { type DeletedRows, mayHave } from '../query/current-rows.js'
import { callAfter, onAbort } from '../query/waiting.js'
import type { ErrorForm } from '../reply/error-form.js'
import { refusals, toPublicError } from '../reply/errors.js'
import { streamBody } from '../reply/stream.js'
import { EVENT_HEADERS, stopping } from '../tail/event-stream.js'
import { createSendRate, type SendRate } from '../tail/send-rate.js'
import { replaced, rowsDeleted, tooManyQueries, tooManySubscribers, tooMuchMemory } from './errors.js'
import { abandon, createEvaluator, EVALUATING, type Evaluator } from './evaluator.js'
import { createFollowedQuery, type FollowedQuery, isOutdated } from './followed-query.js'
import { createHeldBytes } from './held-bytes.js'
import type { SubscriptionLimits } from './limits.js'
import { createPublished } from './published.js'
import { checkRoom, makeRoom, type Room } from './room.js'
import { createSubscriber } from './subscriber.js'
import { randomName } from './watermark.js'

/** The surroundings of the subscriptions. */
export interface SubscriptionsOptions {
  engine: Pick<Engine, 'run' | 'columnPaths' | 'revision'>
  clock: Clock
  metrics: Metrics
  log: Log
  memory: MemoryBudget
  limits: SubscriptionLimits
  errorForm: ErrorForm
  /** The slots of first evaluations, which are those of queries. */
  concurrency: ConcurrencyLimits
  processorMs?: (() => number) | undefined
}

/** All subscriptions of the service. */
export interface Subscriptions extends Following {
  /**
   * Ends the streams of queries that may have some deleted rows, also answers that wait to be sent, and forgets their
   * answers: a client that connects again gets an answer without the rows.
   */
  forgetRows(rows: DeletedRows): void
  /** Ends all streams and refuses new ones with `stopping`. Called at shutdown. */
  close(): void
}

interface State extends SubscriptionsOptions {
  process: string
  /** By the key of the call, which no call of another project or of other parameters has. */
  queries: Map<string, FollowedQuery>
  room: Room
  evaluator: Evaluator
  sendRate: SendRate
  isClosed: boolean
  stopTicks: (() => void) | undefined
}

/** How often it is looked at which queries are due. */
const TICK_MS = 25

const HEADERS = { ...EVENT_HEADERS, Vary: 'Accept' } as const

/** Creates the subscriptions, with none open. */
export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { clock, limits, metrics, log } = options
  const queries = new Map<string, FollowedQuery>()
  const held = createHeldBytes()
  const all = () => queries.values()
  const room: Room = { held, limitBytes: limits.resultsBytes, queries: all, remove: (query) => remove(state, query) }
  const evaluator = createEvaluator({
    ...options,
    concurrency: createConcurrencyLimit(EVALUATING, clock, metrics.queriesRunning),
    nameChecks: createNameChecks(),
    queries: all,
    checkRoom: (query, heldBytes) => checkRoom(room, query, heldBytes),
    onChange({ subscribers }) {
      for (const subscriber of subscribers) subscriber.wake()
    },
    onFailure: (query, error) => endAll(state, query, toPublicError(error, log)),
  })
  const sendRate = createSendRate(limits.sentBytesPerS, limits.sentBurstBytes, clock)
  const parts = { process: randomName(), queries, room, evaluator, sendRate }
  const state: State = { ...options, ...parts, isClosed: false, stopTicks: undefined }
  publishMetrics(state)
  return {
    answer: (endpoint, call, asked) => answer(state, endpoint, call, asked),
    forget(endpoint) {
      for (const query of [...all()]) if (query.endpoint === endpoint) endAll(state, query, replaced())
    },
    forgetRows(rows) {
      for (const query of [...all()]) {
        // The first evaluation starts again by itself.
        if (query.published.number === 0 || query.seen === undefined || !mayHave(query.seen.plan, rows)) continue
        for (const subscriber of [...query.subscribers]) if (subscriber.sending !== undefined) subscriber.cut()
        endAll(state, query, rowsDeleted())
      }
    },
    close() {
      state.isClosed = true
      for (const query of [...all()]) endAll(state, query, stopping())
    },
  }
}

function publishMetrics({ metrics, queries, room: { held } }: State): void {
  const { subscriptionsOpen, subscribedQueries, subscriptionBytes } = metrics
  const open = () => [...queries.values()].reduce((sum, { subscribers }) => sum + subscribers.size, 0)
  Object.assign(subscriptionsOpen, { collect: () => subscriptionsOpen.set(open()) })
  Object.assign(subscribedQueries, { collect: () => subscribedQueries.set(queries.size) })
  Object.assign(subscriptionBytes, { collect: () => subscriptionBytes.set(held.bytes) })
}

async function answer(
  state: State,
  endpoint: Endpoint,
  call: Call | BoundCall,
  { request, connection, access }: QueryRequest,
): Promise<Response> {
  if (request.method === 'HEAD') {
    await call.load?.()
    call.plan(state.clock.nowUs())
    return new Response(null, { headers: HEADERS })
  }
  if (state.isClosed) throw stopping()
  const query = join(state, endpoint, call)
  try {
    await bringUpToDate(state, query, request.signal)
    if (request.signal.aborted) throw refusals.abandoned()
    if (state.queries.get(call.key) !== query) throw state.isClosed ? stopping() : replaced()
  } catch (error) {
    leave(state, query)
    throw error
  }
  const breakOff = connection?.breakOff ?? (() => {})
  const rest = open(state, query, {
    lastEventId: request.headers.get('last-event-id'),
    isAllowed: () => permits(access(), call),
    breakOff,
  })
  // The client may have left before the first chunk is asked for.
  connection?.onClose(() => void rest.return())
  return new Response(streamBody({ head: undefined, rest }, breakOff), {
    headers: { ...HEADERS, ...queryFields(query) },
  })
}

/**
 * Whether a token, which may have changed since the stream began, still permits the call. A call that is not bound to a
 * project may have rows of any.
 */
function permits(access: Access | undefined, call: Call | BoundCall): boolean {
  if (access?.scopes.has('query') !== true) return false
  return 'project' in call ? access.projects?.has(call.project) !== false : access.projects === undefined
}

/** Returns the query of a call, with the caller as a member. Throws `overloaded`. */
function join(state: State, endpoint: Endpoint, call: Call | BoundCall): FollowedQuery {
  const { queries, limits, room } = state
  const members = [...queries.values()].reduce((sum, one) => sum + one.members, 0)
  if (members >= limits.subscribers) throw tooManySubscribers(limits.subscribers)
  const query = queries.get(call.key) ?? add()
  query.members++
  query.stopLinger()
  state.stopTicks ??= state.clock.every(TICK_MS, () => tick(state))
  return query

  function add(): FollowedQuery {
    if (queries.size >= limits.subscribedQueries) {
      const unused = [...queries.values()].find((one) => one.members === 0)
      if (unused === undefined) throw tooManyQueries(limits.subscribedQueries)
      remove(state, unused)
    }
    const added = createFollowedQuery(endpoint, call, createPublished(state.process, room.held, limits.changesBytes))
    queries.set(call.key, added)
    return added
  }
}

/** Evaluates a query that has no answer, or an old one. Rejects with `abandoned` once the caller has left. */
async function bringUpToDate(state: State, query: FollowedQuery, caller: AbortSignal): Promise<void> {
  const { clock, engine, evaluator, concurrency } = state
  if (!isOutdated(query, clock.monotonicMs(), engine)) return
  const done = evaluator.evaluate(query, query.call.isClientSql ? concurrency.clientSql : concurrency.stored)
  await new Promise<void>((resolve, reject) => {
    const removeListener = onAbort(caller, () => reject(refusals.abandoned()))
    done.then(resolve, reject).finally(removeListener)
  })
}

/** The stream of a subscriber. */
interface StreamRequest {
  lastEventId: string | null
  isAllowed(): boolean
  breakOff(): void
}

function open(state: State, query: FollowedQuery, { lastEventId, ...stream }: StreamRequest) {
  const { clock, limits, log, metrics, errorForm, sendRate, room } = state
  const { published, subscribers, call } = query
  const subscriber = createSubscriber({
    ...{ ...stream, clock, limits, sendRate, published, held: room.held, number: published.stateOf(lastEventId) },
    errorForm: call.isClientSql ? 'nested' : errorForm,
    toPublicError: (error) => toPublicError(error, log),
    onEnd({ code }) {
      metrics.subscriptionsDropped.inc({ code })
      subscribers.delete(subscriber)
    },
    onLeave() {
      subscribers.delete(subscriber)
      leave(state, query)
    },
  })
  subscribers.add(subscriber)
  return subscriber
}

/** Removes a member. A query without members is kept for a while, for clients that reconnect. */
function leave(state: State, query: FollowedQuery): void {
  const { clock, limits, queries } = state
  query.members--
  if (query.members === 0 && queries.get(query.call.key) === query) {
    abandon(query)
    if (query.published.number === 0) remove(state, query)
    else query.stopLinger = callAfter(clock, limits.lingerMs, () => remove(state, query))
  }
  if ([...queries.values()].some(({ members }) => members > 0)) return
  state.stopTicks?.()
  state.stopTicks = undefined
}

function remove({ queries }: State, query: FollowedQuery): void {
  query.stopLinger()
  abandon(query)
  query.published.close()
  if (queries.get(query.call.key) === query) queries.delete(query.call.key)
}

/** Ends the streams of a query, and forgets the query. */
function endAll(state: State, query: FollowedQuery, reason: LogweirError): void {
  for (const subscriber of [...query.subscribers]) subscriber.end(reason)
  remove(state, query)
}

function tick(state: State): void {
  state.evaluator.startDue()
  const { room, queries } = state
  while (!makeRoom(room, 0) && queries.size > 0) {
    const [largest] = [...queries.values()].sort((a, b) => b.published.resultBytes - a.published.resultBytes)
    for (const subscriber of [...largest!.subscribers]) if (subscriber.sending !== undefined) subscriber.cut()
    endAll(state, largest!, tooMuchMemory())
  }
}
