import type { Accumulator } from './accumulator.js'

/** The number of rows so far, and of passing rows. */
export interface ShareState {
  passing: number
  rows: number
}

/** Sums the numbers of rows and of passing rows. */
export const shareAccumulator: Accumulator<ShareState, ShareState> = {
  create: () => ({ passing: 0, rows: 0 }),
  update: add,
  merge: add,
  bytes: () => 40,
}

function add(into: ShareState, from: ShareState): void {
  into.passing += from.passing
  into.rows += from.rows
}

/** Returns the fraction of the rows that pass, or null if there are no rows. */
export function shareOf({ passing, rows }: ShareState): number | null {
  return rows === 0 ? null : passing / rows
}
