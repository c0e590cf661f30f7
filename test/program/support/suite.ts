import { afterAll, beforeAll } from 'vitest'

type Kill = () => Promise<void>
/** Receives the function that kills a program. */
export type AtEnd = (kill: Kill) => void

/**
 * Runs `start` once before the tests of a suite, and kills the program afterwards: for tests that do not change the
 * state that other tests need. `start` passes the given function to the program as `atEnd`. Returns a getter of the
 * result.
 */
export function startForSuite<T>(start: (atEnd: AtEnd) => Promise<T>): () => T {
  let started: T | undefined
  let kill: Kill | undefined
  beforeAll(async () => {
    started = await start((given) => {
      kill = given
    })
  })
  afterAll(() => kill?.())
  return () => started!
}
