import { MILLISECOND_US } from '../../../base/units.js'
import type { TimeColumn } from './batch.js'
import type { Codes } from './dictionary.js'

const UINT32_RANGE = 2 ** 32

/** Codes below `count`, as narrow as they fit. */
export function narrowCodes(codes: Uint32Array, count: number): Codes {
  if (count <= 2 ** 8) return new Uint8Array(codes)
  return count <= 2 ** 16 ? new Uint16Array(codes) : codes
}

/** Timestamps as 4-byte offsets in micro- or milliseconds where the span allows it, else 8-byte ones. */
export function narrowTimes(timestampsUs: Float64Array, minUs: number, maxUs: number): TimeColumn {
  const unitUs = unitOf(timestampsUs, minUs, maxUs)
  const offsets = unitUs === 0 ? new Float64Array(timestampsUs.length) : new Uint32Array(timestampsUs.length)
  const divisor = unitUs || 1
  for (let i = 0; i < offsets.length; i++) offsets[i] = (timestampsUs[i]! - minUs) / divisor
  return { baseUs: minUs, unitUs: divisor, offsets }
}

/** 1, 1,000, or 0 where no 4-byte offset reaches. */
function unitOf(timestampsUs: Float64Array, minUs: number, maxUs: number): number {
  if (maxUs - minUs < UINT32_RANGE) return 1
  if ((maxUs - minUs) / MILLISECOND_US >= UINT32_RANGE) return 0
  for (let i = 0; i < timestampsUs.length; i++) if ((timestampsUs[i]! - minUs) % MILLISECOND_US !== 0) return 0
  return MILLISECOND_US
}
