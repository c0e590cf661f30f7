const RADIX_BITS = 16
const RADIX = 1 << RADIX_BITS

/** Returns the rows [0, rows) in ascending order. */
export function identity(rows: number): Uint32Array {
  const order = new Uint32Array(rows)
  for (let i = 0; i < rows; i++) order[i] = i
  return order
}

/** Returns `order` sorted by `keys[row]`, stable for equal keys. Keys are in [0, keyCount). The cost is linear. */
export function countingSort(order: Uint32Array, keys: Uint32Array, keyCount: number): Uint32Array {
  const starts = countKeys(order, keys, new Uint32Array(keyCount + 1))
  for (let key = 0; key < keyCount; key++) starts[key + 1] += starts[key]
  return placeRows(order, keys, starts, new Uint32Array(order.length))
}

// Functions that end with their loop: V8 discards code that was compiled in a loop at the first statement after the
// loop.

function countKeys(order: Uint32Array, keys: Uint32Array, counts: Uint32Array): Uint32Array {
  for (let i = 0; i < order.length; i++) counts[keys[order[i]] + 1]++
  return counts
}

function placeRows(order: Uint32Array, keys: Uint32Array, starts: Uint32Array, sorted: Uint32Array): Uint32Array {
  for (let i = 0; i < order.length; i++) sorted[starts[keys[order[i]]]++] = order[i]
  return sorted
}

/**
 * Returns the rows in ascending order of `times`, stable for equal times. Times are integers of at most 48 bits above
 * `least`. A radix sort: linear cost, and a single check if the rows are sorted already.
 */
export function sortByTime(times: Float64Array, rows: number, least: number, greatest: number): Uint32Array {
  let order = identity(rows)
  if (isAscending(times, rows)) return order
  const digits = new Uint32Array(rows)
  for (let unit = 1; unit <= greatest - least; unit *= RADIX) {
    for (let row = 0; row < rows; row++) digits[row] = Math.floor((times[row] - least) / unit) % RADIX
    order = countingSort(order, digits, RADIX)
  }
  return order
}

function isAscending(times: Float64Array, rows: number): boolean {
  for (let row = 1; row < rows; row++) if (times[row] < times[row - 1]) return false
  return true
}
