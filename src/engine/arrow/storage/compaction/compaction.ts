import type { Clock } from '../../../../base/clock.js'
import type { Log } from '../../../../base/log.js'
import type { DiskPersistence } from '../persistence/disk-persistence.js'
import type { Store } from '../store/store.js'

/** How often it is looked whether there is time. */
const LOOK_MS = 1000
/** One part in so many of a core's time is taken at most. */
const SHARE = 8
/** How long it rests after an error, as of a full disk. */
const RETRY_MS = 60_000

/**
 * Makes the files smaller of what was sealed in a hurry, one segment after the other, while no rows come in a flood. What is
 * returned ends that, and resolves when nothing is under way; who seals heads meanwhile cuts it short.
 */
export function compactWhenIdle(
  clock: Clock,
  store: Pick<Store, 'whenIdle'>,
  persistence: Pick<DiskPersistence, 'compactNext'>,
  log: Log = () => {},
): () => Promise<void> {
  let underWay: Promise<void> | undefined
  let restsUntilMs = 0

  async function compactNext(): Promise<void> {
    const startMs = clock.monotonicMs()
    try {
      await store.whenIdle((sealer, cancellation) =>
        persistence.compactNext((cold) => sealer.compact(cold, cancellation)),
      )
      restsUntilMs = clock.monotonicMs() + (clock.monotonicMs() - startMs) * (SHARE - 1)
    } catch (error) {
      restsUntilMs = clock.monotonicMs() + RETRY_MS
      const { message } = error as Error
      log(`Sealed rows cannot be compressed anew, and stay as they are: ${message}`, {
        level: 'warn',
        code: 'recompressing_failed',
      })
    }
    underWay = undefined
  }

  const stop = clock.every(LOOK_MS, () => {
    if (underWay === undefined && clock.monotonicMs() >= restsUntilMs) underWay = compactNext()
  })
  return async () => {
    stop()
    await underWay
  }
}
