import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { DAY_US, GIB, MIB, MINUTE_US } from '../../base/units.js'
import { isSourceName } from '../../common/own-source-names.js'
import { registerSource, type SourceName } from '../../common/sources.js'
import type { DataDirectory } from '../disk/directory/open.js'
import { createDiskRetry, reportDiskState } from '../disk/files/disk-retry.js'
import type { Files } from '../disk/files/files.js'
import { type Engine, GROUPING_LIMITS, type GroupingLimits, noViews, type ReadView } from '../engine.js'
import type { RunContext } from '../execute/batches/lazy-batch.js'
import { type Caches, createCaches } from '../execute/caches/caches.js'
import { compactWhenIdle } from './compaction/compaction.js'
import type { DiskSegment } from './files/disk-segment.js'
import { JOURNALS, parseJournalName, SEGMENTS } from './files/file-names.js'
import type { RowsToRead } from './files/inventory.js'
import { createFollowers, type Followers } from './follow/follow.js'
import { createDiskPersistence } from './persistence/disk-persistence.js'
import { reportDamage } from './persistence/report-damage.js'
import { createGroupable, type GroupableRows } from './queries/groupable.js'
import { createRun } from './queries/run.js'
import { createRunMoved } from './queries/run-moved.js'
import { createNoSealer } from './sealing/no-sealer.js'
import type { Sealer } from './sealing/sealer.js'
import type { SegmentHandle } from './segment/handle.js'
import { columnPaths } from './tables/column-paths.js'
import { NO_KEEPER, type SegmentKeeper } from './tables/keeper.js'
import { createLimits, type Limits } from './tables/limits.js'
import { enforceRetention } from './tables/retention.js'
import { createStore, type Store } from './tables/store.js'
import { createProjectIndexes } from './usage/project-indexes.js'
import { createUsage } from './usage/usage.js'

/** Settings of the embedded engine. Tests pass smaller limits. */
export interface ArrowEngineOptions {
  clock: Clock
  metrics: Metrics
  /** The data directory, which the engine releases at its close. Without a data directory, rows are in memory only. */
  disk?: DataDirectory
  log?: Log
  /**
   * Memory limit in bytes for heads, sealed segments and cached partial results. Beyond the limit, segments that are on
   * disk are evicted from memory. Without a disk, the oldest segments are deleted.
   */
  rowsLimitBytes: number
  /** Disk limit in bytes. Beyond the limit, the oldest segments are deleted. Ignored without a disk. */
  diskLimitBytes?: number
  /** Days older than this are deleted. */
  retentionUs?: number
  /** A head is sealed once it has this many rows or bytes. */
  sealRows?: number
  sealBytes?: number
  /** See {@link createReadingEngine}. */
  toRead?: RowsToRead
  /** Seals heads. The engine closes the sealer. */
  sealer: Sealer
  /** Size limit of the cache of partial results of sealed segments. */
  partialCacheBytes?: number
  groupingLimits?: GroupingLimits
  /** See {@link RunContext.sliceRows}. */
  sliceRows?: number
  /** Reads the groups of views. Without it, plans that read a view are refused. */
  readView?: ReadView
  /** Tells which segments are not to be dropped yet. */
  keeper?: SegmentKeeper
}

/** The embedded engine, with additional methods for tests, benches and shutdown. */
export interface ArrowEngine extends Engine {
  /** Returns all rows of some sources at this moment, to be grouped in parts. */
  groupable(sources: readonly SourceName[]): GroupableRows
  /** Drops the oldest segments beyond the limits. */
  enforceLimits(): void
  /** Seals every open head now. */
  seal(): Promise<void>
  /** Clears the cache of partial results: the next run of a plan computes the partial results again. */
  clearPartialCache(): void
}

const RETENTION_US = 90 * DAY_US
/** A head with this many rows or bytes is full, and sealed. */
export const SEAL_ROWS = 2 ** 18
export const SEAL_BYTES = 64 * MIB

/** Makes the sources known whose names journals and directories of segments have. */
export async function registerStoredSources(files: Files): Promise<void> {
  const journals = (await files.list(JOURNALS)).flatMap((name) => parseJournalName(name)?.source ?? [])
  const directories = (await files.list(SEGMENTS)).filter(isSourceName)
  for (const name of [...journals, ...directories].sort()) registerSource(name)
}

