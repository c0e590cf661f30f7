import type { Effort } from '../segment/cold.js'

/**
 * Cancellation flag that two threads share: a single number, 0 until the flag is cancelled. A sealer that has a flag
 * compresses with high effort. Once the flag is cancelled, the sealer finishes with low effort or stops.
 */
export type CancellationFlag = Int32Array<SharedArrayBuffer>

/** Returns a flag that is not cancelled. */
export const createCancellationFlag = (): CancellationFlag =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Cancels the work that checks the flag, on any thread. Cancelling twice has no further effect. */
export function cancel(flag: CancellationFlag): void {
  Atomics.store(flag, 0, 1)
}

/** Returns `high` if there is a flag that is not cancelled, else `low`. */
export const effortOf = (flag: CancellationFlag | undefined): Effort =>
  flag !== undefined && Atomics.load(flag, 0) === 0 ? 'high' : 'low'
