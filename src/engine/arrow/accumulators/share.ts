import type { Accumulator } from './accumulator.js'

export interface ShareState {
  passing: number
  rows: number
}

/** Adds up how many rows there are, and how many of them pass. */
export const shareAccumulator: Accumulator<ShareState, ShareState> = {
  create: () => ({ passing: 0, rows: 0 }),
  update: add,
  merge: add,
  bytes: () => 24,
}

function add(into: ShareState, from: ShareState): void {
  into.passing += from.passing
  into.rows += from.rows
}

/** The part of the rows that pass, or null where there was none. */
export function shareOf({ passing, rows }: ShareState): number | null {
  return rows === 0 ? null : passing / rows
}
