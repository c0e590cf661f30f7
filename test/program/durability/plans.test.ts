import { it } from 'vitest'
import { expectPlansAfterKills } from '../support/killed-plans.js'

it('random plans have the rows that the oracle says after a process was killed', () => expectPlansAfterKills(1))
