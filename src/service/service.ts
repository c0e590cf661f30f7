import { explainFileError } from '../base/files/file-errors.js'
import type { Log } from '../base/log.js'
import { ROWS_SHARE } from '../base/memory/memory.js'
import { budgetLimits, createMemoryBudget, type MemoryBudget } from '../base/memory/memory-budget.js'
import { createMetrics, type Metrics } from '../base/metrics.js'
import { collectGrownHeap } from '../base/process/heap.js'
import { measureProcess } from '../base/process/process-metrics.js'
import { type Clock, systemClock } from '../base/time/clock.js'
import { VERSION } from '../base/version.js'
import { explainRefusals } from '../common/source-refusals.js'
import { acceptSources, HISTORY_SOURCE, registerSource } from '../common/sources.js'
import type { Environment } from '../config/environment.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { ENDPOINTS, endpointsOf } from '../endpoints/index.js'
import { makeDataDirectory } from '../engine/disk/directory/data-directory.js'
import { type DataDirectory, openDataDirectory } from '../engine/disk/directory/open.js'
import type { LockOptions } from '../engine/disk/lock/options.js'
import type { Engine } from '../engine/engine.js'
import { createArrowEngine, registerStoredSources } from '../engine/store/engine.js'
import { createSealingThread } from '../engine/store/sealing/thread.js'
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
import { loadTokens, type Tokens } from '../tokens/load-tokens.js'
import { storeToken } from '../tokens/stored-token.js'
import type { UserEndpoints } from '../user-endpoints/open.js'
import type { Alerts } from './alerts.js'
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
 * Options of the data directory's lock: `signal` ends the wait, `onLost` is called if another process takes it. The
 * environment has the secrets of receivers.
 */
export interface StartOptions extends Partial<Pick<LockOptions, 'signal' | 'onLost'>> {
  environment?: Environment
}

/** The dependencies of every component. */
interface Shared {
  clock: Clock
  metrics: Metrics
  log: Log
}

/**
 * Starts the service. The promise resolves when the service listens, and `ready` when the service answers queries.
 * Throws `usage`, `failed`, `cannot_listen`, and the errors of {@link prepareDataDirectory}. The data directory is
 * released then.
 */
