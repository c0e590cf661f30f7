/** Patterns and texts of the tests of RE2. */
export const RE2_TESTS: readonly { patterns: readonly string[]; texts: readonly string[] }[] = []
