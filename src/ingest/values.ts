import { AREAS } from '../engine/schema.js'
import { latin1, NINE, ZERO } from './bytes.js'

/** The values of hot fields, read from their bytes. */

/** The JSON number in bytes[start, end) as the nearest double; NaN where that is not finite. */
export function doubleOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > 15) return finite(Number(latin1(bytes, start, end)))
  let value = 0
  for (let p = start; p < end; p++) {
    if (bytes[p]! < ZERO || bytes[p]! > NINE) return finite(Number(latin1(bytes, start, end)))
    value = value * 10 + (bytes[p]! - ZERO)
  }
  return value
}

const finite = (value: number): number => (Number.isFinite(value) ? value : Number.NaN)

const NEEDLES = AREAS.map((area) => Uint8Array.from(Buffer.from(area)))
/** 1 for the bytes that areas start with. */
const STARTS = new Uint8Array(256)
for (const needle of NEEDLES) STARTS[needle[0]!] = 1

/** One bit for each of AREAS that bytes[start, end) hold, bit 0 for the first. */
export function areasOf(bytes: Uint8Array, start: number, end: number): number {
  let flags = 0
  for (let p = start; p < end; p++) {
    if (STARTS[bytes[p]!] === 0) continue
    for (let i = 0; i < NEEDLES.length; i++) if (startsWith(bytes, p, end, NEEDLES[i]!)) flags |= 1 << i
  }
  return flags
}

function startsWith(bytes: Uint8Array, start: number, end: number, needle: Uint8Array): boolean {
  if (end - start < needle.length) return false
  for (let i = 0; i < needle.length; i++) if (bytes[start + i] !== needle[i]) return false
  return true
}
