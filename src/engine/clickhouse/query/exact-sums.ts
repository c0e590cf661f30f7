import type { Cell } from '../server/clickhouse-server.js'

/** Every finite double is a whole multiple of 2 to the -1074. */
const SMALLEST_SHIFT = 1074
const HALF_BITS = 26n
/** Bits of a quotient: more than the precision of a double. */
const QUOTIENT_BITS = 64

/** The sum and the mean of a group. */
export interface ExactSum {
  sum: number
  mean: number
}

/**
 * Returns the sum and the mean of each group, by the JSON of the group's keys. `rows` have keys, the exponent, the sums
 * of the upper and the lower halves of the mantissas, and the number of mantissas. Exact but for the last two bits of a
 * double.
 */
export function exactSums(rows: readonly (readonly Cell[])[], keys: number): Map<string, ExactSum> {
  const totals = new Map<string, { sum: bigint; count: bigint }>()
  for (const cells of rows) {
    const [exponent, upper, lower, count] = cells.slice(keys)
    const key = JSON.stringify(cells.slice(0, keys))
    const total = totals.get(key) ?? { sum: 0n, count: 0n }
    const mantissas = (BigInt(upper!) << HALF_BITS) + BigInt(lower!)
    // Exponents 0 and 1 have the same unit: exponent 0 is of subnormal numbers, which lack the leading bit.
    total.sum += mantissas << BigInt(Math.max(1, Number(exponent)) - 1)
    total.count += BigInt(count!)
    totals.set(key, total)
  }
  return new Map(
    [...totals].map(([key, { sum, count }]) => [
      key,
      { sum: quotient(sum, 1n, SMALLEST_SHIFT), mean: quotient(sum, count, SMALLEST_SHIFT) },
    ]),
  )
}

/** Returns `numerator / denominator / 2 ** shift`. The numerator may exceed every double. */
function quotient(numerator: bigint, denominator: bigint, shift: number): number {
  if (numerator < 0n) return -quotient(-numerator, denominator, shift)
  const excess = Math.max(0, numerator.toString(2).length - denominator.toString(2).length - QUOTIENT_BITS)
  const bits = Number((numerator << BigInt(QUOTIENT_BITS)) / (denominator << BigInt(excess)))
  return timesPowerOfTwo(bits, excess - QUOTIENT_BITS - shift)
}

/** Multiplies in two steps, since 2 to the power alone may exceed every double. */
function timesPowerOfTwo(value: number, power: number): number {
  const half = Math.trunc(power / 2)
  return value * 2 ** half * 2 ** (power - half)
}
