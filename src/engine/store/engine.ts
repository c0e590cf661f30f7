import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Clock } from '../../base/time/clock.js'
import { isSourceName } from '../../common/own-source-names.js'
import { registerSource, type SourceName } from '../../common/sources.js'
import type { DeletingEngine, RowLimits } from '../deletion.js'
import type { DataDirectory } from '../disk/directory/open.js'
import type { Files } from '../disk/files/files.js'
import { type Engine, GROUPING_LIMITS, type GroupingLimits, noViews, type ReadView } from '../engine.js'
import type { RunContext } from '../execute/batches/lazy-batch.js'
import { createCaches } from '../execute/caches/caches.js'
import { type HeadId, JOURNALS, parseJournalName, SEGMENTS } from './files/file-names.js'
import type { RowsToRead } from './files/inventory.js'
import { createFollowers, type Followers } from './follow/follow.js'
import { createHiding } from './hiding/hiding.js'
import { createGroupable, type GroupableRows } from './queries/groupable.js'
import { createRun } from './queries/run.js'
import { createRunMoved } from './queries/run-moved.js'
import { createDeleting } from './removal/deleting.js'
import { createLargestEviction, type LargestEviction } from './removal/evict-largest.js'
import { createTurns } from './removal/turns.js'
import { createNoSealer } from './sealing/no-sealer.js'
import type { Sealer } from './sealing/sealer.js'
import type { SegmentHandle } from './segment/handle.js'
import { columnPaths } from './tables/column-paths.js'
import { headLimitsOf } from './tables/head-limits.js'
import { NO_KEEPER, type SegmentKeeper } from './tables/keeper.js'
import { createLimits } from './tables/limits.js'
import { createStore, type Store } from './tables/store.js'
import { createDurability, type Durability } from './upkeep/durability.js'
import { startUpkeep } from './upkeep/upkeep.js'
import { createProjectIndexes, type ProjectIndexes } from './usage/project-indexes.js'
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
  /**
   * Near the disk limit, the oldest rows of the largest project are deleted first. By default the oldest segments are,
   * at the limit.
   */
  evictsLargest?: boolean
  /** Days older than this are deleted. */
  retentionUs?: number
  /** How long rows are kept by project. By default, as long as all rows. */
  rowLimits?: RowLimits | undefined
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
  deleting: DeletingEngine
  /** Returns all rows of some sources at this moment, to be grouped in parts. */
  groupable(sources: readonly SourceName[]): GroupableRows
  /** Drops the oldest segments beyond the limits. */
  enforceLimits(): void
  /** Seals every open head now. */
  seal(): Promise<void>
  /** Clears the cache of partial results: the next run of a plan computes the partial results again. */
  clearPartialCache(): void
}

/** Makes the sources known that journals and directories of segments name. */
export async function registerStoredSources(files: Files): Promise<void> {
  const journals = (await files.list(JOURNALS)).flatMap((name) => parseJournalName(name)?.source ?? [])
  const directories = (await files.list(SEGMENTS)).filter(isSourceName)
  for (const name of [...journals, ...directories].sort()) registerSource(name)
}

/** A poll reads about so many rows of a head again, and merges the groups of the others. */
const SLICE_ROWS = 4_096

/**
 * Creates the embedded engine: rows as sorted, compressed, time-partitioned columns, in memory and optionally
 * on disk.
 */
export function createArrowEngine(options: ArrowEngineOptions): ArrowEngine {
  const { clock, metrics, groupingLimits = GROUPING_LIMITS, sliceRows = SLICE_ROWS } = options
  const { readView = refuseViews, keeper = NO_KEEPER } = options
  const { store, caches, hiding, durable, followers, limits, turns, indexes, largest } = createParts(options)
  const stopUpkeep = startUpkeep(options, { store, caches, limits, durable, turns, indexes, keeper })
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
    deleting: createDeleting(store, hiding, indexes, turns),
    seal: () => store.sealAll(),
    clearPartialCache: () => caches.partialCache.clear(),
    stats: () => store.stats(),
    usage: createUsage(store, indexes),
    stopWaiting: () => stopWaiting(durable, store),
    async close() {
      const expired = stopUpkeep()
      stopWaiting(durable, store)
      await Promise.all([expired, largest?.stop()])
      const compacted = stopCompaction?.()
      await store.close()
      await compacted
      await durable?.close()
    },
  }
}

/** Creates the parts of an engine, which know each other. */
function createParts(options: ArrowEngineOptions) {
  const { clock, metrics, rowsLimitBytes, diskLimitBytes = Number.POSITIVE_INFINITY, keeper = NO_KEEPER } = options
  const headLimits = headLimitsOf(options)
  const caches = createCaches(options)
  const hiding = createHiding(caches, options.rowLimits)
  const hooks = {
    onLoad: () => limits.evictColumns(),
    setAside: (segment: SegmentHandle) => store.setAside(segment),
    isClosed: ({ source, number }: HeadId) => hiding.isClosed(source, number),
  }
  const durable = options.disk && createDurability(options.disk, options, hooks, headLimits.sealBytes)
  const followers = createFollowers({ fieldCache: caches.fieldCache, hold: (head) => store.hold(head) })
  const store = createStore({
    ...headLimits,
    persistence: durable?.persistence,
    sealer: options.sealer,
    clock,
    keeper,
    hiding,
    onDrop: caches.drop,
    onAppend: followers.notify,
  })
  metrics.rowsLimitBytes.set(rowsLimitBytes)
  const diskBytes = durable?.persistence.bytes
  const indexes = createProjectIndexes()
  const allBytes = diskBytes && (() => diskBytes() + keeper.bytes())
  const largest = options.evictsLargest && allBytes ? evictionOf(options, store, indexes, allBytes) : undefined
  const onGrowth = () => largest?.enforce()
  const limits = createLimits({ store, caches, diskBytes, rowsLimitBytes, diskLimitBytes, metrics, keeper, onGrowth })
  return { store, caches, hiding, durable, followers, limits, turns: createTurns(store.isBusy), indexes, largest }
}

/** Returns the eviction of the largest project. */
function evictionOf(
  { clock, metrics, log = () => {}, diskLimitBytes = Number.POSITIVE_INFINITY, keeper = NO_KEEPER }: ArrowEngineOptions,
  store: Store,
  indexes: ProjectIndexes,
  bytes: () => number,
): LargestEviction {
  return createLargestEviction({
    ...{ store, indexes, keeper, clock, bytes, limitBytes: diskLimitBytes },
    onRemoved: ({ source }, rows) => metrics.evictedRows.inc({ source, limit: 'disk' }, rows),
    onFailure: ({ message }) =>
      log(`Rows of the largest project cannot be removed, the oldest of all are at the limit: ${message}`, {
        level: 'warn',
        code: 'removal_failed',
      }),
  })
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
  options: Pick<ArrowEngineOptions, 'clock' | 'metrics' | 'log' | 'rowsLimitBytes' | 'rowLimits' | 'readView'>,
): ArrowEngine {
  const retentionUs = Number.POSITIVE_INFINITY
  return createArrowEngine({ ...options, disk, toRead, retentionUs, sealer: createNoSealer() })
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

/** Ends the waits of `append` for the disk and for the sealer. */
function stopWaiting(durable: Durability | undefined, store: Store): void {
  durable?.diskRetry.abandon()
  store.stopWaiting()
}
