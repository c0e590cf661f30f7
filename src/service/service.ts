import type { Log } from '../base/log.js'
import { budgetLimits, createMemoryBudget, type MemoryBudget } from '../base/memory/memory-budget.js'
import { createMetrics, type Metrics } from '../base/metrics.js'
import { collectGrownHeap } from '../base/process/heap.js'
import { measureProcess } from '../base/process/process-metrics.js'
import { threadCpuMs } from '../base/process/thread-cpu.js'
import { createSerialQueue } from '../base/scheduling/serial-queue.js'
import { type Clock, systemClock } from '../base/time/clock.js'
import { VERSION } from '../base/version.js'
import { explainRefusals } from '../common/source-refusals.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { DataDirectory } from '../engine/disk/directory/open.js'
import type { Engine } from '../engine/engine.js'
import { type App, createApp } from '../http/app.js'
import { type Arrivals, createArrivals } from '../http/query/arrivals.js'
import type { TestRule } from '../http/query/rule-tests.js'
import { LOGFLARE_DIALECT, OWN_DIALECT } from '../http/reply/dialect.js'
import type { Status } from '../http/routes.js'
import { listen } from '../http/server/server.js'
import { createRequests } from '../ingest/body/requests.js'
import { openRejects } from '../ingest/rejects.js'
import { createIngest } from '../ingest/stream/ingest.js'
import { readStdin, type StdinReader, type StdinReport } from '../ingest/stream/stdin.js'
import type { ThreadOptions, UnstoredRows } from '../ingest/thread/thread.js'
import { createUnreadableTimes } from '../ingest/thread/unreadable-times.js'
import { createTranslator, TRANSLATOR_LIMITS } from '../otlp/translator.js'
import type { WatchedRetention } from '../retention/watched-retention.js'
import type { ReadableViews } from '../sql/compile/readable-views.js'
import type { Tokens } from '../tokens/load-tokens.js'
import { storeToken } from '../tokens/stored-token.js'
import { tokensFilePath } from '../tokens/tokens-file.js'
import type { Alerts } from './alerts.js'
import { placesOf } from './deletion-places.js'
import { createServiceDeletions, type ServiceDeletions } from './deletions.js'
import {
  type OpenedComponents,
  openComponents,
  type ServiceViews,
  type Shared,
  type StartOptions,
} from './open-components.js'
import { logRuntime, runtimeParts } from './runtime.js'
import { stopService } from './stop-service.js'
import { tryPlan } from './try-plan.js'

/** How long ClickHouse usually takes, at most, until queries see accepted rows. */
const VISIBLE_MS = 5_000

/** A service that listens. */
export interface Service {
  url: string
  /** Resolves when the service answers queries: all stored rows have been recovered. Rejects if recovery fails. */
  ready: Promise<void>
  /**
   * Stops accepting input, finishes pending rows and queries, and releases everything, within 4.5 s. Rows that cannot
   * be stored are counted on standard error. Call once.
   */
  stop(): Promise<void>
  /**
   * Stops reading standard input, stores no more rows, and evaluates no alerts. The rows that are not stored yet are
   * counted on standard error.
   */
  abandonStdin(reason: Error): Promise<void>
}

/**
 * Starts the service. The promise resolves when the service listens, and `ready` when the service answers queries.
 * Throws `cannot_listen`, and the errors of {@link openComponents}. The data directory is released then.
 */
