import type { Clock } from '../../../../base/clock.js'
import { MIB } from '../../../../base/units.js'
import { type CancellationFlag, cancel, createCancellationFlag } from './cancellation.js'

/** Bytes a second, of one source. A head that filled no faster is sealed well, which takes a twelfth of a core at this rate. */
const SLOW_RATE = 4 * MIB

/** How long after a head that was sealed in a hurry it is quiet. */
const QUIET_MS = 10_000

/** Gives out cancellation to what seals heads, one at a time; the one before ends when the next head is to be sealed. */
export interface EffortPolicy {
  /** Whether so many bytes that came since then leave time to seal them well. */
  isSlow(bytes: number, sinceMs: number): boolean
  /** For a head that is to be sealed; none where others wait already. */
  forHead(isSlow: boolean, othersWait: boolean): CancellationFlag | undefined
  /** For other work; none where a head was sealed in a hurry a moment ago. */
  forOther(): CancellationFlag | undefined
  /** From here on all is done in a hurry. */
  close(): void
}

export function createEffortPolicy(clock: Pick<Clock, 'monotonicMs'>): EffortPolicy {
  let given: CancellationFlag | undefined
  let hurriedMs = clock.monotonicMs()
  let isClosing = false

  function give(): CancellationFlag | undefined {
    if (!isClosing) given = createCancellationFlag()
    return given
  }

  function hurry(): void {
    if (given !== undefined) cancel(given)
    given = undefined
  }

  return {
    isSlow: (bytes, sinceMs) => bytes * 1000 <= SLOW_RATE * (clock.monotonicMs() - sinceMs),
    forHead(isSlow, othersWait) {
      hurry()
      if (!isSlow) hurriedMs = clock.monotonicMs()
      return isSlow && !othersWait ? give() : undefined
    },
    forOther: () => (clock.monotonicMs() - hurriedMs < QUIET_MS ? undefined : give()),
    close() {
      isClosing = true
      hurry()
    },
  }
}
