import type { Log } from '../../base/log.js'
import { createCoreShare, createSpending, type StartSpending } from '../../base/scheduling/core-share.js'
import { createSerialQueue } from '../../base/scheduling/serial-queue.js'
import type { Clock } from '../../base/time/clock.js'
import type { Row } from '../../plan/answer.js'
import type { Plan } from '../../plan/plan.js'
import type { Delivery } from '../delivery/delivery.js'
import type { Receiver } from '../delivery/receivers.js'
import { notificationsOf } from '../delivery/requests.js'
import type { ToldAlert } from '../delivery/told-alert.js'
import { withoutProject } from '../delivery/without-project.js'
import type { Rule } from '../rules/rule.js'
import { eventRecord } from '../states/event-record.js'
import type { AlertLimits } from '../states/limits.js'
import { NEW_STATE, type RuleState } from '../states/state.js'
import { DEFAULT_TIMES, type DueInstant, dueInstant } from '../states/timing.js'
import { closed, held, type JudgedRule, type Transition, transition } from '../states/transition.js'
import type { AlertStore } from '../store/store.js'
import { createJumpDetector } from './clock-jumps.js'
import type { History } from './history.js'
import { outcomeOf } from './outcome.js'
import { toldState } from './told-state.js'

/** The result of an evaluation. `skipped`: an instant was missed. */
export type EvaluationResult = 'ok' | 'failed' | 'skipped'

/** The dependencies of the evaluator. */
export interface EvaluatorContext {
  clock: Clock
  log: Log
  store: AlertStore
  receivers: ReadonlyMap<string, Receiver>
  delivery: Pick<Delivery, 'add' | 'changed' | 'replace'>
  history: History
  /** Runs the plan of a rule over the rows of all projects, as a query with its limits. Rejects if the query fails. */
  ask(plan: Plan, rule: Rule): Promise<AsyncIterable<Row>>
  /** Counts evaluations, and notes how long an evaluation took. */
  onEvaluation(rule: string, result: EvaluationResult, count: number, seconds: number | undefined): void
  limits?: AlertLimits
  /**
   * Returns the time that processors have spent on the process, in milliseconds. With it, an evaluation that waits for
   * a busy machine counts no more than that. By default the whole duration of an evaluation counts.
   */
  processorMs?(): number
}

/** A rule with its state. */
export interface RuleView {
  rule: Rule
  state: RuleState
  /** The message of the last evaluation if it failed. Not kept over a restart. */
  failure: string | undefined
}

/** Evaluates rules at their instants, one process for a data directory. */
export interface Evaluator {
  /** Sets the rules, at the start and after each reload. Firing alerts of a rule that is gone are resolved. */
  setRules(rules: readonly Rule[]): Promise<void>
  /** Forgets the alerts of a project, see {@link withoutProject}. Rejects with the system's error. */
  forgetProject(project: string): Promise<void>
  /** Returns all rules with their states, in the order of the rules. */
  views(): readonly RuleView[]
  /** Returns the alerts that a receiver gets as a state. */
  alertsOf(receiver: string): readonly ToldAlert[]
  /**
   * Starts no further evaluation. Resolves when running evaluations have ended. The caller may cut their queries: a
   * query that fails from now on changes nothing.
   */
  stop(): Promise<void>
}

/** How often instants are looked at. */
const TICK_MS = 100
/** Evaluations at once: a slow rule does not stop the others. */
const PARALLEL = 2

interface Watched {
  rule: Rule
  state: RuleState
  /** Instants before this time are not evaluated. */
  armedUs: number
  /** The start of the last evaluation, on the monotonic clock: the rule that waits longest is next. */
  startedMs: number
  isRunning: boolean
  failure: string | undefined
}

interface State extends EvaluatorContext {
  rules: Map<string, Watched>
  running: Set<Promise<void>>
  share: ReturnType<typeof createCoreShare>
  startSpending: StartSpending
  /** While the rules are replaced, and from `stop` on. */
  isPaused: boolean
  isStopped: boolean
  /** Whether the last state could not be written. */
  hasFailed: boolean
}