/** A poll reads about so many rows of a head again, and merges the groups of the others. */
const SLICE_ROWS = 4_096

/** A head takes at most this share of the memory limit, so that sealing starts long before eviction. */
const HEAD_SHARE = 1 / 16
/**
 * Full heads wait for the sealer with at most this share of the memory limit, and no more than a start reads from
 * journals within seconds. A burst is thus stored as fast as parsed, and sealed after the burst. If memory is scarce, a
 * single head waits: a query keeps until its end the heads that the query started with.
 */
const BACKLOG_SHARE = 1 / 4
const MAX_BACKLOG_BYTES = GIB
const SCARCE_BYTES = 512 * MIB
/** A head's journal takes at most this share of the disk limit. */
const JOURNAL_SHARE = 1 / 64
/** Interval of retention and of freeing unused memory. */
const UPKEEP_MS = MINUTE_US / 1000
/** Interval of the check for fields that no query reads any more. */
const IDLE_CHECK_MS = 5_000
/** Interval of fsync: a power cut loses at most the rows of this time. */
const SYNC_MS = 1000
/** Wait before a write is retried on a full or failing disk. */
const RETRY_MS = 1000

function headLimitsOf({ rowsLimitBytes, diskLimitBytes = Number.POSITIVE_INFINITY, ...options }: ArrowEngineOptions) {
  const {
    sealRows = SEAL_ROWS,
    sealBytes = Math.min(SEAL_BYTES, rowsLimitBytes * HEAD_SHARE, diskLimitBytes * JOURNAL_SHARE),
  } = options
  const plentyBytes = Math.max(0, rowsLimitBytes - SCARCE_BYTES)
  const backlogBytes = Math.min(MAX_BACKLOG_BYTES, plentyBytes * BACKLOG_SHARE, diskLimitBytes * BACKLOG_SHARE)
  // Memory of batches that queries hold for long is freed in another order than allocated, which leaves gaps.
  return { sealRows, sealBytes, backlogBytes, holdsBatches: plentyBytes > 0 }
}

/**
 * Creates the embedded engine: rows as sorted, compressed, time-partitioned columns, in memory and optionally
 * on disk.
 */
export function createArrowEngine(options: ArrowEngineOptions): ArrowEngine {
  const { clock, metrics, rowsLimitBytes, groupingLimits = GROUPING_LIMITS, sliceRows = SLICE_ROWS } = options
  const { diskLimitBytes = Number.POSITIVE_INFINITY, readView = refuseViews, keeper = NO_KEEPER } = options
  const headLimits = headLimitsOf(options)
  const hooks = { onLoad: () => limits.evictColumns(), setAside: (segment: SegmentHandle) => store.setAside(segment) }
  const durable = options.disk && createDurability(options.disk, options, hooks, headLimits.sealBytes)
  const caches = createCaches(options)
  const followers = createFollowers({ fieldCache: caches.fieldCache, hold: (head) => store.hold(head) })
  const store = createStore({
    ...headLimits,
    persistence: durable?.persistence,
    sealer: options.sealer,
    clock,
    keeper,
    onDrop: caches.drop,
    onAppend: followers.notify,
  })
  metrics.rowsLimitBytes.set(rowsLimitBytes)
  const diskBytes = durable?.persistence.bytes
  const limits = createLimits({ store, caches, diskBytes, rowsLimitBytes, diskLimitBytes, metrics, keeper })
  const stopUpkeep = startUpkeep(options, { store, caches, limits, durable })
  const stopCompaction = options.toRead === undefined ? durable?.startCompaction(clock, store) : undefined

  const queries = { store, caches, metrics, groupingLimits, sliceRows, readView }
  const run = createRun(queries)
  return {
    async recover() {
      await durable?.recover(store)
    },
    writeFailure: () => durable?.diskRetry.currentError(),
    async append(batch) {
      await store.append(batch)
      limits.enforce()
    },
    run,
    groupable: createGroupable(queries),
    enforceLimits: limits.enforce,
    runMoved: createRunMoved(queries),
    columnPaths: (plan) => columnPaths(store, plan),
    follow: createFollow(followers, run),
    revision: store.revision,
    seal: () => store.sealAll(),
    clearPartialCache: () => caches.partialCache.clear(),
    stats: () => store.stats(),
    usage: createUsage(store, createProjectIndexes()),
    stopWaiting: () => stopWaiting(durable, store),
    async close() {
      stopUpkeep()
      stopWaiting(durable, store)
      const compacted = stopCompaction?.()
      await store.close()
      await compacted
      await durable?.close()
    },
  }
}

