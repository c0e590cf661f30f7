import type { Log } from '../base/log.js'
import { budgetLimits, createMemoryBudget, type MemoryBudget } from '../base/memory/memory-budget.js'
import { createMetrics } from '../base/metrics.js'
import { collectGrownHeap } from '../base/process/heap.js'
import { threadCpuMs } from '../base/process/thread-cpu.js'
import { type Clock, systemClock } from '../base/time/clock.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import type { Engine } from '../engine/engine.js'
import { type App, createApp } from '../http/app.js'
import type { TestRule } from '../http/query/rule-tests.js'
import { LOGFLARE_DIALECT, OWN_DIALECT } from '../http/reply/dialect.js'
import { type Listening, listen } from '../http/server/server.js'
import type { StdinReader } from '../ingest/stream/stdin.js'
import type { ReadableViews } from '../sql/compile/readable-views.js'
import type { Tokens } from '../tokens/load-tokens.js'
import { storeToken } from '../tokens/stored-token.js'
import { publishMetrics } from './gauges.js'
import { createIntake, type Intake, VISIBLE_MS, withArrivals } from './intake.js'
import { type OpenedComponents, openComponents, type Shared, type StartOptions } from './open-components.js'
import { openDeletions } from './open-deletions.js'
import { logRuntime } from './runtime.js'
import { startStdin } from './standard-input.js'
import { createStatus, type ServiceStatus } from './status.js'
import { stopService } from './stop-service.js'
import { tryPlan } from './try-plan.js'

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
  const { endpointsWith, userEndpoints, tokens, alerts, engine, views } = opened
  const status = createStatus(engine)
  publishMetrics(opened, status, shared.metrics)
  const intake = createIntake(config, engine, opened, shared)
  const endpoints = endpointsWith(userEndpoints?.endpoints() ?? [])
  const memory = createMemoryBudget(budgetLimits(config.memoryLimitBytes), shared.clock)
  const { app, deletions } = createHttp(config, { ...opened, status, intake, endpoints, memory }, shared)
  const server = await listenOrClose(app, config, engine)
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
    stopWatching?.()
    opened.masking?.close()
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

/** Serves the app. Closes the engine if the address is not available. */
function listenOrClose(app: App, { host, port, keepAliveMs }: ServeConfig, engine: Engine): Promise<Listening> {
  return listen(app, { host, port, limits: { keepAliveMs } }).catch(async (error) => {
    await engine.close()
    throw error
  })
}

/** Ends the ways of records, then alerts, then the engine, which releases the data directory. */
async function closeStorage(
  { disk, alerts, engine, retention }: OpenedComponents,
  { ingest, requests, otlp, rejects, unreadableTimes }: Intake,
  status: ServiceStatus,
): Promise<void> {
  await Promise.all([otlp.close(), requests.close()])
  // Recovery does not change stored rows, so nothing needs to be finished.
  await alerts?.stop()
  await retention?.close()
  if (status.isStarting()) return disk?.release()
  await ingest.close()
  unreadableTimes?.close()
  await Promise.all([engine.close(), rejects.close()])
}

interface HttpComponents extends OpenedComponents {
  memory: MemoryBudget
  status: ServiceStatus
  intake: Intake
  endpoints: readonly Endpoint[]
}

/** Creates the HTTP side, and the deletions, which hide rows from running answers too. */
function createHttp(config: ServeConfig, components: HttpComponents, shared: Shared) {
  const { engine, tokens, status, intake, endpoints, alerts, memory, views, readableViews } = components
  const { arrivals, requests, otlp, rejects } = intake
  const forgetRows: App['forgetRows'] = (rows) => app.forgetRows(rows)
  const deletions = openDeletions(config, components, { rejects, forgetRows }, shared)
  const app = createApp({
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
  components.retention?.onChange(app.forgetAnswers)
  return { app, deletions }
}

/** Returns the tests of rules over an engine. */
function ruleTester(engine: Engine, views: ReadableViews, clock: Clock): TestRule {
  return async (asked, options) => {
    // Loaded with the first test: most services get none.
    const { testRule } = await import('../alerts/backtest/test-rule.js')
    return testRule(asked, { engine, clock, tryPlan, views }, options)
  }
}

/** Logs the address, advice for the operator, and a new token. */
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
