/**
 * The share of the full size that random and large tests have: 0.1 unless LOGWEIR_TEST_SCALE sets another share, which
 * may be greater than 1. `npm run test:slow` sets 1.
 */
const SCALE = Number(process.env.LOGWEIR_TEST_SCALE ?? 0.1)

/**
 * Returns the items that a table of tests has if the table repeats the items in several settings: all items at full
 * size, else every `of`-th item, with others for each `setting`, a whole number.
 */
export const partOf = <T>(items: readonly T[], of: number, setting: number): readonly T[] =>
  SCALE >= 1 ? items : items.filter((_, i) => (i + setting) % of === 0)

/** Returns how many runs a random test has, or how large an input is, given the full size. At least 1. */
export const runs = (full: number): number => Math.max(1, Math.round(full * SCALE))

/**
 * Returns `runs` of a random test of which a single run takes much time: all at full size, else a quarter of the share
 * that other tests have. At least 1.
 */
export const costlyRuns = (full: number): number => runs(SCALE >= 1 ? full : full / 4)