export async function startService(config: ServeConfig, log: Log, options: StartOptions = {}): Promise<Service> {
  const { environment = process.env, ...lock } = options
  acceptSources(config.sources, config.acceptsAnySource)
  if (config.alerts !== undefined) registerSource(HISTORY_SOURCE)
  const shared: Shared = { clock: systemClock, metrics: createMetrics(), log }
  const endpointsWith = await createEndpoints(config)
  const opened = await prepareDataDirectory(config.dataDir, { log, ...lock })
  // Own endpoints may read sources that have rows and are no longer configured.
  const disk = await orRelease(opened, () => findStoredSources(config, opened, shared))
  const userEndpoints = await orRelease(disk, () => loadUserEndpoints(config.endpoints, log))
  const tokens = await orRelease(disk, () => loadTokens(config, shared))
  const alerts = await orRelease(disk, () => loadAlerts(config, environment, disk, shared))
  const engine = await orRelease(disk, () => createEngine(config, disk, shared))
  const status = createStatus(engine)
  publishMetrics(engine, status, shared.metrics)
  const intake = createIntake(config, engine, shared)
  const endpoints = endpointsWith(userEndpoints?.endpoints() ?? [])
  const memory = createMemoryBudget(budgetLimits(config.memoryLimitBytes), shared.clock)
  const app = createHttp(config, { engine, tokens, status, intake, endpoints, alerts, memory }, shared)
  const { host, port, keepAliveMs } = config
  const server = await listen(app, { host, port, limits: { keepAliveMs } }).catch(async (error) => {
    await engine.close()
    throw error
  })
  if (tokens.made !== undefined) announceToken(tokens.made, config.dataDir, log)
  log(`listening on ${server.url}`, { code: 'listening', url: server.url })
  logRuntime(log)
  const stopCollecting = collectGrownHeap(shared.clock, () => shared.metrics.queriesRunning.count > 0)
  const stopWatching = userEndpoints?.watch(shared.clock, (ofUsers) => app.replaceEndpoints(endpointsWith(ofUsers)))
  let stdin: StdinReader | undefined
  const ready = engine.recover().then(() => {
    status.becomeReady()
    alerts?.start({ engine: { run: engine.run, ...withArrivals(engine, intake.arrivals) }, memory })
    stdin = startStdin(config, intake, status, shared)
  })

  async function stop(): Promise<void> {
    status.beginStop()
    void alerts?.stop()
    await stopService({ engine, app, server, stdin, close, dataDir: config.dataDir, log })
  }

  /** Releases everything after the last row and the last answer. */
  async function close(): Promise<void> {
    app.close()
    tokens.close()
    stopWatching?.()
    stopCollecting()
    await Promise.all([intake.otlp.close(), intake.requests.close()])
    // Recovery does not change stored rows, so nothing needs to be finished.
    await alerts?.stop()
    if (status.isStarting()) return disk?.release()
    await intake.ingest.close()
    intake.unreadableTimes?.close()
    await Promise.all([engine.close(), intake.rejects.close()])
  }

  async function abandonStdin(reason: Error): Promise<void> {
    void alerts?.stop()
    await stdin?.abandon(reason)
  }

  return { url: server.url, ready, stop, abandonStdin }
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
function createIntake(config: ServeConfig, engine: Engine, { clock, metrics, log }: Shared) {
  const { retentionUs, source, project, fieldNames } = config
  const rejects = openRejects({ dataDir: config.dataDir, log, clock })
  const unreadableTimes = config.supabase ? createUnreadableTimes({ metrics, log, clock }) : undefined
  // ClickHouse shows rows some time after the insert. Together with `emptyMs` in createHttp, ClickHouse has 10 s for
  // that.
  const arrivals = createArrivals(clock, config.clickhouse === undefined ? 0 : VISIBLE_MS)
  const noteRefusedSource = logRefusedSources(log)
  const parts = { metrics, rejects, unreadableTimes, clock, retentionUs, noteRefusedSource }
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
  alerts: Alerts | undefined
  memory: MemoryBudget
  engine: Engine
  tokens: Tokens
  status: ServiceStatus
  intake: Intake
  endpoints: readonly Endpoint[]
}

function createHttp(config: ServeConfig, components: HttpComponents, shared: Shared): App {
  const { engine, tokens, status, intake, endpoints, alerts, memory } = components
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
    arrivals,
    memory,
    alerting: alerts,
    testRule: config.sql ? ruleTester(engine, shared.clock) : undefined,
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

/** Runs a step of the start. Releases the data directory if the step fails. */
async function orRelease<T>(disk: DataDirectory | undefined, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (error) {
    await disk?.release()
    throw error
  }
}

/**
 * Makes and locks the data directory. Undefined if there is none. A full disk is no reason to fail unless the
 * directory is new. Throws the errors of {@link makeDataDirectory} and {@link openDataDirectory}.
 */
async function prepareDataDirectory(
  path: string | undefined,
  lock: Partial<LockOptions>,
): Promise<DataDirectory | undefined> {
  if (path === undefined) return undefined
  await makeDataDirectory(path)
  return openDataDirectory(path, lock).catch((error) => {
    throw explainFileError('data_dir_unusable', `The data directory ${path} cannot be used`, path, error)
  })
}

/**
 * Makes the sources known that are no longer configured, and have rows on the disk or in ClickHouse. Returns the data
 * directory. Its release also ends the search in ClickHouse.
 */
async function findStoredSources(
  { clickhouse }: ServeConfig,
  disk: DataDirectory | undefined,
  shared: Shared,
): Promise<DataDirectory | undefined> {
  if (disk === undefined) return undefined
  if (clickhouse === undefined) {
    await registerStoredSources(disk.files)
    return disk
  }
  const { watchSourceTables } = await import('./source-tables.js')
  const stopWatching = await watchSourceTables(clickhouse, shared)
  return { ...disk, release: () => stopWatching().then(disk.release) }
}

/** Creates the engine that stores the rows: embedded in this process, or on a ClickHouse server. */
async function createEngine(config: ServeConfig, disk: DataDirectory | undefined, shared: Shared): Promise<Engine> {
  const { clickhouse, memoryLimitBytes, maxDiskBytes: diskLimitBytes, retentionUs } = config
  if (clickhouse === undefined) {
    return createArrowEngine({
      ...shared,
      disk,
      rowsLimitBytes: memoryLimitBytes * ROWS_SHARE,
      diskLimitBytes,
      retentionUs,
      sealer: createSealingThread(shared.log),
    })
  }
  // Loaded only if a server is configured, because the client is large.
  const { connectServer } = await import('../engine/clickhouse/server/clickhouse-server.js')
  const { createClickHouseEngine } = await import('../engine/clickhouse/engine.js')
  const server = connectServer(clickhouse)
  return createClickHouseEngine({ ...shared, server, location: clickhouse, ...disk! })
}

/** Returns a function that takes the endpoints of users and returns all endpoints of the service. */
async function createEndpoints({ sql, supabase }: ServeConfig) {
  // The compiler is loaded when the first SQL arrives: an earlier load would take time of the start, and memory.
  const loadCompiler = () => import('../sql/read-sql.js')
  const builtIn = endpointsOf({ loadCompiler: sql ? loadCompiler : undefined, supabase })
  if (!supabase) return (ofUsers: readonly Endpoint[]) => [...builtIn, ...ofUsers]
  const { studioEndpoints, notReplaced } = await import('../supabase/endpoints.js')
  const ofStudio = studioEndpoints(loadCompiler)
  return (ofUsers: readonly Endpoint[]) => [...builtIn, ...notReplaced(ofStudio, ofUsers), ...ofUsers]
}

/**
 * Loads the endpoints in the directory of `--endpoints`, and tries each plan on an engine without rows. Throws
 * `usage`.
 */
async function loadUserEndpoints(directory: string | undefined, log: Log): Promise<UserEndpoints | undefined> {
  if (directory === undefined) return undefined
  // Loaded only if there is such a directory, because the import hook slows the start.
  const { createImporter } = await import('../user-endpoints/import.js')
  const { openUserEndpoints } = await import('../user-endpoints/open.js')
  return openUserEndpoints(directory, {
    reserved: ENDPOINTS,
    importModule: createImporter(),
    tryPlan,
    nowUs: systemClock.nowUs,
    log,
  })
}

/** Returns the tests of rules over an engine. */
function ruleTester(engine: Engine, clock: Clock): TestRule {
  return async (asked, options) => {
    // Loaded with the first test: most services get none.
    const { testRule } = await import('../alerts/backtest/test-rule.js')
    return testRule(asked, { engine, clock, tryPlan }, options)
  }
}

/** Loads the rules of `--alerts`. Undefined without the setting. Throws the errors of `openAlerts`. */
async function loadAlerts(
  { alerts: directory, receivers }: ServeConfig,
  environment: Environment,
  disk: DataDirectory | undefined,
  shared: Shared,
): Promise<Alerts | undefined> {
  if (directory === undefined) return undefined
  // Loaded only if there are alerts: the parts take time of the start, and memory.
  const { openAlerts } = await import('./alerts.js')
  return openAlerts({ ...shared, directory, receivers, environment, disk })
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

/** Sets the gauges of the engine and of the status whenever the metrics are collected. */
function publishMetrics(engine: Engine, status: ServiceStatus, metrics: Metrics): void {
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
