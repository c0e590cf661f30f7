import { setTimeout as wait } from 'node:timers/promises'
import { LogweirError } from '../../base/errors.js'
import type { Log } from '../../base/log.js'
import { createQueryYielder, type MemoryShare, UNLIMITED_SHARE } from '../../base/memory/memory-budget.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { GIB, MIB } from '../../base/units.js'
import { allSourceNames, registerSource } from '../../common/sources.js'
import type { Row } from '../../plan/answer.js'
import type { RowLimits } from '../deletion.js'
import { createDiskRetry, reportDiskState } from '../disk/files/disk-retry.js'
import type { Files } from '../disk/files/files.js'
import { reportJournals } from '../disk/journal/report.js'
import { type Engine, GROUPING_LIMITS, limitsOf, type SourceStats, tooManyGroups } from '../engine.js'
import type { RunContext } from '../execute/batches/lazy-batch.js'
import { type Caches, createCaches } from '../execute/caches/caches.js'
import { createSharedFrames } from '../execute/caches/shared-frames.js'
import { runPlan } from '../execute/run/run-plan.js'
import { startDailyRetention } from './deleting/daily-retention.js'
import { type ClickHouseDeleting, createClickHouseDeleting } from './deleting/deleting.js'
import {
  BATCH_GROUP_LIMITS,
  type BatchGroupLimits,
  type BatchGroups,
  createBatchGroups,
} from './delivery/batch-groups.js'
import { type BatchGroup, DELIVERY_TIMING, type DeliveryTiming } from './delivery/delivery.js'
import { createDeliveryQueue, type DeliveryQueue } from './delivery/delivery-queue.js'
import { listJournaledGroups } from './delivery/group-journals.js'
import { followRows, POLL_LIMITS, type PollLimits } from './follow/follow.js'
import { type PartRows, readStages, versionReadsJson } from './query/stage-rows.js'
import { readUsage } from './query/usage.js'
import { askVersion } from './schema/apply-schema.js'
import type { ConnectShards } from './schema/shards.js'
import type { TableLocation } from './schema/table-names.js'
import { applyCommand, lacksTable, messageWithHint, type Server, ServerError } from './server/clickhouse-server.js'

/** The server, the data directory and the limits of the engine. Tests pass smaller limits. */
export interface ClickHouseEngineOptions {
  server: Server
  location: TableLocation
  clock: Clock
  metrics: Metrics
  log?: Log
  /** The data directory, which contains the journals of unconfirmed batches. */
  files: Files
  /** The name of the data directory, for messages. */
  directory: string
  /** Unlocks the directory. */
  release?: () => Promise<void>
  limits?: Partial<BatchGroupLimits>
  /** `append` waits while more bytes than this are unconfirmed. */
  unconfirmedBytes?: number
  timing?: Partial<DeliveryTiming & { closeMs: number }>
  following?: Partial<PollLimits>
  /** Connects to all servers that have rows. By default `server` has all. */
  connectShards?: ConnectShards | undefined
  /** How long rows are kept by project. By default the server keeps them as its tables say. */
  rowLimits?: RowLimits | undefined
  /** The most rows of a part that is read at once. */
  partRows?: Partial<PartRows>
}

/** An engine over a ClickHouse server or cluster, with an additional method for tests. */
export interface ClickHouseEngine extends Engine {
  /** Resolves when the server has confirmed every row appended so far. */
  settled(): Promise<void>
}

/** The most bytes of rows that the server has not confirmed. Beyond it, `append` waits. */
export const UNCONFIRMED_BYTES = 64 * MIB
/** Interval at which groups that are due are closed. */
const CLOSE_DUE_MS = 50
/** Interval of fsync: a power cut of this machine loses at most the unconfirmed rows of this time. */
const SYNC_MS = 1_000
/** Wait before a write is retried on a full or failing disk. */
const RETRY_MS = 1_000
/** The caches of a query's fields take a share of this. */
const CACHE_BYTES = GIB
/**
 * The time for which the engine waits for the server when the service stops, from `stopWaiting` on. Rows that are not
 * confirmed by then stay in the journal.
 */
const CLOSE_MS = 3_000

/**
 * Creates an engine that stores rows in the tables of a ClickHouse server or cluster. The data directory contains only
 * the rows that the server has not confirmed.
 */
