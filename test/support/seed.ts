import fc from 'fast-check'

/** Where random tests begin, if the run was told so: a whole number below 2^31. */
const given = process.env.LOGWEIR_TEST_SEED

/** Where a random test that draws for itself begins: as the run was told, else anywhere. */
export const testSeed = (): number => (given === undefined ? Date.now() % 1e9 : Number(given))

// As each project's setup this file lets fast-check's properties begin there too.
if (given !== undefined) fc.configureGlobal({ seed: Number(given) })