const refuseViews: ReadView = () => {
  throw noViews('no view is kept')
}

/**
 * Creates an embedded engine over some rows of a data directory. The engine changes nothing in the directory. Only
 * these rows are recovered, and `append` must not be called.
 */
export function createReadingEngine(
  disk: DataDirectory,
  toRead: RowsToRead,
  options: Pick<ArrowEngineOptions, 'clock' | 'metrics' | 'log' | 'rowsLimitBytes' | 'readView'>,
): ArrowEngine {
  const retentionUs = Number.POSITIVE_INFINITY
  return createArrowEngine({ ...options, disk, toRead, retentionUs, sealer: createNoSealer() })
}

interface UpkeepComponents {
  store: Store
  caches: Caches
  limits: Limits
  durable: Durability | undefined
}

/** Starts the timers of retention, of freeing memory and of fsync. Returns a function that stops the timers. */
function startUpkeep(
  { clock, metrics, retentionUs = RETENTION_US }: ArrowEngineOptions,
  { store, caches, limits, durable }: UpkeepComponents,
): () => void {
  const upkeep = () => {
    void enforceRetention(store, clock.nowUs(), retentionUs, metrics)
    limits.nextInterval()
  }
  const stopTimers = [
    clock.every(UPKEEP_MS, upkeep),
    clock.every(IDLE_CHECK_MS, caches.fieldCache.dropIdle),
    durable?.syncEvery(SYNC_MS, clock, () => store.sealFailing()),
  ]
  return () => {
    for (const stop of stopTimers) stop?.()
  }
}

/** Returns {@link Engine.follow}: a subscription's plans see the rows stored when they start. */
function createFollow(followers: Followers, run: Engine['run']): Engine['follow'] {
  return async (query, listener) => {
    const follower = followers.add(query, listener)
    return {
      async run(plan, options) {
        // Read before the run starts: the plan sees the rows stored at this moment.
        const delivered = follower.delivered()
        return { rows: await run(plan, options), delivered: await delivered }
      },
      stop: follower.stop,
    }
  }
}

type Durability = ReturnType<typeof createDurability>

/** The parts that only an engine with a disk has: retries, persistence, recovery, fsync. */
function createDurability(
  { directory, files, release }: DataDirectory,
  { metrics, log = () => {}, toRead }: ArrowEngineOptions,
  { onLoad, setAside }: { onLoad(): void; setAside(segment: SegmentHandle): void },
  headBytes: number,
) {
  const diskRetry = createDiskRetry(RETRY_MS, reportDiskState(directory, log))
  const report = reportDamage(directory, metrics, log)
  const onDamage = (segment: DiskSegment, error: Error) => {
    setAside(segment)
    report.unreadable(segment.path, error)
  }
  const onPathDamage = ({ path }: DiskSegment, error: Error) => report.pathColumns(path, error)
  const persistence = createDiskPersistence(files, diskRetry, { onLoad, onDamage, onPathDamage }, headBytes)
  return {
    diskRetry,
    persistence,
    recover: (store: Store) => persistence.recover(store, report, toRead),
    startCompaction: (clock: Clock, store: Store) => compactWhenIdle(clock, store, persistence, metrics, log),
    /** Syncs at each interval. Skips an interval if the last sync is still running. */
    syncEvery(intervalMs: number, clock: Clock, done: () => void) {
      let isSyncing = false
      return clock.every(intervalMs, async () => {
        if (isSyncing) return
        isSyncing = true
        await persistence.sync()
        isSyncing = false
        done()
      })
    },
    async close() {
      await persistence.sync()
      await persistence.close()
      await release()
    },
  }
}

/** Ends the waits of `append` for the disk and for the sealer. */
function stopWaiting(durable: Durability | undefined, store: Store): void {
  durable?.diskRetry.abandon()
  store.stopWaiting()
}
