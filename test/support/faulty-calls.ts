import { runs } from './runs.js'
import { testSeed } from './seed.js'

/** An odd number, since tests do something else at every second call. */
const STEP = runs(10) < 10 ? 5 : 1

/**
 * Returns the numbers of the calls at which a test makes a disk fail, each in a separate run: all calls at full size,
 * else every fifth call, which other seeds complete. Does not end. The test ends when the call is not reached.
 */
export function* faultyCalls(): Generator<number, void> {
  for (let call = testSeed() % STEP; ; call += STEP) yield call
}
