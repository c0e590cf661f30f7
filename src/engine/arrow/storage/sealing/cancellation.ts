import type { Effort } from '../segment/cold.js'

/** That there is time to seal a head well: one shared number, so that who waits can end it while another thread seals. */
export type Patience = Int32Array<SharedArrayBuffer>

export const createPatience = (): Patience =>
  new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1)

export function endPatience(patience: Patience): void {
  Atomics.store(patience, 0, 0)
}

export const effortOf = (patience: Patience | undefined): Effort =>
  patience !== undefined && Atomics.load(patience, 0) === 1 ? 'high' : 'low'
