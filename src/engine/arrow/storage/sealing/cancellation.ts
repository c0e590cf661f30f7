import type { Effort } from '../segment/cold.js'

/** That there is time to seal a head well: one shared number, so that who waits can end it while another thread seals. */
export type CancellationFlag = Int32Array<SharedArrayBuffer>

export const createCancellationFlag = (): CancellationFlag =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1)

export function cancel(cancellation: CancellationFlag): void {
  Atomics.store(cancellation, 0, 0)
}

export const effortOf = (cancellation: CancellationFlag | undefined): Effort =>
  cancellation !== undefined && Atomics.load(cancellation, 0) === 1 ? 'high' : 'low'
