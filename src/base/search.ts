/**
 * Returns the index of the first of the ascending `values[low .. high)` that is not below `pivot`, or `high` if all
 * are. Binary search.
 */
export function countBelow(values: Float64Array | Uint32Array, pivot: number, low = 0, high = values.length): number {
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle] < pivot) low = middle + 1
    else high = middle
  }
  return low
}
