import type { Log } from '../../../base/log.js'
import type { Metrics } from '../../../base/metrics.js'
import type { Clock } from '../../../base/time/clock.js'
import type { DataDirectory } from '../../disk/directory/open.js'
import { createDiskRetry, reportDiskState } from '../../disk/files/disk-retry.js'
import { compactWhenIdle } from '../compaction/compaction.js'
import type { DiskSegment } from '../files/disk-segment.js'
import type { HeadId } from '../files/file-names.js'
import type { RowsToRead } from '../files/inventory.js'
import { createDiskPersistence } from '../persistence/disk-persistence.js'
import { reportDamage } from '../persistence/report-damage.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { Store } from '../tables/store.js'

/** Wait before a write is retried on a full or failing disk. */
const RETRY_MS = 1000

/** The parts that only an engine with a disk has. */
export type Durability = ReturnType<typeof createDurability>

/** The callbacks of an engine with a disk. */
interface DurabilityHooks {
  /** Called when columns were loaded into memory. */
  onLoad(): void
  /** Called with a damaged segment. */
  setAside(segment: SegmentHandle): void
  /** Whether a head of an earlier process accepts no more rows. */
  isClosed(id: HeadId): boolean
}

/** Creates the parts that only an engine with a disk has: retries, persistence, recovery, fsync. */
export function createDurability(
  { directory, files, release }: DataDirectory,
  { metrics, log = () => {}, toRead }: { metrics: Metrics; log?: Log | undefined; toRead?: RowsToRead | undefined },
  { onLoad, setAside, isClosed }: DurabilityHooks,
  headBytes: number,
) {
  const diskRetry = createDiskRetry(RETRY_MS, reportDiskState(directory, log))
  const report = reportDamage(directory, metrics, log)
  const onDamage = (segment: DiskSegment, error: Error) => {
    setAside(segment)
    report.unreadable(segment.path, error)
  }
  const onPathDamage = ({ path }: DiskSegment, error: Error) => report.pathColumns(path, error)
  const persistence = createDiskPersistence(files, diskRetry, { onLoad, onDamage, onPathDamage, isClosed }, headBytes)
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
