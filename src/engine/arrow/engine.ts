import type { Clock } from '../../base/clock.js'
import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import { createYielder } from '../../base/time-slices.js'
import { DAY_US, MIB, MINUTE_US } from '../../base/units.js'
import type { Disk } from '../disk/directory/open.js'
import { createTrouble, tellTrouble } from '../disk/files/disk-retry.js'
import { describeDamage } from '../disk/journal/recover.js'
import { type Engine, GROUPING_LIMITS, type GroupingLimits, type Row, type ScanStats } from '../engine.js'
import { shapeOf } from '../plan.js'
import { runBuckets, runRows } from './query/execute.js'
import { createFollowers } from './query/follow.js'
import { runGroups } from './query/groups.js'
import { createPartialCache } from './query/partial-cache.js'
import type { Run } from './query/select.js'
import { recompressInQuiet } from './storage/compaction/compaction.js'
import { createDiskKeeper } from './storage/persistence/disk-persistence.js'
import type { Sealer } from './storage/sealing/sealer.js'
import { createColumnLimit, dropBeyondDisk, dropBeyondMemory, enforceRetention } from './storage/store/retention.js'
import { createStore, type Store } from './storage/store/store.js'

export interface ArrowEngineOptions {
  clock: Clock
  metrics: Metrics
  /** Where rows are kept, whose release is then the engine's; without it they live in memory only. */
  disk?: Disk
  log?: Log
  /**
   * Bytes that rows may take, heads and sealed segments together, and what is kept of their results; beyond it segments
   * that are on a disk leave memory, and the oldest ones go without a disk.
   */
  rowsLimitBytes: number
  /** Bytes that files of rows may take; beyond it the oldest segments go. Nothing without a disk. */
  diskLimitBytes?: number
  /** Days older than this go. */
  retentionUs?: number
  /** A head is sealed once it holds so many rows or bytes. */
  sealRows?: number
  sealBytes?: number
  /** What seals heads; by default this thread. */
  sealer?: Sealer
  /** Bytes that results of sealed segments may take, to be used again. */
  partialCacheBytes?: number
  groupingLimits?: GroupingLimits
}

/** The embedded engine, and what tests, benches and shutdown need of it beyond the interface. */
export interface ArrowEngine extends Engine {
  /** Seals every open head now. */
  seal(): Promise<void>
  /** Lets go of all results of sealed segments: the next run of a plan computes them anew. */
  clearPartialCache(): void
}

const RETENTION_US = 90 * DAY_US
const SEAL_ROWS = 2 ** 18
const SEAL_BYTES = 64 * MIB
/** Heads take at most this share of the limit each, so that sealing begins long before anything must go. */
const HEAD_SHARE = 1 / 16
/** And their journals this share of the disk. */
const JOURNAL_SHARE = 1 / 64
/** Results of sealed segments take so many bytes at most, and at most this share of what rows may take. */
const PARTIAL_CACHE_BYTES = 128 * MIB
const PARTIAL_CACHE_SHARE = 1 / 16
/** A cold file that is no longer than this share of a head holds about the texts of one: logs are six times as long. */
const RECOMPRESS_SHARE = 1 / 4
/** How often old days and unused memory are looked for. */
const UPKEEP_MS = MINUTE_US / 1000
/** A power cut costs the rows of so long at most. */
const SYNC_MS = 1000
/** How long a disk that is full or failing is left alone. */
const RETRY_MS = 1000

