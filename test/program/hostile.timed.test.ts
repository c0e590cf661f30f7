import { it } from 'vitest'
import { testSeed } from '../support/seed.js'
import { expectNoHarm } from './support/hostile.js'

it('O3b: no text of SQL and no search keeps /health waiting, fails, or delays the end', async () => {
  await expectNoHarm({ texts: 100, searches: 25 }, testSeed())
}, 300_000)