export function createClickHouseEngine(options: ClickHouseEngineOptions): ClickHouseEngine {
  const { server, location, clock, log = () => {}, files, directory } = options
  const timing = { ...DELIVERY_TIMING, closeMs: CLOSE_MS, ...options.timing }
  const diskRetry = createDiskRetry(RETRY_MS, reportDiskState(directory, log))
  const limitBytes = options.unconfirmedBytes ?? UNCONFIRMED_BYTES
  const deliveries = createDeliveryQueue({ server, location, directory, log, timing, limitBytes })
  const serverVersion = createServerVersion(server)
  const { deleting, stopRetention } = startDeleting(options, {
    cut: () => groups.cut(),
    readsJson: async () => versionReadsJson(await serverVersion()),
    settled: () => settled(),
  })
  const leftOfClose = createCountdown(timing.closeMs, clock)
  let isClosed = false
  const limits = { ...BATCH_GROUP_LIMITS, ...options.limits }
  const { isBusy, add: onClosed } = deliveries
  const groups = createBatchGroups({ files, clock, diskRetry, isBusy, onClosed, limits })

  const onSyncFailure = reportSyncFailure(directory, log)
  const stopClosingDue = clock.every(CLOSE_DUE_MS, () => void groups.closeDue())
  const stopSync = clock.every(SYNC_MS, () => void groups.sync().catch(onSyncFailure))

  async function settled(): Promise<void> {
    await groups.closeDue(true)
    await deliveries.settled()
  }

  function stopWaiting(): void {
    leftOfClose.start()
    deliveries.disableBackpressure()
    diskRetry.abandon()
  }

  return {
    recover: () => recover(options, groups, deliveries),
    writeFailure: () => diskRetry.currentError() ?? deliveries.failure(),
    async append(batch) {
      if (isClosed) throw new TypeError('The engine is closed.')
      await deliveries.waitForRoom()
      await groups.append(batch)
    },
    ...createQueries(options, serverVersion, deleting.visibleIn),
    deleting,
    stats: () => statsOf([...deliveries.unconfirmed(), ...groups.openGroups()]),
    stopWaiting,
    settled,
    async close() {
      isClosed = true
      stopClosingDue()
      stopSync()
      stopWaiting()
      await stopRetention?.()
      const delivered = groups.sync().catch(onSyncFailure).then(settled)
      await Promise.race([delivered, wait(leftOfClose.ms())])
      deliveries.abort()
      await server.close()
      await options.release?.()
    },
  }
}

const reportSyncFailure =
  (directory: string, log: Log) =>
  ({ message }: Error) =>
    log(`${directory} cannot be synced: ${message}`, { level: 'error', code: 'disk_not_synced', directory })

/** Returns the deletion on request, and starts that of rows past their limits. */
function startDeleting(
  { server, location, clock, log = () => {}, rowLimits: limits, ...options }: ClickHouseEngineOptions,
  parts: Pick<Parameters<typeof createClickHouseDeleting>[0], 'cut' | 'readsJson' | 'settled'>,
) {
  const { connectShards = async () => ({ servers: [server], close: async () => {} }) } = options
  const shared = { server, location, connectShards }
  return {
    deleting: createClickHouseDeleting({ ...shared, ...parts }),
    stopRetention: limits && startDailyRetention({ ...shared, limits, clock, log }),
  }
}

/** Returns a function that asks a server for its version, once. */
function createServerVersion(server: Server): () => Promise<string> {
  let version: string | undefined
  return async () => {
    version ??= await askVersion(server)
    return version
  }
}

/** Queues the groups that earlier processes have not delivered. Their sources may no longer be configured. */
async function recover(
  { files, directory, metrics, log = () => {} }: ClickHouseEngineOptions,
  groups: BatchGroups,
  deliveries: DeliveryQueue,
): Promise<void> {
  for (const group of await listJournaledGroups(files, reportJournals(directory, metrics, log))) {
    registerSource(group.source)
    groups.startAfter(group)
    deliveries.add(group)
  }
}

/** Measures the remainder of a time, from the first call of `start` on. */
function createCountdown(limitMs: number, clock: Pick<Clock, 'monotonicMs'>) {
  let endMs: number | undefined
  return {
    start: () => void (endMs ??= clock.monotonicMs() + limitMs),
    ms: () => (endMs === undefined ? limitMs : Math.max(0, endMs - clock.monotonicMs())),
  }
}

/**
 * Returns the methods of an engine that read from the server. Server errors are replaced by the errors for clients.
 */
