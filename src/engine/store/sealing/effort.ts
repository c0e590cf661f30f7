import type { Clock } from '../../../base/time/clock.js'
import { MIB } from '../../../base/units.js'
import { type CancellationFlag, cancel, createCancellationFlag } from './cancellation.js'

/**
 * Bytes per second of a single source. High effort for a head that filled no faster takes at most a twelfth of a core.
 */
const SLOW_RATE = 4 * MIB

/** After a head that was sealed with low effort, compaction waits this long. */
const IDLE_MS = 10_000

/**
 * Decides between high and low effort. At most one flag is in use. The flag in use is cancelled when the next head is
 * to be sealed, and when the policy is closed.
 */
export interface EffortPolicy {
  /** Whether a head with that many bytes filled slowly enough for high effort since its first row, at `sinceMs`. */
  isSlow(bytes: number, sinceMs: number): boolean
  /**
   * Returns the flag for a head to be sealed. Undefined, which means low effort, if the head filled fast or others
   * wait.
   */
  startHead(isSlow: boolean, othersWait: boolean): CancellationFlag | undefined
  /** Whether a head was sealed with low effort less than 10 s ago, since rows arrive fast. */
  isBusy(): boolean
  /** Returns the flag for a compaction. Undefined if a head was sealed with low effort less than 10 s ago. */
  startCompaction(): CancellationFlag | undefined
  /** Cancels the flag in use. From now on every effort is low, and no compaction starts. */
  close(): void
}

/** Returns a policy as if a head had been sealed with low effort just now. */
export function createEffortPolicy(clock: Pick<Clock, 'monotonicMs'>): EffortPolicy {
  let inUse: CancellationFlag | undefined
  let lastLowEffortMs = clock.monotonicMs()
  let isClosed = false

  function nextFlag(): CancellationFlag | undefined {
    if (!isClosed) inUse = createCancellationFlag()
    return inUse
  }

  function cancelInUse(): void {
    if (inUse !== undefined) cancel(inUse)
    inUse = undefined
  }

  const isBusy = () => clock.monotonicMs() - lastLowEffortMs < IDLE_MS

  return {
    isBusy,
    isSlow: (bytes, sinceMs) => bytes * 1000 <= SLOW_RATE * (clock.monotonicMs() - sinceMs),
    startHead(isSlow, othersWait) {
      cancelInUse()
      if (!isSlow) lastLowEffortMs = clock.monotonicMs()
      return isSlow && !othersWait ? nextFlag() : undefined
    },
    startCompaction: () => (isBusy() ? undefined : nextFlag()),
    close() {
      isClosed = true
      cancelInUse()
    },
  }
}
