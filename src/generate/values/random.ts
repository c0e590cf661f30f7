/**
 * A seeded generator of random numbers: the same seed generates the same numbers on every machine. The algorithm is
 * sfc32 of PractRand (Chris Doty-Humphrey), public domain.
 */
export interface Random {
  /** Returns an integer in [0, 2^32). */
  word(): number
  /** Returns an integer in [0, n). n is at most 2^32. */
  below(n: number): number
  /** Returns a double in [0, 1) with 32 random bits. */
  unit(): number
}

/** Creates a generator. Generators of the same seed with different `stream`s are independent. */
export function createRandom(seed: number, stream = 0): Random {
  // Typed state: plain numbers over 2^31 would be allocated on every draw.
  const state = Int32Array.of(seed, Math.floor(seed / 2 ** 32), stream, 1)
  const word = () => {
    const sum = (state[0] + state[1] + state[3]) | 0
    state[3] = state[3] + 1
    state[0] = state[1] ^ (state[1] >>> 9)
    state[1] = state[2] + (state[2] << 3)
    state[2] = ((state[2] << 21) | (state[2] >>> 11)) + sum
    return sum >>> 0
  }
  for (let round = 0; round < 15; round++) word()
  return { word, below: (n) => Math.floor((word() / 2 ** 32) * n), unit: () => word() / 2 ** 32 }
}

/** Returns an element of `values`, each with the same probability. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)]
}

/** Repeats each value by its weight, to pick from: `[['a', 3], ['b', 1]]` becomes `['a', 'a', 'a', 'b']`. */
export function repeatByWeight<T>(weights: readonly (readonly [value: T, times: number])[]): T[] {
  return weights.flatMap(([value, times]) => new Array<T>(times).fill(value))
}

/** Returns true with probability 1 / `n`. */
export function oneIn(random: Random, n: number): boolean {
  return random.below(n) === 0
}

/** Returns a log-normal value (Box-Muller). Half are below `median`. A larger `sigma` means a longer tail. */
export function logNormal(random: Random, median: number, sigma: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.unit()))
  return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * random.unit()))
}
