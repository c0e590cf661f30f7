import { LogweirError } from '../../base/errors.js'
import type { MemoryBudget } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import {
  type CoreShare,
  createCoreShare,
  createSpending,
  type StartSpending,
} from '../../base/scheduling/core-share.js'
import { type ComputeContext, compute } from '../query/compute.js'
import type { ConcurrencyLimit } from '../query/concurrency.js'
import { refusals } from '../reply/errors.js'
import { type FollowedQuery, isDue, noteBehind, pause, type Revisions, seePlan } from './followed-query.js'
import type { SubscriptionLimits } from './limits.js'
import { readResult, shapeOf } from './result.js'

/** What evaluations need. */
export interface EvaluatorOptions extends ComputeContext {
  engine: ComputeContext['engine'] & Revisions
  limits: SubscriptionLimits
  memory: MemoryBudget
  metrics: Pick<Metrics, 'subscriptionEvaluations' | 'subscriptionLagSeconds'>
  /** The slots of evaluations that no client waits for. */
  concurrency: ConcurrencyLimit
  /** See {@link createSpending}. */
  processorMs?: (() => number) | undefined
  /** The queries that are followed. */
  queries(): Iterable<FollowedQuery>
  /** Throws `overloaded` if there is no memory for a result of this size in the place of a query's last one. */
  checkRoom(query: FollowedQuery, heldBytes: number): void
  /** Called after an answer has changed. */
  onChange(query: FollowedQuery): void
  /** Called if a query cannot be followed any longer. */
  onFailure(query: FollowedQuery, error: unknown): void
}

/** Evaluates the queries that are followed, one evaluation for all subscribers of a query. */
export interface Evaluator {
  /**
   * Evaluates a query now, in a slot of `concurrency`. Callers at the same time share an evaluation. Rejects with the
   * errors of the query.
   */
  evaluate(query: FollowedQuery, concurrency: ConcurrencyLimit): Promise<void>
  /** Starts the evaluations that are due, as many as may run at once. */
  startDue(): void
}

/** Evaluations at once that no client waits for: a slow query does not stop the others. */
const PARALLEL = 2

interface State extends EvaluatorOptions {
  share: CoreShare
  startSpending: StartSpending
  running: number
}

/** Creates an evaluator. The owner calls `startDue` again and again. */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const startSpending = createSpending(options.clock, options.processorMs)
  const state: State = { ...options, share: createCoreShare(), startSpending, running: 0 }
  return { evaluate: (query, concurrency) => evaluate(state, query, concurrency), startDue: () => startDue(state) }
}

function evaluate(state: State, query: FollowedQuery, concurrency: ConcurrencyLimit): Promise<void> {
  if (query.evaluation !== undefined) return query.evaluation
  const evaluation = evaluateAlone(state, query, concurrency).finally(() => {
    if (query.evaluation === evaluation) query.evaluation = undefined
  })
  query.evaluation = evaluation
  return evaluation
}

async function evaluateAlone(state: State, query: FollowedQuery, concurrency: ConcurrencyLimit): Promise<void> {
  const { clock, limits, metrics } = state
  const sinceMs = query.behindMs
  query.startedMs = clock.monotonicMs()
  query.spentMs = 0
  query.abandoned = new AbortController()
  try {
    const isChanged = await concurrency.run((signal) => run(state, query, signal), query.abandoned.signal)
    query.failures = 0
    metrics.subscriptionEvaluations.inc({ result: isChanged ? 'changed' : 'unchanged' })
    if (!isChanged) return
    if (sinceMs !== undefined && query.subscribers.size > 0)
      metrics.subscriptionLagSeconds.observe((clock.monotonicMs() - sinceMs) / 1_000)
    state.onChange(query)
  } catch (error) {
    query.failures++
    metrics.subscriptionEvaluations.inc({ result: 'failed' })
    throw error
  } finally {
    pause(query, limits)
  }
}

/** Runs a query in a slot, and publishes the answer. Returns whether the answer has changed. */
async function run(state: State, query: FollowedQuery, signal: AbortSignal): Promise<boolean> {
  const { clock, engine, share, checkRoom } = state
  const { endpoint, published } = query
  const { checksNames, ...unchecked } = query.call
  // Names are checked once: the warnings are a header.
  const call = published.number === 0 && checksNames ? query.call : unchecked
  const plan = (nowUs: number) => {
    const made = query.call.plan(nowUs)
    seePlan(query, made, nowUs, engine)
    return made
  }
  const startMs = clock.monotonicMs()
  query.startedMs = startMs
  const spent = state.startSpending()
  const memory = state.memory.open()
  try {
    const { encoded, warnings } = await compute(state, { ...call, plan }, { signal, memory }, (rows) =>
      readResult(rows, currentShape(state, query), {
        signal,
        memory,
        checkRoom: (heldBytes) => checkRoom(query, heldBytes),
      }),
    )
    query.warnings ??= warnings || undefined
    signal.throwIfAborted()
    return published.publish(encoded)
  } finally {
    memory.release()
    query.spentMs = spent()
    share.used(startMs, query.spentMs)
  }

  function currentShape({ engine: { revision } }: State, { seen, call: { computation } }: FollowedQuery) {
    const shape = shapeOf(seen!.plan, endpoint.maxRows)
    // The rows of an engine that other processes change, and computed rows, are sent as a whole.
    return revision === undefined || computation !== undefined ? { ...shape, key: undefined } : shape
  }
}

function startDue(state: State): void {
  const { clock, engine, limits, share, concurrency } = state
  const nowMs = clock.monotonicMs()
  for (const query of state.queries()) noteBehind(query, nowMs, engine)
  const due = [...state.queries()].filter((query) => isDue(query, { nowMs, clock, engine, limits }))
  for (const query of due.sort((a, b) => a.startedMs - b.startedMs)) {
    if (state.running >= PARALLEL || !share.isFree(clock.monotonicMs())) return
    state.running++
    evaluate(state, query, concurrency)
      .catch((error) => fail(state, query, error))
      .finally(() => state.running--)
  }
}

const WITHOUT_RESOURCES = new Set(['overloaded', 'engine_unavailable'])

/** A query that lacked resources is tried again a few times. Any other error ends the streams. */
function fail(state: State, query: FollowedQuery, error: unknown): void {
  const code = error instanceof LogweirError ? error.code : 'internal'
  if (code === 'abandoned') return
  if (!WITHOUT_RESOURCES.has(code) || query.failures >= state.limits.failures) state.onFailure(query, error)
}

/** Ends the running evaluation of a query that no client follows any longer. */
export function abandon(query: FollowedQuery): void {
  query.evaluation = undefined
  query.abandoned.abort(refusals.abandoned())
}
