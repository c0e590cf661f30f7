import { DAY_US, KIB, MIB } from '../../base/units.js'

/** What live tails may take. Each has a small value in tests. */
export interface TailLimits {
  /** Tails that are open at once. */
  tails: number
  /** Bytes of the latest records that are kept for those who read or come back: of a project, and of all together. */
  backlogBytes: number
  backlogsBytes: number
  /** A project that brings more bytes of records than that has no tail, but for a burst. */
  receivedBytesPerS: number
  receivedBurstBytes: number
  /** Bytes sent to all readers together; who gets too little of that is too slow. */
  sentBytesPerS: number
  sentBurstBytes: number
  /** Old records that a tail begins with: one that is new, and one that comes back; and the bytes of them. */
  firstRows: number
  missedRows: number
  caughtUpBytes: number
  /** How far back a tail that is new looks for them. */
  firstUs: number
  /** What is handed over at once. */
  chunkBytes: number
  keepAliveMs: number
  /** How long a project's records are kept when its last reader has left. */
  lingerMs: number
  /** How long a tail that is ended has to take what it is told. */
  endMs: number
}

export const TAIL_LIMITS: TailLimits = {
  tails: 64,
  backlogBytes: 12 * MIB,
  backlogsBytes: 36 * MIB,
  receivedBytesPerS: 4 * MIB,
  receivedBurstBytes: 16 * MIB,
  sentBytesPerS: 32 * MIB,
  sentBurstBytes: 2 * MIB,
  firstRows: 10,
  missedRows: 1_000,
  caughtUpBytes: 2 * MIB,
  firstUs: DAY_US,
  chunkBytes: 64 * KIB,
  keepAliveMs: 15_000,
  lingerMs: 30_000,
  endMs: 1_000,
}
