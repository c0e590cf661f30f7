import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, systemClock } from './base/clock.js'
import { explainFileError } from './base/file-errors.js'
import type { Log } from './base/log.js'
import { ROWS_SHARE } from './base/memory.js'
import { createMetrics, type Metrics } from './base/metrics.js'
import { measureProcess } from './base/process-metrics.js'
import type { StopSignals } from './base/stop-signals.js'
import { MIB } from './base/units.js'
import type { ServeConfig } from './config/serve-config.js'
import { ENDPOINTS } from './endpoints/index.js'
import { createArrowEngine } from './engine/arrow/engine.js'
import { createSealingThread } from './engine/arrow/storage/sealing/thread.js'
import { makeDataDirectory } from './engine/disk/directory/data-directory.js'
import { type Disk, openDisk } from './engine/disk/directory/open.js'
import type { LockParts } from './engine/disk/lock/parts.js'
import type { Engine } from './engine/engine.js'
import type { Plan } from './engine/plan.js'
import { createApp, type Status } from './http/app.js'
import { type Arrivals, createArrivals } from './http/query/arrivals.js'
import { listen } from './http/server/server.js'
import { createRequests } from './ingest/body/requests.js'
import { openRejects } from './ingest/rejects.js'
import { createIngest } from './ingest/stream/ingest.js'
import { readStdin, type StdinReader, type StdinReport } from './ingest/stream/stdin.js'
import { createTranslator } from './otlp/translator.js'
import { loadTokens } from './tokens/load-tokens.js'
import { storeToken } from './tokens/stored-token.js'
import type { OwnEndpoints } from './user-endpoints/open.js'

/** How long a start that is broken off may take to release the data directory. */
const BREAK_OFF_MS = 1_000
/** How long a stop may take before it is broken off; the contract gives 5 s. */
const STOP_MS = 4_800

/** How long ClickHouse usually takes, at most, until it shows rows that were accepted. */
const DELIVERED_MS = 5_000

export interface Service {
  url: string
  /** Resolves when it serves; rejects where what is kept cannot be taken in. */
  ready: Promise<void>
  /** Takes no more, finishes what has been read and asked, lets go of everything. */
  stop(): Promise<void>
}

/**
 * Wires engine, ingest and http together. It listens at once, and serves when `ready` resolves: when all rows that are kept
 * have been taken in. Throws `usage`, `failed`, `cannot_listen`, and what {@link openDataDir} throws. `lock` is for the data
 * directory: its `signal` ends the wait for it, its `onLost` is called if another process takes it.
 */
