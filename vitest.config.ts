import { defineConfig } from 'vitest/config'

const SLOW = 'test/**/*.slow.test.ts'
const MINUTES = 60_000

/**
 * `unit` tests run in shifted time zones too; `program` tests run the built program as a child, one file at a time, since
 * some of them look at the clock; `clickhouse` ones start servers, where these can be had; `slow` ones are those that
 * `npm test` has no time for.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/program/**', 'test/clickhouse/**', 'test/chdb/**', 'test/page/**', 'test/clients/**', SLOW],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'program',
          include: ['test/program/**/*.test.ts'],
          exclude: [SLOW],
          testTimeout: MINUTES,
          hookTimeout: MINUTES,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'page',
          include: ['test/page/**/*.test.ts'],
          testTimeout: MINUTES,
          hookTimeout: MINUTES,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'clickhouse',
          include: ['test/clickhouse/**/*.test.ts'],
          exclude: [SLOW],
          testTimeout: 5 * MINUTES,
          hookTimeout: 5 * MINUTES,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'slow',
          include: [SLOW],
          testTimeout: 20 * MINUTES,
          hookTimeout: MINUTES,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
