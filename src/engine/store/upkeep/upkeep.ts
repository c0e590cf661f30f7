import type { Log } from '../../../base/log.js'
import type { Metrics } from '../../../base/metrics.js'
import type { Clock } from '../../../base/time/clock.js'
import { createSettledTime } from '../../../base/time/settled-time.js'
import { DAY_US, MINUTE_US } from '../../../base/units.js'
import type { RowLimits } from '../../deletion.js'
import type { Caches } from '../../execute/caches/caches.js'
import { createExpiry } from '../removal/expire.js'
import type { Turns } from '../removal/turns.js'
import type { SegmentHandle } from '../segment/handle.js'
import type { SegmentKeeper } from '../tables/keeper.js'
import type { Limits } from '../tables/limits.js'
import { enforceRetention } from '../tables/retention.js'
import type { Store } from '../tables/store.js'
import type { ProjectIndexes } from '../usage/project-indexes.js'
import type { Durability } from './durability.js'

/** Interval of retention and of freeing unused memory. */
const UPKEEP_MS = MINUTE_US / 1000
/** Interval of the check for fields that no query reads any more. */
const IDLE_CHECK_MS = 5_000
/** Interval of fsync: a power cut loses at most the rows of this time. */
const SYNC_MS = 1000
const RETENTION_US = 90 * DAY_US

/** The parts of an engine that need upkeep. */
interface UpkeepComponents {
  store: Store
  caches: Caches
  limits: Limits
  durable: Durability | undefined
  turns: Turns
  indexes: ProjectIndexes
  keeper: SegmentKeeper
}

/** The settings of upkeep. */
interface UpkeepOptions {
  clock: Clock
  metrics: Metrics
  log?: Log | undefined
  /** Days older than this are deleted. */
  retentionUs?: number | undefined
  /** How long rows are kept by project. */
  rowLimits?: RowLimits | undefined
}

/**
 * Starts the timers of retention, of freeing memory and of fsync. Returns a function that stops the timers, whose
 * promise resolves when no row is being removed any more.
 */
export function startUpkeep(options: UpkeepOptions, components: UpkeepComponents): () => Promise<void> {
  const { clock, rowLimits } = options
  const { store, caches, limits, durable } = components
  const expiring = rowLimits && startExpiry(options, rowLimits, components)
  const dropDays = retentionOf(options, store)
  const upkeep = () => {
    const settledUs = expiring?.removeDay()
    dropDays(settledUs ?? clock.nowUs())
    limits.nextInterval()
  }
  const stopTimers = [
    clock.every(UPKEEP_MS, upkeep),
    clock.every(IDLE_CHECK_MS, caches.fieldCache.dropIdle),
    durable?.syncEvery(SYNC_MS, clock, () => store.sealFailing()),
  ]
  return async () => {
    for (const stop of stopTimers) stop?.()
    await expiring?.stop()
  }
}

/** Returns a function that drops a day past the retention of all rows, and seals heads with rows of old days. */
function retentionOf({ retentionUs = RETENTION_US, rowLimits, metrics }: UpkeepOptions, store: Store) {
  return (nowUs: number) => {
    const newestUs =
      rowLimits === undefined ? [] : store.stats().map(({ source }) => rowLimits.newestHiddenUs(source, nowUs))
    void enforceRetention(store, nowUs, retentionUs, metrics, Math.max(...newestUs))
  }
}

/** Returns functions that remove rows past their limits, a day at a time, and that stop. */
function startExpiry(
  { clock, metrics, log = () => {} }: UpkeepOptions,
  limits: RowLimits,
  { store, turns, indexes, keeper }: UpkeepComponents,
) {
  const settled = createSettledTime()
  const stopping = new AbortController()
  const onRemoved = ({ source }: SegmentHandle, rows: number) =>
    metrics.evictedRows.inc({ source, limit: 'retention' }, rows)
  const expiry = createExpiry({ store, limits, indexes, keeper, turn: turns.run, onRemoved })
  let running = Promise.resolve()
  return {
    /** To be called each minute. Returns the settled time. */
    removeDay(): number {
      settled.record(clock.nowUs())
      const settledUs = settled.settledUs()
      running = expiry.removeDay(settledUs, stopping.signal).catch((error: Error) => {
        if (stopping.signal.aborted) return
        log(`Rows past their retention cannot be removed, and are hidden: ${error.message}`, {
          level: 'warn',
          code: 'removal_failed',
        })
      })
      return settledUs
    },
    async stop() {
      stopping.abort(new Error('The engine closes.'))
      await running
    },
  }
}
