/** A fast random generator: uniform in [0, 1), the same sequence for the same seed. */
export type Random = () => number

/** Tommy Ettinger's mulberry32 (public domain). */
export function mulberry32(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const below = (random: Random, end: number): number => Math.floor(random() * end)
export const oneOf = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)]!
