import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { runs } from './test/support/runs.js'

const SLOW = 'test/**/*.slow.test.ts'
const TIMED = 'test/**/*.timed.test.ts'
const ISOLATED = 'test/**/*.isolated.test.ts'
const PROGRAM = 'test/program/**'
const WHOLE = [PROGRAM, 'test/clickhouse/**', 'test/page/**']
/** Packages apart from this one. */
const OTHERS = ['test/chdb/**', 'test/clients/**']
const MINUTE_MS = 60_000
/** A minute, or ten at full size. */
const RANDOM_TIMEOUT_MS = Math.max(MINUTE_MS, runs(10) * MINUTE_MS)
const setupFiles = ['test/support/seed.ts', 'test/support/fast-equality.ts']
/** The files of a process share modules, and with them the list of sources: an own source beside the nine. */
const OWN_SOURCE = 'test/support/know-own-source.ts'
/** Polls of a page wait as long as a slow machine takes; a second by default. */
const POLLING = { poll: { timeout: 10_000 } }

interface Options {
  include: string[]
  exclude?: string[]
  testTimeout: number
  setupFiles?: string[]
  /** If false, the files that one worker runs share its modules, and the servers that these have started. */
  isolate?: boolean
}

/** A project that runs several files at once. Projects run one after the other, in ascending `groupOrder`. */
const parallel = (name: string, groupOrder: number, maxWorkers: number, { testTimeout, ...files }: Options) => ({
  test: {
    name,
    setupFiles,
    testTimeout,
    hookTimeout: testTimeout,
    maxWorkers,
    expect: POLLING,
    sequence: { groupOrder },
    ...files,
  },
})

/** A project that runs one file at a time, since its tests measure time or memory. */
const alone = (name: string, groupOrder: number, options: Options) => {
  const { test } = parallel(name, groupOrder, 1, options)
  return { test: { ...test, fileParallelism: false } }
}

/** A project whose files share a process for each worker: most of them take less time than loading their modules. */
const shared = ({ test }: ReturnType<typeof parallel>) => ({ test: { ...test, isolate: false } })

/**
 * Files of `unit` tests share processes, so that they must leave nothing behind, such as mocks; `isolated` tests
 * replace modules or measure the process, and have one for each file. `program` tests run the built program as a child
 * process; `timed` and `timed-program` are those of both that measure time or memory; `clickhouse` tests start servers
 * and `page` tests a browser, if these are installed; `slow` are those that `npm test` has no time for.
 */
export default defineConfig({
  test: {
    projects: [
      shared(
        // One worker for each core; by default vitest leaves one core idle.
        parallel('unit', 0, availableParallelism(), {
          include: ['test/**/*.test.ts'],
          exclude: [...WHOLE, ...OTHERS, SLOW, TIMED, ISOLATED],
          testTimeout: RANDOM_TIMEOUT_MS,
        }),
      ),
      parallel('isolated', 0, availableParallelism(), { include: [ISOLATED], testTimeout: RANDOM_TIMEOUT_MS }),
      alone('timed', 1, { include: [TIMED], exclude: [PROGRAM], testTimeout: MINUTE_MS }),
      // More than there are cores, since these tests wait most of the time. CI runs others beside them.
      parallel('program', 2, availableParallelism() + 1, {
        include: ['test/program/**/*.test.ts'],
        exclude: [SLOW, TIMED, ISOLATED],
        testTimeout: 3 * MINUTE_MS,
        isolate: false,
      }),
      alone('timed-program', 3, { include: ['test/program/**/*.timed.test.ts'], testTimeout: MINUTE_MS }),
      parallel('clickhouse', 4, 2, {
        include: ['test/clickhouse/**/*.test.ts'],
        exclude: [SLOW],
        setupFiles: [...setupFiles, OWN_SOURCE],
        testTimeout: 5 * MINUTE_MS,
        isolate: false,
      }),
      parallel('page', 5, 2, {
        include: ['test/page/**/*.test.ts'],
        exclude: [SLOW],
        testTimeout: 3 * MINUTE_MS,
        isolate: false,
      }),
      alone('slow', 6, { include: [SLOW], testTimeout: 20 * MINUTE_MS }),
    ],
  },
})
