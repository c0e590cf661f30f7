import '../../../support/know-own-source.js'
import { expect, it } from 'vitest'
import { OWN_SOURCE } from '../../../support/own-source.js'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'

// Loaded after the own source is configured: the directory has files of the sources that the process knows.
const { expectRowsOfOthers, sample } = await import('./damaged-directory.js')
const { KINDS } = await import('./damages.js')

it('D4: with any damage in some files, of an own source too, a data directory has the rows of the others', async () => {
  for (const files of [sample.journals, sample.segments])
    expect([...files.values()].some(({ source }) => source === OWN_SOURCE)).toBe(true)
  await expectRowsOfOthers(runs(200), testSeed(), KINDS)
})