export async function startService(config: ServeConfig, log: Log, options: StartOptions = {}): Promise<Service> {
  const shared: Shared = { clock: systemClock, metrics: createMetrics(), log }
  const opened = await openComponents(config, shared, options)
  const { endpointsWith, userEndpoints, retention, tokens, alerts, engine, views } = opened
  const status = createStatus(engine)
  publishMetrics(opened, status, shared.metrics)
  const intake = createIntake(config, engine, retention, shared)
  const endpoints = endpointsWith(userEndpoints?.endpoints() ?? [])
  const memory = createMemoryBudget(budgetLimits(config.memoryLimitBytes), shared.clock)
  const deletions = openDeletions(config, opened, {
    ...shared,
    rejects: intake.rejects,
    forgetRows: (rows) => app.forgetRows(rows),
  })
  const app = createHttp(config, { ...opened, status, intake, endpoints, memory, deletions }, shared)
  const { host, port, keepAliveMs } = config
  retention?.onChange(app.forgetAnswers)
  const server = await listen(app, { host, port, limits: { keepAliveMs } }).catch(async (error) => {
    await engine.close()
    throw error
  })
  announceStart(server.url, tokens, config, log)
  const stopCollecting = collectGrownHeap(shared.clock, () => shared.metrics.queriesRunning.count > 0)
  const stopWatching = userEndpoints?.watch(shared.clock, (ofUsers) => {
    views?.setEndpoints(ofUsers)
    app.replaceEndpoints(endpointsWith(ofUsers))
  })
  let isStopping = false
  let stopViews: (() => Promise<void>) | undefined
  let stdin: StdinReader | undefined
  const recovered = (deletions?.hideOpen() ?? Promise.resolve()).then(engine.recover)
  const ready = recovered.then(async () => {
    if (!isStopping) stopViews = await views?.start()
    // The stop has not waited for the start.
    if (isStopping) await stopViews?.()
    deletions?.start()
    status.becomeReady()
    alerts?.start({ engine: { run: engine.run, ...withArrivals(engine, intake.arrivals) }, memory })
    stdin = startStdin(config, intake, status, shared)
  })

  /** Releases everything after the last row and the last answer. */
  async function close(): Promise<void> {
    app.close()
    tokens.close()
    await retention?.close()
    stopWatching?.()
    stopCollecting()
    await deletions?.stop()
    await stopViews?.()
    await closeStorage(opened, intake, status)
  }

  async function stop(): Promise<void> {
    isStopping = true
    status.beginStop()
    void alerts?.stop()
    await stopService({ engine, app, server, stdin, close, dataDir: config.dataDir, log })
  }

  async function abandonStdin(reason: Error): Promise<void> {
    void alerts?.stop()
    await stdin?.abandon(reason)
  }

  return { url: server.url, ready, stop, abandonStdin }
}

/** Creates the deletions. Undefined if the engine cannot delete rows. */
function openDeletions(
  { dataDir, tokensFile }: ServeConfig,
  { engine, disk, views, alerts }: OpenedComponents,
  { rejects, forgetRows, ...shared }: Shared & Pick<Intake, 'rejects'> & Pick<App, 'forgetRows'>,
): ServiceDeletions | undefined {
  const { deleting, run } = engine
  if (deleting === undefined) return undefined
  const tokensPath = tokensFile ?? (dataDir === undefined ? undefined : tokensFilePath(dataDir))
  const forgetAlerts = alerts?.forgetProject ?? storedAlertsForgetter(disk, shared)
  const places = () => placesOf({ views, forgetRows, rejects, forgetAlerts, tokensPath, log: shared.log })
  return createServiceDeletions({ ...shared, engine: { run, deleting }, files: disk?.files, places })
}

/** Returns what forgets the alerts that an earlier process with rules has left. */
function storedAlertsForgetter(disk: DataDirectory | undefined, { log }: Shared): Alerts['forgetProject'] {
  const queue = createSerialQueue()
  return (project) =>
    queue.run(async () => {
      if (disk === undefined) return
      // Loaded only then: the parts take memory.
      const { forgetStoredAlerts } = await import('./alerts.js')
      await forgetStoredAlerts(disk, project, log)
    })
}

/** Ends the ways of records, then alerts, then the engine, which releases the data directory. */
async function closeStorage(
  { disk, alerts, engine }: OpenedComponents,
  { ingest, requests, otlp, rejects, unreadableTimes }: Intake,
  status: ServiceStatus,
): Promise<void> {
  await Promise.all([otlp.close(), requests.close()])
  // Recovery does not change stored rows, so nothing needs to be finished.
  await alerts?.stop()
  if (status.isStarting()) return disk?.release()
  await ingest.close()
  unreadableTimes?.close()
  await Promise.all([engine.close(), rejects.close()])
}

/** The state of the service, for `/health` and the metrics. */
interface ServiceStatus {
  current(): Status
  isStarting(): boolean
  becomeReady(): void
  /** Standard input has failed. */
  degrade(): void
  beginStop(): void
}

