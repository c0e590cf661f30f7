/**
 * The share of the full size that random and large tests have: 0.1 unless LOGWEIR_TEST_SCALE sets another one, which
 * may be greater than 1. `npm run test:slow` sets 1.
 */
const SCALE = Number(process.env.LOGWEIR_TEST_SCALE ?? 0.1)

/**
 * Returns the items that a table of tests has if it repeats them in several settings: all at full size, else every
 * `of`-th, with others for each `setting`, a whole number.
 */
export const partOf = <T>(items: readonly T[], of: number, setting: number): readonly T[] =>
  SCALE >= 1 ? items : items.filter((_, i) => (i + setting) % of === 0)

/** Returns how many runs a random test has, or how large an input is, given its full size. At least 1. */
export const runs = (full: number): number => Math.max(1, Math.round(full * SCALE))
