import type { Log } from '../../../base/log.js'
import type { Metrics } from '../../../base/metrics.js'
import type { Clock } from '../../../base/time/clock.js'
import type { DiskPersistence } from '../persistence/disk-persistence.js'
import type { IdleWork } from '../sealing/sealer.js'

/** Interval of checks for idle time. */
const CHECK_MS = 1000
/** Compaction takes at most an eighth of a core's time, and path columns, which take a tenth of the work, a half. */
const COMPACTION_SHARE = 1 / 8
const PATH_COLUMNS_SHARE = 1 / 2
/** Pause after an error, for example of a full disk. */
const RETRY_MS = 60_000

/** Lends the sealer to work that stops when its flag is cancelled. Does nothing while the store is not idle. */
export interface IdleSealer {
  whenIdle(work: IdleWork): Promise<void>
}

type IdleWorks = Pick<DiskPersistence, 'addNextPathColumns' | 'compactNext' | 'waiting'>

interface State {
  clock: Clock
  store: IdleSealer
  persistence: IdleWorks
  log: Log
  /** The work that runs now. */
  running: Promise<void> | undefined
  /** No work starts before this time of the monotonic clock. */
  pausedUntilMs: number
}

/**
 * While the store is idle, works on a segment at a time: adds path columns to segments without, then compacts the files
 * of segments that were sealed with low effort. Returns a function that stops. Its promise resolves when no work runs
 * any more. Running work is cancelled when a head is to be sealed.
 */
export function compactWhenIdle(
  clock: Clock,
  store: IdleSealer,
  persistence: IdleWorks,
  metrics: Pick<Metrics, 'waitingSegments'>,
  log: Log = () => {},
): () => Promise<void> {
  const state: State = { clock, store, persistence, log, running: undefined, pausedUntilMs: 0 }
  const stopTimer = clock.every(CHECK_MS, () => {
    const { pathColumns, compaction } = persistence.waiting()
    metrics.waitingSegments.set({ work: 'path_columns' }, pathColumns)
    metrics.waitingSegments.set({ work: 'compaction' }, compaction)
    if (state.running === undefined && clock.monotonicMs() >= state.pausedUntilMs) state.running = workOnOne(state)
  })
  return async () => {
    stopTimer()
    await state.running
  }
}

async function workOnOne(state: State): Promise<void> {
  const { clock, store, persistence, log } = state
  const startMs = clock.monotonicMs()
  try {
    let share = PATH_COLUMNS_SHARE
    await store.whenIdle(async (sealer, cancellation) => {
      if (await persistence.addNextPathColumns((cold) => sealer.makePathColumns(cold, cancellation))) return
      share = COMPACTION_SHARE
      await persistence.compactNext((cold) => sealer.compact(cold, cancellation))
    })
    state.pausedUntilMs = clock.monotonicMs() + (clock.monotonicMs() - startMs) * (1 / share - 1)
  } catch (error) {
    state.pausedUntilMs = clock.monotonicMs() + RETRY_MS
    log(`Sealed rows cannot be compacted and stay as they are: ${(error as Error).message}`, {
      level: 'warn',
      code: 'recompressing_failed',
    })
  }
  state.running = undefined
}
