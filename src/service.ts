import { accessSync, constants, mkdirSync } from 'node:fs'
import { type Clock, systemClock } from './base/clock.js'
import type { Log } from './base/log.js'
import { createMetrics, type Metrics } from './base/metrics.js'
import { usageError } from './base/settings.js'
import type { ServeConfig } from './config.js'
import { ENDPOINTS } from './endpoints/index.js'
import { createArrowEngine } from './engine/arrow/engine.js'
import { type Disk, openDisk } from './engine/arrow/storage/disk/disk.js'
import type { Engine } from './engine/engine.js'
import { createApp, type Status } from './http/app.js'
import { listen } from './http/server.js'
import { createIngest } from './ingest/ingest.js'
import { openRejects } from './ingest/rejects.js'
import { createRequests } from './ingest/requests.js'
import { readStdin, type StdinReader, type StdinReport } from './ingest/stdin.js'
import { findTokens, keepToken } from './tokens.js'

/** The rest is for parsing, queries, the result cache and the runtime itself. */
const ROWS_SHARE = 0.5
/** How long a stop may take before it is broken off; the contract gives 5 s. */
const STOP_MS = 4_800

export interface Service {
  url: string
  /** Resolves when it serves; rejects where what is kept cannot be taken in. */
  ready: Promise<void>
  /** Takes no more, finishes what has been read and asked, lets go of everything. */
  stop(): Promise<void>
}

/**
 * Wires engine, ingest and http together. It listens at once, and serves when `ready` resolves: when all rows that are kept
 * have been taken in. Throws `usage`, `cannot_listen`, and what {@link openDisk} throws.
 */
export async function startService(config: ServeConfig, log: Log): Promise<Service> {
  const disk = config.dataDir === undefined ? undefined : await openDataDir(config.dataDir)
  const tokens = findTokens(config)
  const [clock, metrics] = [systemClock, createMetrics()]
  const { retentionUs, source } = config
  const engine = await createEngine(config, disk, { clock, metrics, log })
  gaugeEngine(engine, metrics)
  let status: Status = 'starting'
  const statusNow = () => (status === 'ok' && engine.trouble() !== undefined ? 'degraded' : status)
  const rejects = openRejects({ dataDir: config.dataDir, log, clock })
  const intoEngine = { engine, metrics, rejects, clock, retentionUs }
  const ingest = createIngest({ ...intoEngine, defaultSource: source })
  const requests = createRequests(intoEngine)
  const app = createApp({
    engine,
    endpoints: ENDPOINTS,
    metrics,
    clock,
    tokens: tokens.accepted,
    status: statusNow,
    log,
    intake: { take: requests.take, trouble: () => engine.trouble() },
  })
  const server = await listen(app, config).catch(async (error) => {
    await engine.close()
    throw error
  })
  if (tokens.made !== undefined) announceToken(tokens.made, config.dataDir, log)
  log(`listening on ${server.url}`)
  const terminal = process.stderr.isTTY ? process.stderr : undefined
  let stdin: StdinReader | undefined
  const ready = engine.recover().then(() => {
    status = 'ok'
    stdin = readStdin({ ingest, metrics, clock, terminal })
    if (stdin !== undefined) ingest.start()
    stdin?.done.then((report) => {
      if (report.error !== undefined) status = 'degraded'
      log(describeEnd(report))
    })
  })

  return {
    url: server.url,
    ready,
    async stop() {
      engine.letIn()
      await Promise.all([stdin?.stop(), server.close()])
      app.close()
      // What recovery has taken in is kept as it was: there is nothing to finish.
      if (status === 'starting') return
      await Promise.all([ingest.close(), requests.close()])
      await Promise.all([engine.close(), rejects.close()])
    },
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
    })
  }
  // Only who has a server pays for its client.
  const { connectServer } = await import('./engine/clickhouse/server.js')
  const { createClickHouseEngine } = await import('./engine/clickhouse/engine.js')
  const server = connectServer(clickhouse)
  return createClickHouseEngine({ ...parts, server, layout: clickhouse, ...disk! })
}

interface Parts {
  clock: Clock
  metrics: Metrics
  log: Log
}

/** Runs the service until a signal ends it. Gives the exit code; a second signal exits at once, with 1. */
export async function runService(config: ServeConfig, log: Log): Promise<number> {
  const [first, second] = stopSignals()
  const service = await startService(config, log)
  const signal = await Promise.race([first, service.ready.then(() => first)])
  log(`${signal}: stopping`)
  const gaveUp = new Promise<number>((resolve) => {
    setTimeout(() => {
      log(`not stopped within ${STOP_MS / 1000} s; what was not finished is lost`)
      resolve(1)
    }, STOP_MS)
  })
  return Promise.race([service.stop().then(() => 0), second.then(() => 1), gaveUp])
}

/** The first and the second SIGTERM or SIGINT from now on; there is no moment at which one would kill. */
function stopSignals(): readonly [first: Promise<NodeJS.Signals>, second: Promise<NodeJS.Signals>] {
  const takers: ((signal: NodeJS.Signals) => void)[] = []
  const next = () => new Promise<NodeJS.Signals>((resolve) => takers.push(resolve))
  const take = (signal: NodeJS.Signals) => takers.shift()?.(signal)
  process.on('SIGTERM', take)
  process.on('SIGINT', take)
  return [next(), next()]
}

/** Starts on a full disk too: nothing needs to be written for that but into a directory that is new. */
async function openDataDir(path: string): Promise<Disk> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK)
  } catch (error) {
    throw usageError(`--data-dir ${path} cannot be written: ${(error as Error).message}.`)
  }
  return openDisk(path)
}

function announceToken(token: string, dataDir: string | undefined, log: Log): void {
  if (dataDir === undefined) {
    log(`made an access token for this run: ${token}`)
    return
  }
  keepToken(dataDir, token)
  log(`made an access token, kept in ${dataDir}, shown this once: ${token}`)
}

function describeEnd({ totals, error }: StdinReport): string {
  const reasons = Object.entries(totals.byReason).map(([reason, count]) => `${reason} ${count}`)
  const counts = `${totals.taken} rows taken, ${totals.rejected} rejected${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`
  return error === undefined ? `standard input ended: ${counts}` : `standard input failed: ${error.message} ${counts}`
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
