import { it } from 'vitest'
import { runStack } from '../support/busy-stack.js'

it('a busy stack of Supabase is served for 10 seconds', async () => {
  await runStack({ forMs: 10_000, refreshMs: 2_000 })
}, 60_000)
