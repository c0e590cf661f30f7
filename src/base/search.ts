/** How many of `values[low .. high)`, which ascend, and of those before are below `pivot`: the place of the first that is not. */
export function countBelow(values: Float64Array | Uint32Array, pivot: number, low = 0, high = values.length): number {
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! < pivot) low = middle + 1
    else high = middle
  }
  return low
}
