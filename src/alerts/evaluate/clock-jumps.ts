import type { Clock } from '../../base/time/clock.js'
import { MILLISECOND_US } from '../../base/units.js'
import { JUMP_US } from '../states/timing.js'

/** Returns a function that returns whether the wall clock has jumped since the last call, by more than a minute. */
export function createJumpDetector(clock: Clock): () => boolean {
  const aheadUs = () => clock.nowUs() - clock.monotonicMs() * MILLISECOND_US
  let before = aheadUs()
  return () => {
    const now = aheadUs()
    const hasJumped = Math.abs(now - before) > JUMP_US
    // A clock that is slewed never jumps.
    before = now
    return hasJumped
  }
}
