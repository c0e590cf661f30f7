const RADIX_BITS = 16
const RADIX = 1 << RADIX_BITS

/** The rows [0, rows) in the order in which they stand. */
export function identity(rows: number): Uint32Array {
  const order = new Uint32Array(rows)
  for (let i = 0; i < rows; i++) order[i] = i
  return order
}

/** Reorders `order` so that `keys[order[i]]` ascends; rows of equal keys keep their places. Keys lie in [0, keyCount). */
export function countingSort(order: Uint32Array, keys: Uint32Array, keyCount: number): Uint32Array {
  const starts = new Uint32Array(keyCount + 1)
  for (let i = 0; i < order.length; i++) starts[keys[order[i]!]! + 1]!++
  for (let key = 0; key < keyCount; key++) starts[key + 1]! += starts[key]!
  const sorted = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) sorted[starts[keys[order[i]!]!]!++] = order[i]!
  return sorted
}

/** The rows in ascending order of `times`, integers of at most 48 bits above `least`; equal ones keep their places. */
export function sortByTime(times: Float64Array, rows: number, least: number, greatest: number): Uint32Array {
  let order = identity(rows)
  if (isAscending(times, rows)) return order
  const digits = new Uint32Array(rows)
  for (let unit = 1; unit <= greatest - least; unit *= RADIX) {
    for (let row = 0; row < rows; row++) digits[row] = Math.floor((times[row]! - least) / unit) % RADIX
    order = countingSort(order, digits, RADIX)
  }
  return order
}

function isAscending(times: Float64Array, rows: number): boolean {
  for (let row = 1; row < rows; row++) if (times[row]! < times[row - 1]!) return false
  return true
}
