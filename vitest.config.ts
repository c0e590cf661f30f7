import { defineConfig } from 'vitest/config'

/** `process` tests run the built program as a child; `unit` tests are all others, and run in shifted time zones too. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: ['test/cli/**'] } },
      { test: { name: 'process', include: ['test/cli/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
})