export async function startService(config: ServeConfig, log: Log, lock: LockOptions = {}): Promise<Service> {
  const [clock, metrics] = [systemClock, createMetrics()]
  const own = config.endpoints === undefined ? undefined : await openOwn(config.endpoints, log)
  const disk = config.dataDir === undefined ? undefined : await openDataDir(config.dataDir, { log, ...lock })
  const tokens = await orRelease(disk, () => loadTokens(config, { clock, log }))
  const { retentionUs, source, project, fieldNames } = config
  const engine = await orRelease(disk, () => createEngine(config, disk, { clock, metrics, log }))
  gaugeEngine(engine, metrics)
  measureProcess(metrics.registry)
  let status: Status = 'starting'
  let isStopping = false
  const statusNow = (): Status => {
    if (isStopping && status !== 'starting') return 'stopping'
    return status === 'ok' && engine.writeFailure() !== undefined ? 'degraded' : status
  }
  const refreshDegraded = () => metrics.degraded.set(statusNow() === 'degraded' ? 1 : 0)
  Object.assign(metrics.degraded, { collect: refreshDegraded })
  const rejects = openRejects({ dataDir: config.dataDir, log, clock })
  // Rows that ClickHouse has not confirmed are not visible yet: together with `emptyMs` it has 10 s for that.
  const isDelayed = config.clickhouse !== undefined
  const arrivals = createArrivals(clock, isDelayed ? DELIVERED_MS : 0)
  const intoEngine = { engine: notingArrivals(engine, arrivals), metrics, rejects, clock, retentionUs }
  const ingest = createIngest({ ...intoEngine, defaults: { source, project, fieldNames } })
  const requests = createRequests(intoEngine)
  const otlp = createTranslator()
  const app = createApp({
    engine,
    endpoints: [...ENDPOINTS, ...(own?.endpoints() ?? [])],
    metrics,
    clock,
    accessOf: tokens.accessOf,
    status: statusNow,
    log,
    intake: { take: requests.take, trouble: () => engine.writeFailure(), prepare: requests.prepare },
    translate: otlp.translate,
    arrivals,
    limits: isDelayed ? { emptyMs: DELIVERED_MS } : {},
  })
  const { host, port, keepAliveMs } = config
  const server = await listen(app, { host, port, limits: { keepAliveMs } }).catch(async (error) => {
    await engine.close()
    throw error
  })
  if (tokens.made !== undefined) announceToken(tokens.made, config.dataDir, log)
  log(`listening on ${server.url}`, { code: 'listening', url: server.url })
  const stopOwn = own?.watch(clock, (endpoints) => app.replaceEndpoints([...ENDPOINTS, ...endpoints]))
  const showsProgress = process.stderr.isTTY && config.logFormat === 'text'
  const terminal = showsProgress ? process.stderr : undefined
  let stdin: StdinReader | undefined
  const ready = engine.recover().then(() => {
    status = 'ok'
    stdin = readStdin({ ingest, metrics, clock, terminal })
    if (stdin !== undefined) ingest.start()
    stdin?.done.then((report) => {
      if (report.error !== undefined) status = 'degraded'
      logEnd(report, log)
    })
  })

  return {
    url: server.url,
    ready,
    async stop() {
      isStopping = true
      engine.disableBackpressure()
      app.endTails()
      await Promise.all([stdin?.stop(), server.close()])
      app.close()
      tokens.close()
      await otlp.close()
      stopOwn?.()
      if (status === 'starting') {
        // Recovery changes no row that is kept: there is nothing to finish.
        await requests.close()
        return disk?.release()
      }
      await Promise.all([ingest.close(), requests.close()])
      await Promise.all([engine.close(), rejects.close()])
    },
  }
}

/** Notes each batch that the engine has accepted. */
function notingArrivals(engine: Engine, arrivals: Arrivals): Pick<Engine, 'append'> {
  return {
    async append(batch) {
      await engine.append(batch)
      arrivals.note(batch.source)
    },
  }
}

/** Runs a part of the start; if it fails, the data directory is free for the next one. */
async function orRelease<T>(disk: Disk | undefined, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await disk?.release()
    throw error
  }
}

/** The engine that keeps the rows: in this process, or on a ClickHouse server. */
async function createEngine(config: ServeConfig, disk: Disk | undefined, parts: Parts): Promise<Engine> {
  const { clickhouse, memoryLimitBytes, maxDiskBytes: diskLimitBytes, retentionUs } = config
  if (clickhouse === undefined) {
    return createArrowEngine({
      ...parts,
      disk,
      rowsLimitBytes: memoryLimitBytes * ROWS_SHARE,
      diskLimitBytes,
      retentionUs,
      sealer: createSealingThread(parts.log),
    })
  }
  // Only who has a server pays for its client.
  const { connectServer } = await import('./engine/clickhouse/server.js')
  const { createClickHouseEngine } = await import('./engine/clickhouse/engine.js')
  const server = connectServer(clickhouse)
  return createClickHouseEngine({ ...parts, server, location: clickhouse, ...disk! })
}

/** The endpoints of `--endpoints`, each tried on an engine without rows. */
async function openOwn(directory: string, log: Log): Promise<OwnEndpoints> {
  // Only who has own endpoints pays for the hook.
  const { createImporter } = await import('./user-endpoints/import.js')
  const { openOwnEndpoints } = await import('./user-endpoints/open.js')
  return openOwnEndpoints(directory, {
    taken: ENDPOINTS,
    importModule: createImporter(),
    tryPlan,
    nowUs: systemClock.nowUs,
    log,
  })
}

async function tryPlan(plan: Plan): Promise<void> {
  const engine = createArrowEngine({ clock: systemClock, metrics: createMetrics(), rowsLimitBytes: MIB })
  await engine.run(plan).finally(engine.close)
}

interface Parts {
  clock: Clock
  metrics: Metrics
  log: Log
}

