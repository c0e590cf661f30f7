import { defineConfig } from 'vitest/config'

const SLOW = 'test/**/*.slow.test.ts'
const TIMED = 'test/**/*.timed.test.ts'
const WHOLE = ['test/program/**', 'test/clickhouse/**', 'test/page/**']
/** Packages of their own. */
const OTHERS = ['test/chdb/**', 'test/clients/**']
const MINUTES = 60_000
const setupFiles = ['test/support/seed.ts']

/** Tests one file at a time, since some of them look at the clock, or start what a machine has no room for twice. */
const alone = (
  name: string,
  groupOrder: number,
  test: { include: string[]; exclude?: string[]; testTimeout: number },
) => ({
  test: { name, setupFiles, hookTimeout: test.testTimeout, fileParallelism: false, sequence: { groupOrder }, ...test },
})

/**
 * `unit` tests run in shifted time zones too; `timed` ones are such tests that look at the clock; `program` tests run the
 * built program as a child; `clickhouse` ones start servers and `page` ones a browser, where these can be had; `slow` ones
 * are those that `npm test` has no time for.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles,
          include: ['test/**/*.test.ts'],
          exclude: [...WHOLE, ...OTHERS, SLOW, TIMED],
          testTimeout: MINUTES,
          sequence: { groupOrder: 0 },
        },
      },
      alone('timed', 1, { include: [TIMED], testTimeout: MINUTES }),
      alone('program', 2, { include: ['test/program/**/*.test.ts'], exclude: [SLOW], testTimeout: MINUTES }),
      alone('clickhouse', 3, { include: ['test/clickhouse/**/*.test.ts'], exclude: [SLOW], testTimeout: 5 * MINUTES }),
      alone('page', 4, { include: ['test/page/**/*.test.ts'], testTimeout: MINUTES }),
      alone('slow', 5, { include: [SLOW], testTimeout: 20 * MINUTES }),
    ],
  },
})
