import { latin1 } from '../../base/text/ascii.js'

/** Returns the JSON number in bytes[start, end) as the nearest double, NaN if that is not finite. */
export function doubleOf(bytes: Uint8Array, start: number, end: number): number {
  const value = Number(latin1(bytes, start, end))
  return Number.isFinite(value) ? value : Number.NaN
}
