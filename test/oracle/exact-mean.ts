/** Every finite double is a whole multiple of 2 to the -1074. */
const SMALLEST_SHIFT = 1074n

/** Returns the mean of finite doubles, exact but for a single rounding to the nearest double, ties to even. */
export function exactMean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + asMultiple(value), 0n)
  return nearestDouble(sum, BigInt(values.length) << SMALLEST_SHIFT)
}

/** Returns a double as a multiple of the smallest double. */
function asMultiple(value: number): bigint {
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0]!
  const exponent = (bits >> 52n) & 0x7ffn
  const fraction = bits & 0xf_ffff_ffff_ffffn
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n)
  return value < 0 ? -magnitude : magnitude
}

/** Returns numerator / denominator as a double. A subnormal result may be rounded twice. */
export function nearestDouble(numerator: bigint, denominator: bigint): number {
  if (numerator < 0n) return -nearestDouble(-numerator, denominator)
  // If there is a remainder, the last bit of a quotient of over 64 bits is set, so that Number() rounds correctly.
  const shift = bitLength(denominator) - bitLength(numerator) + 66
  const [above, below] =
    shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)]
  const quotient = (above / below) | (above % below === 0n ? 0n : 1n)
  return timesPowerOfTwo(Number(quotient), -shift)
}

const bitLength = (value: bigint) => value.toString(2).length

/** Multiplies in two steps, since 2 to the power alone may exceed every double. */
function timesPowerOfTwo(value: number, power: number): number {
  const half = Math.trunc(power / 2)
  return value * 2 ** half * 2 ** (power - half)
}
