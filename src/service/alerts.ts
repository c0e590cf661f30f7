import { type Delivery, startDelivery } from '../alerts/delivery/delivery.js'
import { type Receivers, readReceivers } from '../alerts/delivery/receivers.js'
import { createSender } from '../alerts/delivery/send.js'
import { withoutProject } from '../alerts/delivery/without-project.js'
import { alertsAnswer, rulesAnswer, type SeenProjects } from '../alerts/evaluate/answers.js'
import { type Evaluator, startEvaluator } from '../alerts/evaluate/evaluator.js'
import { createHistory } from '../alerts/evaluate/history.js'
import { openRules, type Rules } from '../alerts/rules/open.js'
import type { Rule } from '../alerts/rules/rule.js'
import { ALERTS, type AlertStore, createMemoryStore, openAlertStore } from '../alerts/store/store.js'
import type { Log } from '../base/log.js'
import type { MemoryBudget } from '../base/memory/memory-budget.js'
import type { Metrics } from '../base/metrics.js'
import type { Clock } from '../base/time/clock.js'
import { MILLISECOND_US } from '../base/units.js'
import type { Environment } from '../config/environment.js'
import type { DataDirectory } from '../engine/disk/directory/open.js'
import type { Engine } from '../engine/engine.js'
import { HTTP_LIMITS } from '../http/query/limits.js'
import type { Alerting } from '../http/routes.js'
import type { ReadableViews } from '../sql/compile/readable-views.js'
import { createHistoryAppender } from './alert-history.js'
import { publishAlertMetrics } from './alert-metrics.js'
import { createRuleQueries, type RuleQueries } from './rule-queries.js'
import { tryPlan } from './try-plan.js'

/** The places of rules and receivers, and the parts that they need. */
interface AlertsOptions {
  /** The directory of rules. */
  directory: string
  /** The file of receivers. Undefined: nobody is notified. */
  receivers: string | undefined
  environment: Environment
  /** The data directory. Undefined: states end with the process. */
  disk: DataDirectory | undefined
  /** The views that rules may read. */
  views: ReadableViews
  clock: Clock
  metrics: Metrics
  log: Log
}

/** The engine, which runs queries and stores the history once all rows are recovered. */
interface AlertsEngine {
  engine: Pick<Engine, 'append' | 'run'>
  /** The memory of all queries. */
  memory: MemoryBudget
}

/** The alerts of a service. */
export interface Alerts extends Alerting {
  /** Starts to evaluate and to notify. Called once all rows are recovered. */
  start(parts: AlertsEngine): void
  /**
   * Forgets the alerts of a project that was deleted: their states, events that wait to be stored, and undelivered
   * notifications. Alerts that quote rows without the label `project` stay until their rule is evaluated.
   */
  forgetProject(project: string): Promise<void>
  /**
   * Stops evaluations and deliveries, and closes the states. Resolves within about 2 s, unless the engine's `append`
   * waits. Later calls return the same promise.
   */
  stop(): Promise<void>
}

/** The parts that run between start and stop. */
interface Running {
  queries: RuleQueries
  evaluator: Evaluator
  delivery: Delivery
  stopWatching(): void
}

/**
 * Reads receivers and rules, and opens the states. Throws `usage` for a rule, a receiver or a variable, `failed` for a
 * file that cannot be read, `newer_format` for states of a newer version.
 */
export async function openAlerts(options: AlertsOptions): Promise<Alerts> {
  const { directory, environment, disk, clock, metrics, log } = options
  const file = options.receivers
  const { receivers, warning } = file === undefined ? NOBODY : readReceivers(file, environment)
  if (warning !== undefined) log(warning, { level: 'warn', code: 'receivers_readable' })
  const rules = await openRules(directory, {
    tryPlan,
    hasReceiver: (name) => receivers.has(name),
    clock,
    views: options.views,
  })
  log(`alert rules of ${directory}: ${namesOf(rules.all()).join(', ') || 'none'}`)
  if (disk === undefined) log(ENDS_WITH_PROCESS, { level: 'warn', code: 'alerts_in_memory' })
  const store = disk === undefined ? createMemoryStore() : await openAlertStore(disk.files, log)
  const published = publishAlertMetrics(metrics, receivers.keys())
  let running: Running | undefined
  let stopped: Promise<void> | undefined

  async function stop(): Promise<void> {
    if (running !== undefined) await stopRunning(running)
    await store.close()
  }

  const views = () => running?.evaluator.views() ?? []
  return {
    start(engine) {
      running = startRunning({ clock, metrics, log, receivers, rules, store, published }, engine)
    },
    forgetProject: (project) =>
      running === undefined ? store.replace(withoutProject(project)) : running.evaluator.forgetProject(project),
    stop: () => (stopped ??= stop()),
    alerts: (projects: SeenProjects) => alertsAnswer(views(), clock.nowUs(), projects),
    rules: (projects: SeenProjects) => rulesAnswer(views(), clock.nowUs(), projects),
  }
}

/**
 * Forgets the alerts of a project in the files of a data directory that an earlier process has left, without rules.
 * Rejects with the errors of {@link openAlerts}.
 */
export async function forgetStoredAlerts({ files }: Pick<DataDirectory, 'files'>, project: string, log: Log) {
  if ((await files.list(ALERTS)).length === 0) return
  const store = await openAlertStore(files, log)
  await store.replace(withoutProject(project)).finally(() => store.close())
}

/** The parts that are opened before the start. */
interface Opened extends Pick<AlertsOptions, 'clock' | 'metrics' | 'log'> {
  receivers: Receivers['receivers']
  rules: Rules
  store: AlertStore
  published: ReturnType<typeof publishAlertMetrics>
}

/** Starts queries, deliveries and evaluations, and watches the directory of rules. */
function startRunning(opened: Opened, { engine, memory }: AlertsEngine): Running {
  const { clock, metrics, log, receivers, rules, store, published } = opened
  const { queryMs } = HTTP_LIMITS
  const queries = createRuleQueries({ engine, memory, clock, metrics, queryMs })
  const shared = { clock, log, store, receivers }
  const delivery = startDelivery({
    ...shared,
    ...{ sender: createSender(), random: Math.random, count: published.countNotification },
    alertsOf: (name) => evaluator.alertsOf(name),
  })
  const history = createHistory(store, createHistoryAppender(engine), { clock, log })
  const evaluator: Evaluator = startEvaluator({
    ...shared,
    ...{ delivery, history, ask: queries.ask, onEvaluation: published.noteEvaluation, processorMs },
  })
  const set = (all: readonly Rule[]) => {
    published.keepRules(namesOf(all))
    void evaluator.setRules(all)
  }
  set(rules.all())
  published.collect({ views: evaluator.views, oldestAges: delivery.oldestAges })
  return { queries, evaluator, delivery, stopWatching: rules.watch(clock, log, set) }
}

/** Stops evaluations, of which the running ones lose their queries, and then deliveries. */
async function stopRunning({ queries, evaluator, delivery, stopWatching }: Running): Promise<void> {
  stopWatching()
  const evaluated = evaluator.stop()
  queries.cut()
  await evaluated
  await delivery.stop()
}

const namesOf = (rules: readonly Rule[]) => rules.map(({ name }) => name)

/** The time of all threads, which is at least that of an evaluation. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / MILLISECOND_US
}

const NOBODY: Receivers = { receivers: new Map(), warning: undefined }

const ENDS_WITH_PROCESS =
  'alerts without a data directory: their states, and notifications that are not delivered, end with the process'
