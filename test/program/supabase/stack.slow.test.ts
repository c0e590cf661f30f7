import { expect, it } from 'vitest'
import { quantile, runStack } from '../support/busy-stack.js'

const MINUTES = Number(process.env.LOGWEIR_TEST_SOAK_MINUTES ?? 30)
const MINUTE_MS = 60_000
const P95_MS = 50

it(
  `a busy stack of Supabase is served for ${MINUTES} minutes, and its pages are answered at once`,
  async () => {
    const times = await runStack({ forMs: MINUTES * MINUTE_MS, refreshMs: MINUTE_MS })
    expect(quantile(times, 0.95)).toBeLessThanOrEqual(P95_MS)
  },
  (MINUTES + 5) * MINUTE_MS,
)
