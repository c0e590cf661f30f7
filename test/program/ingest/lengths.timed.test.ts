import { it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { MAX_LINE_BYTES } from '../../../src/ingest/lines/check-lines.js'
import { feedEndlessLines, feedInTurn } from '../support/lengths.js'

const TITLE = [
  'I2: takes lines up to the limit, and skips and counts longer ones,',
  'between others and at the ends of a stream',
].join(' ')

it(TITLE, () => feedInTurn([MAX_LINE_BYTES - 1, MAX_LINE_BYTES + 1]))

it('I2: skips a line of 64 MiB in constant memory, its neighbours served', () =>
  feedEndlessLines(64 * MIB, ['middle', 'last']))
