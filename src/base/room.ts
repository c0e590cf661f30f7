/** The array itself, or one of at least twice its length with the first `used` items in it. */
export function withRoom<T extends Uint8Array | Uint32Array | Float64Array>(array: T, used: number, length: number): T {
  if (length <= array.length) return array
  const grown = new (array.constructor as new (length: number) => T)(Math.max(length, array.length * 2))
  grown.set(array.subarray(0, used))
  return grown
}
