import '../../support/know-own-source.js'
import { it } from 'vitest'

// Loaded after the own source is configured: random records and plans have the sources that this process knows.
const { expectPlansAfterKills } = await import('../support/killed-plans.js')

it('random plans over an own source too have the rows that the oracle says after a process was killed', () =>
  expectPlansAfterKills(1))
