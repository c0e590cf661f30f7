import { it } from 'vitest'
import { expectPlansAfterKills } from '../support/killed-plans.js'

const KILLS = 10

it(`random plans have the rows that the oracle says after a process was killed, ${KILLS} times of ${KILLS}`, () =>
  expectPlansAfterKills(KILLS))
