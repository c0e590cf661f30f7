import { it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { pushIntoFullStore } from '../support/pressure.js'

it('O1: a store that is full holds the writer in constant memory, and no line is lost', () =>
  pushIntoFullStore(48 * MIB))
