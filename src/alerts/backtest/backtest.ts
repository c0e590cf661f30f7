import { LogweirError } from '../../base/errors.js'
import { createYielder, type Yielder } from '../../base/scheduling/time-slices.js'
import type { Ask, Engine, RunOptions } from '../../engine/engine.js'
import { outcomeOf } from '../evaluate/outcome.js'
import type { Rule } from '../rules/rule.js'
import { type AlertEvent, NEW_STATE } from '../states/state.js'
import { type JudgedRule, transition } from '../states/transition.js'
import { type Instants, instantAt, instantsBefore, latest } from './instants.js'
import { movedPlan } from './moved-plan.js'
import { createTransitions } from './transitions.js'

/**
 * How the rows of each instant were computed: merged from groups of pieces of time (`buckets`), or by a query for each
 * instant (`steps`).
 */
export type Method = 'buckets' | 'steps'

/** The transitions that a rule would have had. */
export interface Backtest {
  /** The latest transitions, oldest first. */
  events: readonly AlertEvent[]
  /** Earlier transitions, which are left out. */
  omitted: number
  method: Method
  /** The instants that were evaluated: the latest, if there are too many. */
  instants: Instants
  /** All instants of the time. */
  wanted: number
  /** Evaluations that failed. */
  failed: number
}

/** The most instants by each method. Tests lower the numbers. */
export interface BacktestLimits {
  buckets: number
  steps: number
}

/** The limits of the service. */
export const BACKTEST_LIMITS: BacktestLimits = { buckets: 100_000, steps: 1_000 }

/** The time before `nowUs` in which the rule is evaluated, and options of each run. */
export interface BacktestOptions extends RunOptions {
  nowUs: number
  lastUs: number
  limits?: BacktestLimits
}

/**
 * Evaluates a rule at all its instants in a time that ends now, over the rows that are there now: a row counts from its
 * timestamp on, whenever it arrived. Starts without a state. The state is never {@link held}, as after the start of a
 * service: an alert that is not seen is resolved at once. Rejects with the reason of the signal.
 */
export async function backtest(
  rule: Rule,
  engine: Pick<Engine, 'run' | 'runMoved'>,
  { nowUs, lastUs, limits = BACKTEST_LIMITS, ...given }: BacktestOptions,
): Promise<Backtest> {
  const options: RunOptions = { ...given, keepsFewRows: true }
  const all = instantsBefore(nowUs, lastUs, rule.timing.everyUs)
  const yieldIfDue = createYielder(options.signal)
  const byBuckets = await tryBuckets(rule, engine, latest(all, limits.buckets), options, yieldIfDue)
  if (byBuckets !== undefined) return { ...byBuckets, wanted: all.count }
  const instants = latest(all, limits.steps)
  const asks = stepsOf(rule, engine, instants, options)
  return { ...(await evaluateAll(rule, instants, asks, options, yieldIfDue)), method: 'steps', wanted: all.count }
}

type Evaluated = Omit<Backtest, 'wanted'>

/**
 * Evaluates by buckets. Undefined if the query or the engine does not permit that, if a row fails, which fails only the
 * windows with that row, or if the groups need too much memory.
 */
async function tryBuckets(
  rule: Rule,
  { runMoved }: Pick<Engine, 'runMoved'>,
  instants: Instants,
  options: RunOptions,
  yieldIfDue: Yielder,
): Promise<Evaluated | undefined> {
  const plan = runMoved && movedPlan(rule, instants)
  const asks = plan && (await runMoved(plan, { count: instants.count, stepUs: instants.everyUs }, options))
  if (asks === undefined) return undefined
  try {
    return { ...(await evaluateAll(rule, instants, asks, options, yieldIfDue)), method: 'buckets' }
  } catch (error) {
    options.signal?.throwIfAborted()
    if (error instanceof LogweirError) return undefined
    throw error
  }
}

async function* stepsOf(
  rule: Rule,
  engine: Pick<Engine, 'run'>,
  instants: Instants,
  options: RunOptions,
): AsyncGenerator<Ask, void> {
  for (let place = 0; place < instants.count; place++)
    yield () => engine.run(rule.planAt(instantAt(instants, place)), options)
}

/** Evaluates the rule at each instant, given the rows of each. */
async function evaluateAll(
  rule: Rule,
  instants: Instants,
  asks: AsyncIterable<Ask>,
  { signal }: RunOptions,
  yieldIfDue: Yielder,
): Promise<Omit<Evaluated, 'method'>> {
  const judged: JudgedRule = { name: rule.name, timing: rule.timing, mutedUntilUs: Number.POSITIVE_INFINITY }
  const transitions = createTransitions()
  let state = NEW_STATE
  let place = 0
  let failed = 0
  for await (const ask of asks) {
    const outcome = await outcomeOf(rule, state, ask)
    signal?.throwIfAborted()
    if (outcome.kind === 'failed') failed++
    const next = transition(judged, state, outcome, instantAt(instants, place++))
    transitions.add(next.events)
    state = next.state
    const pause = yieldIfDue()
    if (pause !== undefined) await pause
  }
  return { ...transitions.finish(), instants, failed }
}
