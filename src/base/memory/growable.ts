import { KIB, MIB } from '../units.js'

/**
 * Returns the array if the array has room for `length` items, else a copy of the first `used` items with at least twice
 * the room.
 */
export function ensureCapacity<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(
  array: T,
  used: number,
  length: number,
): T {
  if (length <= array.length) return array
  const grown = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2))
  grown.set(array.subarray(0, used))
  return grown
}

/** Address space reserved for growth. The system commits memory only as the bytes grow. */
const MAX_BYTES = 256 * MIB
const MIN_BYTES = 16 * KIB
/** Spare capacity after growing. A quarter suffices, because growing in place copies nothing. */
const SPARE_SHARE = 1 / 4

/**
 * Returns the bytes with room for `length`. The bytes grow in place, so existing views stay valid. Beyond 256 MiB the
 * bytes are copied. V8 does not count such memory and collects it late: the owner must release the memory with `free`.
 */
export function growInPlace(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= bytes.length) return bytes
  const { buffer } = bytes
  const grownLength = Math.max(MIN_BYTES, Math.ceil(length * (1 + SPARE_SHARE)))
  if (grownLength <= buffer.maxByteLength && buffer.resizable) {
    buffer.resize(grownLength)
    return bytes
  }
  const moved = new Uint8Array(new ArrayBuffer(grownLength, { maxByteLength: Math.max(MAX_BYTES, 2 * grownLength) }))
  moved.set(bytes)
  return moved
}
