import type { Log } from '../../../base/log.js'
import type { Clock } from '../../../base/time/clock.js'
import type { DiskPersistence } from '../persistence/disk-persistence.js'
import type { IdleWork } from '../sealing/sealer.js'

/** Interval of checks for idle time. */
const CHECK_MS = 1000
/** Compaction takes at most 1 / `SHARE` of a core's time. */
const SHARE = 8
/** Pause after an error, for example of a full disk. */
const RETRY_MS = 60_000

/** Lends the sealer to work that stops when its flag is cancelled. Does nothing while the store is not idle. */
export interface IdleSealer {
  whenIdle(work: IdleWork): Promise<void>
}

interface State {
  clock: Clock
  store: IdleSealer
  persistence: Pick<DiskPersistence, 'compactNext'>
  log: Log
  /** The compaction that runs now. */
  running: Promise<void> | undefined
  /** No compaction starts before this time of the monotonic clock. */
  pausedUntilMs: number
}

/**
 * Compacts the files of segments that were sealed with low effort, in succession, while the store is idle. Returns a
 * function that stops compaction. Its promise resolves when no compaction runs any more. A running compaction is
 * cancelled when a head is to be sealed.
 */
export function compactWhenIdle(
  clock: Clock,
  store: IdleSealer,
  persistence: Pick<DiskPersistence, 'compactNext'>,
  log: Log = () => {},
): () => Promise<void> {
  const state: State = { clock, store, persistence, log, running: undefined, pausedUntilMs: 0 }
  const stopTimer = clock.every(CHECK_MS, () => {
    if (state.running === undefined && clock.monotonicMs() >= state.pausedUntilMs) state.running = compactOne(state)
  })
  return async () => {
    stopTimer()
    await state.running
  }
}

async function compactOne(state: State): Promise<void> {
  const { clock, store, persistence, log } = state
  const startMs = clock.monotonicMs()
  try {
    await store.whenIdle((sealer, cancellation) =>
      persistence.compactNext((cold) => sealer.compact(cold, cancellation)),
    )
    state.pausedUntilMs = clock.monotonicMs() + (clock.monotonicMs() - startMs) * (SHARE - 1)
  } catch (error) {
    state.pausedUntilMs = clock.monotonicMs() + RETRY_MS
    log(`Sealed rows cannot be compacted and stay as they are: ${(error as Error).message}`, {
      level: 'warn',
      code: 'recompressing_failed',
    })
  }
  state.running = undefined
}
