import fc from 'fast-check'

/**
 * Returns a generator, uniform in [0, 1) and determined by the seed: a 32-bit counter, mixed by MurmurHash3's
 * last step.
 */
export function uniform(seed: number): () => number {
  let counter = seed | 0
  return () => {
    counter = (counter + 0x9e3779b9) | 0
    let mixed = counter
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32
  }
}

type Draw = (next: () => number) => number

const normal: Draw = (next) => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

/** Distributions of execution times for which digests had wrong results, and of values that no time has. */
export const DISTRIBUTIONS: Record<string, Draw> = {
  uniform: (next) => next() * 1000,
  'log-normal': (next) => Math.exp(4 + 2 * normal(next)),
  'whole numbers, some with a fraction': (next) => Math.floor(next() * 200) + (next() < 0.1 ? next() : 0),
  'all equal': () => 42.5,
  'two values, 95 to 5': (next) => (next() < 0.95 ? 3 : 2000),
  'two values, 97 to 3': (next) => (next() < 0.97 ? 3 : 2000),
  'two values side by side': (next) => (next() < 0.95 ? 1 : 1 + Number.EPSILON),
  'a heavy one amid near-equal ones': (next) => (next() < 0.4 ? 100.0001 : 100 + next() * 0.0002),
  'near-equal ones': (next) => 100 + next() * 1e-10,
  'near-equal ones, and one far away now and then': (next) => (next() < 0.001 ? 1e300 : 100 + next() * 1e-10),
  'both signs': (next) => normal(next) * 1e6,
  'zeros of both signs': (next) => (next() < 0.5 ? -0 : next() < 0.5 ? 0 : next() - 0.5),
  subnormal: (next) => Math.ceil(next() * 5000) * 5e-324,
  'around 1e308': (next) => (next() < 0.5 ? -1 : 1) * (1e308 + next() * 1e307),
  'of every size': (next) => (next() < 0.5 ? -1 : 1) * 2 ** (next() * 2098 - 1074),
}

const ORDERS = ['drawn', 'ascending', 'descending'] as const

export interface Sample {
  distribution: string
  order: (typeof ORDERS)[number]
  length: number
  seed: number
}

export function draw({ distribution, order, length, seed }: Sample): Float64Array {
  const next = uniform(seed)
  const values = Float64Array.from({ length }, () => DISTRIBUTIONS[distribution]!(next))
  if (order === 'drawn') return values
  return order === 'ascending' ? values.sort() : values.sort().reverse()
}

/** Samples of any distribution and order, of `minLength` to `maxLength` values, short and long equally often. */
export function arbitrarySample(minLength: number, maxLength: number): fc.Arbitrary<Sample> {
  const lengths = [minLength, (minLength + maxLength) >> 4, maxLength].filter((length) => length >= minLength)
  return fc.record({
    distribution: fc.constantFrom(...Object.keys(DISTRIBUTIONS)),
    order: fc.constantFrom(...ORDERS),
    length: fc.oneof(...lengths.map((max) => fc.integer({ min: minLength, max }))),
    seed: fc.integer(),
  })
}

/** Returns the value at rank ceil(percent / 100 * n) of sorted values. */
export const nearestRank = (sorted: Float64Array, percent: number) =>
  sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1]!

/** Returns the distance of a value's ranks from the wanted rank, in percentage points. Infinite if no rank has it. */
export function rankErrorPoints(sorted: Float64Array, percent: number, value: number | null): number {
  const first = sorted.indexOf(value ?? Number.NaN) + 1
  const last = sorted.lastIndexOf(value ?? Number.NaN) + 1
  const wanted = Math.max(1, Math.ceil((percent * sorted.length) / 100))
  if (first === 0) return Number.POSITIVE_INFINITY
  return (100 * Math.max(0, first - wanted, wanted - last)) / sorted.length
}
