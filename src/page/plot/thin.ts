/**
 * Returns for each group of `size` consecutive buckets in [`from`, `to`) the index of the highest value, or -1 if the
 * group has no value. Drawing a mark per group thus keeps every peak, at its height.
 */
export function highestOf(values: Float64Array, from: number, to: number, size: number): Int32Array {
  const picked = new Int32Array(Math.ceil((to - from) / size)).fill(-1)
  for (let i = from; i < to; i++) {
    const mark = Math.floor((i - from) / size)
    const best = picked[mark]
    if (best < 0 ? !Number.isNaN(values[i]) : values[i] > values[best]) picked[mark] = i
  }
  return picked
}

/** Returns the sum of all series per bucket. NaN counts as 0. */
export function sumsOf(series: readonly Float64Array[], count: number): Float64Array {
  const sums = new Float64Array(count)
  for (const values of series) for (let i = 0; i < count; i++) sums[i] += values[i] || 0
  return sums
}
