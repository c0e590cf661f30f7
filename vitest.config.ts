import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const SLOW = 'test/**/*.slow.test.ts'
const TIMED = 'test/**/*.timed.test.ts'
const WHOLE = ['test/program/**', 'test/clickhouse/**', 'test/page/**']
/** Packages apart from this one. */
const OTHERS = ['test/chdb/**', 'test/clients/**']
const MINUTE_MS = 60_000
const setupFiles = ['test/support/seed.ts']

/** A project that runs one file at a time, since its tests measure time, or start what a machine has no room for twice. */
const alone = (
  name: string,
  groupOrder: number,
  test: { include: string[]; exclude?: string[]; testTimeout: number },
) => ({
  test: { name, setupFiles, hookTimeout: test.testTimeout, fileParallelism: false, sequence: { groupOrder }, ...test },
})

/**
 * `unit` tests run in other time zones too; `timed` are unit tests that measure time; `program` tests run the built program
 * as a child process; `clickhouse` tests start servers and `page` tests a browser, if these are installed; `slow` are those
 * that `npm test` has no time for.
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
          testTimeout: MINUTE_MS,
          // One for each core; by default vitest leaves one core idle.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      alone('timed', 1, { include: [TIMED], testTimeout: MINUTE_MS }),
      alone('program', 2, { include: ['test/program/**/*.test.ts'], exclude: [SLOW], testTimeout: MINUTE_MS }),
      alone('clickhouse', 3, {
        include: ['test/clickhouse/**/*.test.ts'],
        exclude: [SLOW],
        testTimeout: 5 * MINUTE_MS,
      }),
      alone('page', 4, { include: ['test/page/**/*.test.ts'], testTimeout: MINUTE_MS }),
      alone('slow', 5, { include: [SLOW], testTimeout: 20 * MINUTE_MS }),
    ],
  },
})