/** Starts to evaluate rules, of which there are none before the first `setRules`. */
export function startEvaluator(context: EvaluatorContext): Evaluator {
  const { clock } = context
  const flags = { isPaused: false, isStopped: false, hasFailed: false }
  const shared = { share: createCoreShare(), startSpending: createSpending(clock, context.processorMs) }
  const state: State = { ...context, rules: new Map(), running: new Set(), ...shared, ...flags }
  const changes = createSerialQueue()
  const hasJumped = createJumpDetector(clock)
  const stopTimer = clock.every(TICK_MS, () => {
    if (hasJumped()) for (const watched of state.rules.values()) arm(state, watched)
    context.history.pump()
    startDue(state)
  })
  return {
    setRules: (rules) => changes.run(() => setRules(state, rules)),
    forgetProject: (project) => changes.run(() => forgetProject(state, project)),
    views: () =>
      [...state.rules.values()].map(({ rule, state: ofRule, failure }) => ({ rule, state: ofRule, failure })),
    alertsOf: (receiver) => alertsOf(state, receiver),
    async stop() {
      stopTimer()
      state.isStopped = true
      await changes.settled()
      await Promise.all(state.running)
      await context.history.settled()
    },
  }
}

/** After a start and after a jump of the clock: nothing is resolved for a while. */
function arm({ clock }: State, watched: Watched): void {
  watched.armedUs = clock.nowUs()
  watched.state = held(watched.state, watched.rule.timing, clock.nowUs())
}

/** Running evaluations end first: their results are of the rules before. */
async function setRules(state: State, rules: readonly Rule[]): Promise<void> {
  state.isPaused = true
  await Promise.all(state.running)
  const before = state.rules
  state.rules = new Map(rules.map((rule) => [rule.name, watchedOf(state, rule, before.get(rule.name))]))
  for (const [name, ofRule] of [...state.store.states()]) {
    if (state.rules.has(name)) continue
    await close(state, before.get(name)?.rule, name, before.get(name)?.state ?? ofRule)
  }
  state.isPaused = false
}

/** Running evaluations and their writes end first: no write restores the project. */
async function forgetProject(state: State, project: string): Promise<void> {
  const { store, delivery, history } = state
  const change = withoutProject(project)
  state.isPaused = true
  try {
    await Promise.all(state.running)
    await history.settled()
    for (const watched of state.rules.values()) watched.state = change.state(watched.state)
    delivery.replace(change.notification)
    await store.replace(change)
  } finally {
    state.isPaused = false
  }
}

function watchedOf(state: State, rule: Rule, before: Watched | undefined): Watched {
  if (before !== undefined) return { ...before, rule, isRunning: false }
  const ofRule = state.store.states().get(rule.name) ?? NEW_STATE
  const idle = { startedMs: Number.NEGATIVE_INFINITY, isRunning: false, failure: undefined }
  const watched: Watched = { rule, state: ofRule, armedUs: 0, ...idle }
  arm(state, watched)
  return watched
}

/**
 * Resolves the firing alerts of a rule that is gone. The receiver of a rule that was deleted during a stop is unknown.
 */
async function close(state: State, rule: Rule | undefined, name: string, ofRule: RuleState): Promise<void> {
  const timing = { everyUs: 1, ...DEFAULT_TIMES }
  const judged: JudgedRule = rule ?? { name, timing, mutedUntilUs: Number.POSITIVE_INFINITY }
  const result = closed(judged, ofRule, state.clock.nowUs())
  await commit(state, rule, name, { ...result, isGone: true }).catch((error) => logFailure(state, name, error))
}

function startDue(state: State): void {
  const { clock, running, share } = state
  while (!state.isPaused && !state.isStopped && running.size < PARALLEL && share.isFree(clock.monotonicMs())) {
    const next = nextDue(state)
    if (next === undefined) return
    const done = evaluate(state, next.watched, next.due)
    running.add(done)
    void done.then(() => {
      running.delete(done)
      startDue(state)
    })
  }
}

