import { it } from 'vitest'
import { runs } from '../../support/runs.js'
import { expectManyRows } from './many-rows.js'

it('evaluates 20,160 instants over many rows', { timeout: 300_000 }, async () => {
  await expectManyRows(runs(1_000_000))
})
