import { MILLISECOND_US } from '../../../base/units.js'
import type { TimeColumn } from './batch.js'
import type { Codes } from './dictionary.js'

const UINT32_RANGE = 2 ** 32

/** Converts codes below `count` to the narrowest array type that fits, and returns an array of that type unchanged. */
export function narrowCodes(codes: Uint32Array, count: number): Codes {
  if (count <= 2 ** 8) return new Uint8Array(codes)
  return count <= 2 ** 16 ? new Uint16Array(codes) : codes
}

/**
 * Converts timestamps to 4-byte offsets in micro- or milliseconds if the time span allows it, else to 8-byte
 * offsets.
 */
export function narrowTimes(timestampsUs: Float64Array, minUs: number, maxUs: number): TimeColumn {
  const unitUs = unitOf(timestampsUs, minUs, maxUs)
  const offsets = unitUs === 0 ? new Float64Array(timestampsUs.length) : new Uint32Array(timestampsUs.length)
  const divisor = unitUs || 1
  for (let i = 0; i < offsets.length; i++) offsets[i] = (timestampsUs[i] - minUs) / divisor
  return { baseUs: minUs, unitUs: divisor, offsets }
}

/** Returns the unit of the offsets: 1 or 1,000 µs, or 0 if 4 bytes are not enough. */
function unitOf(timestampsUs: Float64Array, minUs: number, maxUs: number): number {
  if (maxUs - minUs < UINT32_RANGE) return 1
  if ((maxUs - minUs) / MILLISECOND_US >= UINT32_RANGE) return 0
  for (let i = 0; i < timestampsUs.length; i++) if ((timestampsUs[i] - minUs) % MILLISECOND_US !== 0) return 0
  return MILLISECOND_US
}