/** Returns the status `starting`. While the engine cannot write, the current status is `degraded` instead of `ok`. */
function createStatus(engine: Pick<Engine, 'writeFailure'>): ServiceStatus {
  let status: Status = 'starting'
  let isStopping = false
  return {
    current() {
      if (isStopping && status !== 'starting') return 'stopping'
      return status === 'ok' && engine.writeFailure() !== undefined ? 'degraded' : status
    },
    isStarting: () => status === 'starting',
    becomeReady: () => void (status = 'ok'),
    degrade: () => void (status = 'degraded'),
    beginStop: () => void (isStopping = true),
  }
}

type Intake = ReturnType<typeof createIntake>

/** Creates the ways by which records reach the engine: standard input, HTTP requests and OTLP. */
function createIntake(
  config: ServeConfig,
  engine: Engine,
  retention: WatchedRetention | undefined,
  { clock, metrics, log }: Shared,
) {
  const { retentionUs, source, project, fieldNames } = config
  const rejects = openRejects({ dataDir: config.dataDir, log, clock })
  const unreadableTimes = config.supabase ? createUnreadableTimes({ metrics, log, clock }) : undefined
  // ClickHouse shows rows some time after the insert. Together with `emptyMs` in createHttp, ClickHouse has 10 s for
  // that.
  const arrivals = createArrivals(clock, config.clickhouse === undefined ? 0 : VISIBLE_MS)
  const noteRefusedSource = logRefusedSources(log)
  const parts = { metrics, rejects, unreadableTimes, clock, retentionUs, retention, noteRefusedSource }
  const shared = { ...parts, engine: withArrivals(engine, arrivals) }
  return {
    rejects,
    unreadableTimes,
    arrivals,
    ingest: createIngest({ ...shared, defaults: { source, project, fieldNames } }),
    requests: createRequests(shared),
    otlp: createTranslator(TRANSLATOR_LIMITS, config.otlpSource),
  }
}

/** Logs the first record that a limit of own sources rejects, once for all sources and once for each token. */
function logRefusedSources(log: Log): NonNullable<ThreadOptions['noteRefusedSource']> {
  const logged = new Set<string | undefined>()
  return (cause, { name, token }) => {
    const key = cause === 'token_limit' ? token : cause
    if (logged.has(key)) return
    logged.add(key)
    const by = cause === 'token_limit' ? ` that the token ${token} sends` : ''
    log(`records of the source ${name}${by} are rejected as unknown_source. ${explainRefusals([cause])}`.trim(), {
      level: 'warn',
      code: cause,
      source: name,
    })
  }
}

/** Notes in `arrivals` each batch that the engine has accepted. */
function withArrivals(engine: Engine, arrivals: Arrivals): Pick<Engine, 'append'> {
  return {
    async append(batch) {
      await engine.append(batch)
      arrivals.note(batch.source)
    },
  }
}

interface HttpComponents {
  views: ServiceViews | undefined
  readableViews: ReadableViews
  alerts: Alerts | undefined
  deletions: ServiceDeletions | undefined
  memory: MemoryBudget
  engine: Engine
  tokens: Tokens
  status: ServiceStatus
  intake: Intake
  endpoints: readonly Endpoint[]
}

function createHttp(config: ServeConfig, components: HttpComponents, shared: Shared): App {
  const { engine, tokens, status, intake, endpoints, alerts, memory, views, readableViews, deletions } = components
  const { arrivals, requests, otlp } = intake
  return createApp({
    ...shared,
    engine,
    endpoints,
    accessOf: tokens.accessOf,
    status: status.current,
    intake: { take: requests.take, writeFailure: () => engine.writeFailure(), prepare: requests.prepare },
    translate: otlp.translate,
    defaultProject: config.project,
    processorMs: threadCpuMs,
    arrivals,
    memory,
    alerting: alerts,
    listViews: views?.list,
    deleting: deletions,
    testRule: config.sql ? ruleTester(engine, readableViews, shared.clock) : undefined,
    memoryLimitBytes: config.memoryLimitBytes,
    limits: config.clickhouse === undefined ? {} : { emptyMs: VISIBLE_MS },
    dialect: config.supabase ? LOGFLARE_DIALECT : OWN_DIALECT,
  })
}

