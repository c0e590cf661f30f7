import { it } from 'vitest'
import { expectWithinLimit } from '../support/memory-modes.js'

const SMALL = { texts: 60, groups: 20_000, readers: 40, stayMs: 2_000 }

/** The others take longer: see the slow test. */
const SOME_MODES = [
  'SQL that computes long texts',
  'SQL with many groups',
  'large answers',
  'large answers to slow readers',
  'all of that at the same time',
]

it('M4: whatever clients ask for, the process stays within its memory limit and a quarter', async () => {
  await expectWithinLimit(256, SMALL, SOME_MODES)
}, 180_000)
