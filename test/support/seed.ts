import fc from 'fast-check'
import { runs } from './runs.js'

/** The seed that the environment sets for random tests: a whole number below 2^31. */
const given = process.env.LOGWEIR_TEST_SEED

const seed = given === undefined ? Date.now() % 1e9 : Number(given)

/**
 * Returns the seed for tests with a generator of their own: the seed of the environment, else a new seed for each file.
 */
export const testSeed = (): number => seed

/** The runs of a property that says no number. */
const RUNS = runs(300)

// This file is the setup of each vitest project, so that fast-check uses the seed too.
fc.configureGlobal({ numRuns: RUNS, ...(given !== undefined && { seed: Number(given) }) })
