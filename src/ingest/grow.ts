/** Typed arrays that grow by doubling. Each returns the array itself where it has room for `length` elements. */

export function doubledBytes(array: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= array.length) return array
  const grown = new Uint8Array(doubledLength(array.length, length))
  grown.set(array)
  return grown
}

export function doubledInts(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= array.length) return array
  const grown = new Int32Array(doubledLength(array.length, length))
  grown.set(array)
  return grown
}

export function doubledDoubles(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= array.length) return array
  const grown = new Float64Array(doubledLength(array.length, length))
  grown.set(array)
  return grown
}

function doubledLength(length: number, needed: number): number {
  let doubled = length
  while (doubled < needed) doubled *= 2
  return doubled
}