type LockOptions = Partial<Pick<LockParts, 'signal' | 'onLost'>>

/**
 * Runs the service until a signal stops it, also while it starts, or until its data directory is lost. Returns the exit code;
 * a second signal exits at once, with 1. Rejects as {@link startService} does.
 */
export async function runService(config: ServeConfig, log: Log, { first, second }: StopSignals): Promise<number> {
  const starting = new AbortController()
  const lost = createLoss(log)
  const started = startService(config, log, { signal: starting.signal, onLost: lost.tell })
  const isUp = started.then(({ ready }) => explainDenied(ready, config.dataDir))
  const signal = await Promise.race([first, lost.code, isUp.then(() => first)])
  if (typeof signal === 'number') return signal
  log(`${signal}: stopping`, { code: 'stopping', signal })
  starting.abort()
  return Promise.race([stop(started, log), second.then(() => 1), lost.code])
}

/** Stops what has started; a start that is under way has a moment to release the data directory. */
async function stop(started: Promise<Service>, log: Log): Promise<number> {
  const gaveUp = wait(STOP_MS).then(() => {
    log(`not stopped within ${STOP_MS / 1000} s; unfinished work is lost`, {
      level: 'error',
      code: 'stop_broken_off',
    })
    return 1
  })
  const service = await Promise.race([started.catch(() => undefined), wait(BREAK_OFF_MS)])
  return service === undefined ? 0 : Promise.race([service.stop().then(() => 0), gaveUp])
}

/** The exit code for a data directory that another process has taken: nothing is finished, since that would write. */
function createLoss(log: Log) {
  let resolve: (code: number) => void = () => {}
  const code = new Promise<number>((settle) => {
    resolve = settle
  })
  const tell: LockParts['onLost'] = (error) => {
    log(error.message, { level: 'error', code: 'data_dir_lost' })
    resolve(1)
  }
  return { code, tell }
}

/** What is kept may belong to another user. */
function explainDenied(ready: Promise<void>, dataDir: string | undefined): Promise<void> {
  return ready.catch((error) => {
    const place = dataDir ?? ''
    throw explainFileError('data_dir_unusable', `The data directory ${place} cannot be read`, place, error)
  })
}

/**
 * Starts on a full disk too: nothing needs to be written for that but into a directory that is new. Throws what
 * {@link makeDataDirectory} and {@link openDisk} throw.
 */
async function openDataDir(path: string, parts: Partial<LockParts>): Promise<Disk> {
  await makeDataDirectory(path)
  return openDisk(path, parts).catch((error) => {
    throw explainFileError('data_dir_unusable', `The data directory ${path} cannot be used`, path, error)
  })
}

function announceToken(token: string, dataDir: string | undefined, log: Log): void {
  if (dataDir === undefined) {
    log(`created an access token for this run: ${token}`, { code: 'token_made' })
    return
  }
  storeToken(dataDir, token)
  log(`created an access token, stored in ${dataDir} and shown only this once: ${token}`, { code: 'token_made' })
}

function logEnd({ totals, error }: StdinReport, log: Log): void {
  const reasons = Object.entries(totals.byReason).map(([reason, count]) => `${reason} ${count}`)
  const counts = `${totals.taken} rows accepted, ${totals.rejected} rejected${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`
  const facts = { rows: totals.taken, rejected: totals.rejected, reasons: totals.byReason }
  if (error === undefined) log(`standard input ended: ${counts}`, { code: 'stdin_ended', ...facts })
  else log(`standard input failed: ${error.message} ${counts}`, { level: 'error', code: 'stdin_failed', ...facts })
}

/** Asks the engine what it holds whenever the metrics are read. */
function gaugeEngine(engine: Engine, { rows, segments, bytes }: Metrics): void {
  const refresh = () => {
    for (const held of engine.stats()) {
      const { source } = held
      rows.set({ source }, held.rows)
      segments.set({ source }, held.segments)
      bytes.set({ source, tier: 'hot' }, held.hotBytes)
      bytes.set({ source, tier: 'cold' }, held.coldBytes)
      bytes.set({ source, tier: 'head' }, held.headBytes)
    }
  }
  for (const gauge of [rows, segments, bytes]) Object.assign(gauge, { collect: refresh })
}
