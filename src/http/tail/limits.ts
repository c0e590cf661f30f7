import { DAY_US, KIB, MIB } from '../../base/units.js'

/** Limits of live tails. Tests use small values. */
export interface TailLimits {
  /** Open tails. */
  tails: number
  /** Bytes of the latest records that are buffered, of a single project and of all projects. */
  backlogBytes: number
  backlogsBytes: number
  /** Bytes of new records per second and project, and the burst. A project that exceeds the limit has no live tail. */
  receivedBytesPerS: number
  receivedBurstBytes: number
  /** Bytes sent to all readers together, per second and as a burst. */
  sentBytesPerS: number
  sentBurstBytes: number
  /** Stored rows that are sent first: to a new reader, to a reader that reconnects, and the bytes of the rows. */
  firstRows: number
  missedRows: number
  caughtUpBytes: number
  /** How far back a new reader's rows may be. */
  firstUs: number
  /** Bytes that are handed to the connection at once. */
  chunkBytes: number
  keepAliveMs: number
  /** How often the token of a tail is checked. The token registry knows a change after at most a second. */
  tokenCheckMs: number
  /** How long the records of a project are buffered after the last reader has left. */
  lingerMs: number
  /** How long a reader that is being dropped may take to read the reason. */
  endMs: number
}

/** The limits of the service. */
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
  tokenCheckMs: 500,
  lingerMs: 30_000,
  endMs: 1_000,
}

/**
 * The shares of the memory limit: the buffers of all projects, of a single project, and the stored rows of a reader.
 */
const BACKLOGS_SHARE = 1 / 16
const BACKLOG_SHARE = 1 / 32
const CAUGHT_UP_SHARE = 1 / 512

/** Returns the limits of a process with a memory limit. */
export function tailLimits(memoryLimitBytes: number): TailLimits {
  const { backlogsBytes, backlogBytes, caughtUpBytes } = TAIL_LIMITS
  return {
    ...TAIL_LIMITS,
    backlogsBytes: Math.min(backlogsBytes, memoryLimitBytes * BACKLOGS_SHARE),
    backlogBytes: Math.min(backlogBytes, memoryLimitBytes * BACKLOG_SHARE),
    caughtUpBytes: Math.min(caughtUpBytes, memoryLimitBytes * CAUGHT_UP_SHARE),
  }
}
