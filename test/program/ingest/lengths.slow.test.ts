import { it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { feedEachLengthAlone, feedEndlessLines, feedInTurn } from '../support/lengths.js'

it('I2: takes a line up to the limit, and skips and counts a longer one, where it is the only one', feedEachLengthAlone)

it('I2: takes lines up to the limit, and skips and counts longer ones, wherever they stand', () => feedInTurn())

it('I2: skips a line of 600 MiB in constant memory, its neighbours served', () => feedEndlessLines(600 * MIB))