function createQueries(
  options: ClickHouseEngineOptions,
  serverVersion: () => Promise<string>,
  visibleIn: ClickHouseDeleting['visibleIn'],
): Pick<Engine, 'run' | 'follow' | 'usage'> {
  const { server, location, clock, metrics, log = () => {} } = options
  const caches = createCaches({ clock, metrics, rowsLimitBytes: CACHE_BYTES, partialCacheBytes: 0 })
  const onClose = (owner: object) => caches.fieldCache.drop([owner])
  async function withClientErrors<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query()
    } catch (error) {
      throw error instanceof ServerError ? clientError(error, log) : error
    }
  }

  return {
    async run(plan, { signal, onScanStats, memory = UNLIMITED_SHARE } = {}) {
      let scanned = 0
      const onRead = (rows: number) => {
        scanned += rows
      }
      const context = contextOf(caches, memory, signal, onRead)
      const reading = {
        server,
        location,
        ...(signal && { signal }),
        onRead,
        serverVersion,
        visibleIn,
        onClose,
        ...(options.partRows && { partRows: options.partRows }),
      }
      return withClientErrors(async () => {
        const result = await runPlan(plan, (stage) => readStages(stage, reading), context)
        if (result === undefined) return inOrder([])
        onScanStats?.({ rows: scanned })
        return result.rows
      })
    },
    async follow(query, listener) {
      const parts = { server, location, clock, limits: { ...POLL_LIMITS, ...options.following }, visibleIn }
      const { run, stop } = await withClientErrors(async () => {
        const readsJson = query.where !== undefined && versionReadsJson(await serverVersion())
        return followRows(query, listener, { ...parts, readsJson })
      })
      return { run: (plan, runOptions) => withClientErrors(() => run(plan, runOptions)), stop }
    },
    usage: (query, run) => withClientErrors(() => readUsage(query, run, server, location)),
  }
}

const contextOf = (
  caches: Caches,
  memory: MemoryShare,
  signal: AbortSignal | undefined,
  onScan: RunContext['onScan'],
): RunContext => ({
  ...caches,
  sharedFrames: createSharedFrames(),
  // Each run reads its rows again.
  sliceRows: Number.POSITIVE_INFINITY,
  limits: limitsOf(GROUPING_LIMITS, memory),
  memory,
  yieldIfDue: createQueryYielder(memory, signal),
  onOpen() {},
  onScan,
})

/** Returns the statistics of each source, of the rows that the server has not confirmed. */
function statsOf(groups: readonly BatchGroup[]): SourceStats[] {
  return allSourceNames().map((source) => {
    const ofSource = groups.filter((group) => group.source === source)
    const sum = (of: (group: BatchGroup) => number) => ofSource.reduce((total, group) => total + of(group), 0)
    const headBytes = sum(({ bytes }) => bytes)
    return { source, rows: sum(({ rows }) => rows), segments: 0, hotBytes: 0, coldBytes: 0, headBytes }
  })
}

/** ClickHouse's error number for a pattern that the server's RE2 rejects. */
const BAD_PATTERN = 427
/** ClickHouse's error number for a query that exceeds the limit of groups. */
const TOO_MANY_GROUPS = 158

/** ClickHouse's error numbers for a column that a table does not have. */
const NO_COLUMN = new Set<number | undefined>([8, 10, 16, 47])

const NO_ANSWER = 'The ClickHouse server behind this service did not answer. Try again shortly.'
const NO_TABLE = `ClickHouse has no table of a source that this query reads: run ${applyCommand()} with all --sources.`

/** Returns the error that a client gets for a server's error. Logs the full error if the client gets less. */
function clientError(error: ServerError, log: Log): LogweirError {
  if (error.code === BAD_PATTERN) {
    return new LogweirError(
      'invalid_pattern',
      "The pattern is valid RE2, but not for this ClickHouse server's version of it.",
    )
  }
  if (error.code === TOO_MANY_GROUPS) return tooManyGroups(GROUPING_LIMITS)
  if (NO_COLUMN.has(error.code)) {
    return new LogweirError(
      'engine_unavailable',
      `The tables in ClickHouse lack columns that this query reads: run ${applyCommand()}.`,
    )
  }
  log(`ClickHouse did not answer a query: ${messageWithHint(error)}`, { level: 'error', code: 'engine_unavailable' })
  return new LogweirError('engine_unavailable', lacksTable(error) ? NO_TABLE : NO_ANSWER)
}

async function* inOrder(rows: readonly Row[]): AsyncIterable<Row> {
  yield* rows
}