/** The rule with a due instant that waits longest. */
function nextDue({ rules, clock }: State): { watched: Watched; due: DueInstant } | undefined {
  let next: { watched: Watched; due: DueInstant } | undefined
  for (const watched of rules.values()) {
    const { rule, state, armedUs, isRunning } = watched
    if (isRunning || (next !== undefined && next.watched.startedMs <= watched.startedMs)) continue
    const due = dueInstant(rule.timing.everyUs, { nowUs: clock.nowUs(), armedUs, lastUs: state.lastUs })
    if (due !== undefined) next = { watched, due }
  }
  return next
}

async function evaluate(state: State, watched: Watched, { instantUs, skipped }: DueInstant): Promise<void> {
  const { clock, share, onEvaluation, limits } = state
  const { rule } = watched
  watched.isRunning = true
  watched.startedMs = clock.monotonicMs()
  const spent = state.startSpending()
  const ask = () => state.ask(rule.planAt(instantUs), rule)
  const outcome = await outcomeOf(rule, watched.state, ask, limits)
  const durationMs = clock.monotonicMs() - watched.startedMs
  share.used(watched.startedMs, spent())
  watched.isRunning = false
  // The stop has cut the query: the instant is missed, and the rule has not failed.
  if (state.isStopped && outcome.kind === 'failed') return
  watched.failure = outcome.kind === 'failed' ? outcome.reason : undefined
  if (skipped > 0) onEvaluation(rule.name, 'skipped', skipped, undefined)
  const result = transition(rule, watched.state, outcome, instantUs)
  const isWritten = await commit(state, rule, rule.name, result).then(
    () => true,
    (error) => logFailure(state, rule.name, error),
  )
  // Without the write nothing has happened. The instant is over all the same: the next one is another try.
  watched.state = isWritten ? withHold(result.state, watched.state) : { ...watched.state, lastUs: instantUs }
  const isOk = isWritten && outcome.kind === 'rows'
  onEvaluation(rule.name, isOk ? 'ok' : 'failed', 1, durationMs / 1000)
}

/** The clock may have jumped while the state was written. */
const withHold = (state: RuleState, { holdUntilUs }: RuleState): RuleState => ({ ...state, holdUntilUs })

/**
 * Writes a transition to disk, and then passes on the notices and events. The state is synced before notifications are
 * sent. Rejects with the system's error if the state cannot be written: then nothing has happened.
 */
async function commit(
  state: State,
  rule: Rule | undefined,
  name: string,
  { state: next, events, notices, isGone = false }: Transition & { isGone?: boolean },
): Promise<void> {
  const { store, receivers, delivery, history, clock } = state
  const receiver = rule?.notify === undefined ? undefined : receivers.get(rule.notify)
  const severity = rule?.severity ?? ''
  const options = { severity, nextId: store.nextId, nowUs: clock.nowUs() }
  const added = receiver === undefined ? [] : notificationsOf(receiver, notices, options)
  const pending = events.map((event) => ({ id: store.nextId(), record: eventRecord(event, severity) }))
  const isSynced = events.length > 0 || notices.length > 0
  await store.commit({ rule: name, state: isGone ? undefined : next, added, events: pending }, isSynced)
  state.hasFailed = false
  if (added.length > 0) delivery.add(added)
  if (receiver?.kind === 'alertmanager' && isSynced) delivery.changed(receiver.name)
  history.pump()
}

/** Logs the first of several failures. */
function logFailure(state: State, rule: string, error: unknown): false {
  const fields = { level: 'error', code: 'alert_state', rule } as const
  if (!state.hasFailed)
    state.log(`states of alerts cannot be written: ${(error as Error).message}. Nothing is sent.`, fields)
  state.hasFailed = true
  return false
}

function alertsOf({ rules, clock }: State, receiver: string): ToldAlert[] {
  return [...rules.values()].flatMap(({ rule, state }) =>
    rule.notify === receiver && clock.nowUs() >= rule.mutedUntilUs ? toldState(rule, state) : [],
  )
}
