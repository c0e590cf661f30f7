import { describe, expect, it } from 'vitest'
import { runs } from '../../../support/runs.js'
import { testSeed } from '../../../support/seed.js'
import { expectRowsOfOthers, idsOf, sample } from './damaged-directory.js'
import { KINDS } from './damages.js'
import { filesOf, openOver, rowsIn, SOURCES } from './sample.js'

describe('a data directory', () => {
  it('of the tests has files of every kind', () => {
    expect(sample.journals.size).toBeGreaterThan(3)
    expect(sample.segments.size).toBeGreaterThan(10)
    const rows = [...sample.segments.values()].flatMap(({ ids }) => ids)
    const open = [...sample.journals.values()].flatMap(({ frames }) => frames.flatMap(({ ids }) => ids))
    expect([...rows, ...open].sort()).toEqual([...sample.records.keys()].sort())
  })

  it('without damage has all rows, and reports none', async () => {
    const { engine, logged } = openOver(filesOf(sample))
    await engine.recover()
    for (const source of SOURCES) {
      const ids = [...sample.records.values()].filter((record) => record.source === source).map(({ id }) => id)
      expect([...idsOf(await rowsIn(engine, source), source)].sort()).toEqual(ids.sort())
    }
    expect(logged).toEqual([])
    await engine.close()
  })

  it.each(KINDS)('D4: with damage of the kind %s in some files has the rows of the others', (kind) =>
    expectRowsOfOthers(runs(60), testSeed(), [kind]))

  it('D4: with any damage in some files has the rows of the others, none altered, and reports the rest', () =>
    expectRowsOfOthers(runs(1000), testSeed() + 1000, KINDS))
})