/** Rows as sorted, compressed, time-partitioned columns in this process's memory. */
export function createArrowEngine(options: ArrowEngineOptions): ArrowEngine {
  const { clock, metrics, rowsLimitBytes, retentionUs = RETENTION_US, sealRows = SEAL_ROWS } = options
  const { diskLimitBytes = Number.POSITIVE_INFINITY, groupingLimits = GROUPING_LIMITS } = options
  const { sealBytes = Math.min(SEAL_BYTES, rowsLimitBytes * HEAD_SHARE, diskLimitBytes * JOURNAL_SHARE) } = options
  const durable =
    options.disk === undefined
      ? undefined
      : keepOn(options.disk, options, () => columnLimit.enforce(limitBytes()), sealBytes * RECOMPRESS_SHARE)
  const partialCache = createPartialCache(
    options.partialCacheBytes ?? Math.min(PARTIAL_CACHE_BYTES, rowsLimitBytes * PARTIAL_CACHE_SHARE),
    metrics,
  )
  const followers = createFollowers()
  const store = createStore({
    sealRows,
    sealBytes,
    keeper: durable?.keeper,
    sealer: options.sealer,
    clock,
    onDrop: partialCache.dropParts,
    onAppend: followers.tell,
  })
  const columnLimit = createColumnLimit(store)
  metrics.rowsLimitBytes.set(rowsLimitBytes)
  const limitBytes = () => rowsLimitBytes - partialCache.bytes()
  const enforceLimits = () => {
    if (durable === undefined) return dropBeyondMemory(store, limitBytes(), metrics)
    columnLimit.enforce(limitBytes())
    dropBeyondDisk(store, durable.keeper.bytes, diskLimitBytes, metrics)
  }
  const stopUpkeep = clock.every(UPKEEP_MS, () => {
    enforceRetention(store, clock.nowUs(), retentionUs, metrics)
    enforceLimits()
    columnLimit.pass()
    store.trim('idle')
  })
  const stopRecompressing = durable && recompressInQuiet(clock, store, durable.keeper, options.log)
  const stopSync = durable?.syncEvery(SYNC_MS, clock, () => store.sealFailing())

  const run: Engine['run'] = async (plan, { signal, onScanStats } = {}) => {
    const shape = shapeOf(plan)
    if (shape === undefined) return inOrder([])
    const { parts, total, release } = store.view(shape.source, shape)
    const count = countWork(total, metrics)
    const run: Run = { parts, partialCache, yieldIfDue: createYielder(signal), ...count }
    if (shape.kind !== 'rows') {
      const running = shape.kind === 'groups' ? runGroups(shape, run, groupingLimits) : runBuckets(shape, run)
      const rows = await running.finally(release)
      onScanStats?.(count.work())
      return inOrder(rows)
    }
    const found = await runRows(shape, run).catch((error) => {
      release()
      throw error
    })
    onScanStats?.(count.work())
    return releasing(found, release)
  }

  return {
    async recover() {
      await durable?.recover(store)
    },
    writeFailure: () => durable?.trouble.current(),
    async append(batch) {
      await store.append(batch)
      enforceLimits()
    },
    run,
    async follow(followed, arrived) {
      const follower = followers.add(followed, arrived)
      return {
        async run(plan, options) {
          // The plan sees the rows of this moment.
          const { told } = follower
          return { rows: await run(plan, options), told }
        },
        stop: follower.stop,
      }
    },
    seal: () => store.sealAll(),
    clearPartialCache: () => partialCache.clear(),
    stats: () => store.stats(),
    // Here only a disk that cannot be written to holds anybody back.
    disableBackpressure() {},
    async close() {
      stopUpkeep()
      stopSync?.()
      durable?.trouble.giveUp()
      const recompressed = stopRecompressing?.()
      await store.close()
      await recompressed
      await durable?.close()
    },
  }
}

/** Counts what one run looks at, of so many parts. */
function countWork(parts: number, metrics: Pick<Metrics, 'scannedRows'>) {
  let rows = 0
  let opened = 0
  return {
    opening() {
      opened += 1
    },
    scanned(more: number) {
      rows += more
      metrics.scannedRows.inc(more)
    },
    work: (): ScanStats => ({ rows, segments: { total: parts, pruned: parts - opened } }),
  }
}

/** What an engine that keeps its rows on a disk has besides. */
function keepOn(
  { directory, files, release }: Disk,
  { metrics, log = () => {} }: ArrowEngineOptions,
  onLoad: () => void,
  recompressBytes: number,
) {
  const trouble = createTrouble(RETRY_MS, tellTrouble(directory, log))
  const keeper = createDiskKeeper(files, trouble, onLoad, recompressBytes)
  return {
    trouble,
    keeper,
    recover: (store: Store) =>
      keeper.recover(store, {
        damage(stretch) {
          metrics.damagedBytes.inc(stretch.bytes)
          log(describeDamage(directory, stretch), { level: 'error', code: 'journal_damaged', bytes: stretch.bytes })
        },
        unreadable(path, { message }) {
          metrics.damagedSegments.inc()
          log(`${directory}/${path} cannot be read, and its rows are not shown: ${message}`, {
            level: 'error',
            code: 'segment_damaged',
            path,
          })
        },
      }),
    /** A disk that takes longer to sync than the interval is not asked again meanwhile. */
    syncEvery(intervalMs: number, clock: Clock, done: () => void) {
      let isSyncing = false
      return clock.every(intervalMs, async () => {
        if (isSyncing) return
        isSyncing = true
        await keeper.sync()
        isSyncing = false
        done()
      })
    },
    async close() {
      await keeper.sync()
      await keeper.close()
      await release()
    },
  }
}

/** The rows, and `release` when they have been read, or are not wanted any more. */
async function* releasing(rows: AsyncIterable<Row>, release: () => void): AsyncIterable<Row> {
  try {
    yield* rows
  } finally {
    release()
  }
}

async function* inOrder(rows: readonly Row[]): AsyncIterable<Row> {
  yield* rows
}