/** Starts to read standard input, if the input is a pipe, a socket or a file. Shows progress on a terminal. */
function startStdin(config: ServeConfig, { ingest }: Intake, status: ServiceStatus, { clock, metrics, log }: Shared) {
  const showsProgress = process.stderr.isTTY && config.logFormat === 'text'
  const stdin = readStdin({ ingest, metrics, clock, terminal: showsProgress ? process.stderr : undefined })
  if (stdin === undefined) return undefined
  ingest.start()
  stdin.done.then((report) => {
    if (report.error !== undefined) status.degrade()
    logStdinEnd(report, log)
  })
  return stdin
}

/** Returns the tests of rules over an engine. */
function ruleTester(engine: Engine, views: ReadableViews, clock: Clock): TestRule {
  return async (asked, options) => {
    // Loaded with the first test: most services get none.
    const { testRule } = await import('../alerts/backtest/test-rule.js')
    return testRule(asked, { engine, clock, tryPlan, views }, options)
  }
}

/** Logs the address, what an operator can improve, and a new token. */
function announceStart(url: string, { made }: Pick<Tokens, 'made'>, { dataDir }: ServeConfig, log: Log): void {
  if (made !== undefined) announceToken(made, dataDir, log)
  log(`listening on ${url}`, { code: 'listening', url })
  logRuntime(log)
}

/** Logs a new token, shown only this once, and stores the token if there is a data directory. */
function announceToken(token: string, dataDir: string | undefined, log: Log): void {
  if (dataDir === undefined) {
    log(`created an access token for this run: ${token}`, { code: 'token_made' })
    return
  }
  storeToken(dataDir, token)
  log(`created an access token, stored in ${dataDir} and shown only this once: ${token}`, { code: 'token_made' })
}

function logStdinEnd({ totals, error }: StdinReport, log: Log): void {
  const reasons = Object.entries(totals.byReason).map(([reason, count]) => `${reason} ${count}`)
  const byReason = reasons.length > 0 ? ` (${reasons.join(', ')})` : ''
  const counts = `${totals.taken} rows accepted, ${totals.rejected} rejected${byReason}`
  const facts = { rows: totals.taken, rejected: totals.rejected, reasons: totals.byReason }
  if (error === undefined) log(`standard input ended: ${counts}`, { code: 'stdin_ended', ...facts })
  else log(`standard input failed: ${error.message} ${counts}`, { level: 'error', code: 'stdin_failed', ...facts })
  if (totals.unstored !== undefined) logUnstored(totals.unstored, log)
}

function logUnstored({ rows, reason, fromLine }: UnstoredRows, log: Log): void {
  log(
    `rows of standard input were read and could not be stored: ${rows}. ${reason.message.replace(/\.?$/, '.')} ` +
      `All lines before line ${fromLine} are stored: send the lines from there on again.`,
    { level: 'error', code: 'stdin_not_stored', rows, from_line: fromLine },
  )
}

/** Sets the gauge of the bytes of views whenever the metrics are collected. */
function publishViewBytes(views: Pick<ServiceViews, 'bytes'>, { viewBytes }: Metrics): void {
  Object.assign(viewBytes, {
    collect() {
      viewBytes.reset()
      for (const [view, bytes] of views.bytes()) viewBytes.set({ view }, bytes)
    },
  })
}

/** Sets the gauges of the engine, of views and of the status whenever the metrics are collected. */
function publishMetrics({ engine, views }: OpenedComponents, status: ServiceStatus, metrics: Metrics): void {
  if (views !== undefined) publishViewBytes(views, metrics)
  metrics.buildInfo.set({ version: VERSION, ...runtimeParts() }, 1)
  const { rows, segments, bytes, degraded, registry } = metrics
  const refresh = () => {
    for (const stats of engine.stats()) {
      const { source } = stats
      rows.set({ source }, stats.rows)
      segments.set({ source }, stats.segments)
      bytes.set({ source, tier: 'hot' }, stats.hotBytes)
      bytes.set({ source, tier: 'cold' }, stats.coldBytes)
      bytes.set({ source, tier: 'head' }, stats.headBytes)
    }
  }
  for (const gauge of [rows, segments, bytes]) Object.assign(gauge, { collect: refresh })
  Object.assign(degraded, { collect: () => degraded.set(status.current() === 'degraded' ? 1 : 0) })
  measureProcess(registry)
}
