import { GIB, MIB } from '../../../base/units.js'

/** A head with this many rows or bytes is full, and sealed. */
export const SEAL_ROWS = 2 ** 18
export const SEAL_BYTES = 64 * MIB

/** A head takes at most this share of the memory limit, so that sealing starts long before eviction. */
const HEAD_SHARE = 1 / 16
/**
 * Full heads wait for the sealer with at most this share of the memory limit, and no more than a start reads from
 * journals within seconds. A burst is thus stored as fast as parsed, and sealed after the burst. If memory is scarce, a
 * single head waits: a query keeps until its end the heads that the query started with.
 */
const BACKLOG_SHARE = 1 / 4
const MAX_BACKLOG_BYTES = GIB
const SCARCE_BYTES = 512 * MIB
/** A head's journal takes at most this share of the disk limit. */
const JOURNAL_SHARE = 1 / 64

/** The limits of an engine of which the limits of heads follow. Tests pass smaller limits. */
interface EngineLimits {
  rowsLimitBytes: number
  diskLimitBytes?: number | undefined
  sealRows?: number | undefined
  sealBytes?: number | undefined
}

/** Returns when heads are full, and how many full heads may wait for the sealer. */
export function headLimitsOf({ rowsLimitBytes, diskLimitBytes = Number.POSITIVE_INFINITY, ...options }: EngineLimits) {
  const {
    sealRows = SEAL_ROWS,
    sealBytes = Math.min(SEAL_BYTES, rowsLimitBytes * HEAD_SHARE, diskLimitBytes * JOURNAL_SHARE),
  } = options
  const plentyBytes = Math.max(0, rowsLimitBytes - SCARCE_BYTES)
  const backlogBytes = Math.min(MAX_BACKLOG_BYTES, plentyBytes * BACKLOG_SHARE, diskLimitBytes * BACKLOG_SHARE)
  // Memory of batches that queries hold for long is freed in another order than allocated, which leaves gaps.
  return { sealRows, sealBytes, backlogBytes, holdsBatches: plentyBytes > 0 }
}
