import { it } from 'vitest'
import { expectBackInTime, expectReadyUnderCeiling } from '../support/recovery.js'

it.each([1_000_000, 10_000_000])('D9: %i rows are back and answering within 5 s after a kill', expectBackInTime)

it('D10: a journal four times the memory limit is taken in within the limit, also after a kill while it is', () =>
  expectReadyUnderCeiling(10))
