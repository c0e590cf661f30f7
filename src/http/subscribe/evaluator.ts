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
import {
  type FollowedQuery,
  hasPart,
  isDue,
  noteBehind,
  noteUsual,
  pause,
  planAt,
  type Revisions,
  seePlan,
} from './followed-query.js'
import type { SubscriptionLimits } from './limits.js'
import { readResult, shapeOf } from './result.js'

/** The parts that evaluations need. */
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

/** Evaluations at once that no client waits for, and how many of them may be of queries that took long. */
const PARALLEL = 4
const PARALLEL_SLOW = 2
/** A query that took so long is slow. Slow queries do not stop the others. */
const SLOW_MS = 100

/** The limits of evaluations that no client waits for: a slot is free when the evaluator starts one. */
export const EVALUATING = { queriesAtOnce: PARALLEL, queriesWaiting: PARALLEL, waitMs: 10_000, queryMs: 30_000 }

interface State extends EvaluatorOptions {
  share: CoreShare
  startSpending: StartSpending
  /** The queries that are evaluated without a client that waits, and whether each is slow. */
  running: Map<FollowedQuery, boolean>
}

/** Creates an evaluator. The owner calls `startDue` again and again. */
export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const startSpending = createSpending(options.clock, options.processorMs)
  const state: State = { ...options, share: createCoreShare(), startSpending, running: new Map() }
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
  const { clock, engine, share, running, checkRoom } = state
  const { endpoint, published } = query
  const { checksNames, ...unchecked } = query.call
  // Names are checked once: the warnings are a header.
  const call = published.number === 0 && checksNames ? query.call : unchecked
  const plan = (nowUs: number) => {
    const made = planAt(query, nowUs)
    seePlan(query, made, nowUs, engine)
    return made
  }
  const startMs = clock.monotonicMs()
  query.startedMs = startMs
  const spent = state.startSpending()
  const memory = state.memory.open()
  try {
    const { encoded, warnings, viewNotes } = await compute(state, { ...call, plan }, { signal, memory }, (rows) =>
      readResult(rows, currentShape(state, query), {
        signal,
        memory,
        checkRoom: (heldBytes) => checkRoom(query, heldBytes),
      }),
    )
    query.warnings ??= warnings || undefined
    query.viewNotes = viewNotes
    signal.throwIfAborted()
    return published.publish(encoded)
  } finally {
    memory.release()
    query.spentMs = spent()
    // The evaluations that a client waits for are bounded as its queries are.
    if (running.has(query)) {
      share.used(startMs, query.spentMs)
      noteUsual(query)
    }
  }

  function currentShape({ engine: { revision } }: State, { seen, call: { computation } }: FollowedQuery) {
    const shape = shapeOf(seen!.plan, endpoint.maxRows)
    // The rows of an engine that other processes change, and computed rows, are sent as a whole.
    return revision === undefined || computation !== undefined ? { ...shape, key: undefined } : shape
  }
}

function startDue(state: State): void {
  const { clock, engine, limits, concurrency, running } = state
  const nowMs = clock.monotonicMs()
  for (const query of state.queries()) noteBehind(query, nowMs, engine)
  const due = [...state.queries()].filter((query) => isDue(query, { nowMs, clock, engine, limits }))
  for (const query of due.sort((a, b) => a.startedMs - b.startedMs)) {
    if (running.size >= PARALLEL) return
    if (!mayStart(state, query)) continue
    running.set(query, query.spentMs >= SLOW_MS)
    evaluate(state, query, concurrency)
      .catch((error) => fail(state, query, error))
      .finally(() => running.delete(query))
  }
}

/**
 * Whether the quarter of a core is free, or the query has used less of it than an equal part, so that queries that take
 * long do not delay the others.
 */
function mayStart({ clock, share, running, queries }: State, query: FollowedQuery): boolean {
  const { spentMs } = query
  const slow = [...running.values()].filter((isSlow) => isSlow).length
  if (spentMs >= SLOW_MS && slow >= PARALLEL_SLOW) return false
  const nowMs = clock.monotonicMs()
  const count = [...queries()].filter(({ subscribers }) => subscribers.size > 0).length
  return share.isFree(nowMs) || hasPart(query, nowMs, count)
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
