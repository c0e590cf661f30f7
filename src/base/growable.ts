import { KIB, MIB } from './units.js'

/** The array itself, or one of at least twice its length with the first `used` items in it. */
export function withRoom<T extends Uint8Array | Uint32Array | Float64Array>(array: T, used: number, length: number): T {
  if (length <= array.length) return array
  const roomy = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2))
  roomy.set(array.subarray(0, used))
  return roomy
}

/** Addresses that growing bytes may grow into; memory is taken as they do. */
const MOST_BYTES = 256 * MIB
const LEAST_BYTES = 16 * KIB
/** Growing moves nothing, so that little room ahead will do. */
const AHEAD_SHARE = 1 / 4

/**
 * Bytes that grow where they stand, so that who has taken them sees what stands there, and nothing is outgrown; only beyond
 * 256 MiB they move. V8 does not count such memory and is in no hurry to collect it: who lets go of it frees it.
 */
export function grown(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes
  const { buffer } = bytes
  const roomy = Math.max(LEAST_BYTES, Math.ceil(length * (1 + AHEAD_SHARE)))
  if (roomy <= buffer.maxByteLength && buffer.resizable) {
    buffer.resize(roomy)
    return bytes
  }
  const moved = new Uint8Array(new ArrayBuffer(roomy, { maxByteLength: Math.max(MOST_BYTES, 2 * roomy) }))
  moved.set(bytes)
  return moved
}
