import { expect, it } from 'vitest'
import { testSeed } from '../support/seed.js'
import { expectNoHarm } from './support/hostile.js'

const TEXTS = 100_000
const SEARCHES = 10_000
const SERVICES = 50
const HOURS = 3

it(
  'O3b: no text of SQL and no search keeps /health waiting, fails, or delays the end',
  async () => {
    const failures: string[] = []
    for (let i = 0; i < SERVICES; i++) {
      const load = { texts: TEXTS / SERVICES, searches: SEARCHES / SERVICES }
      await expectNoHarm(load, testSeed() + i).catch((error: Error) => failures.push(error.message))
    }
    expect(failures).toEqual([])
  },
  HOURS * 3_600_000,
)
