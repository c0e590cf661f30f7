import { describe, expect, it } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { serve } from '../program.js'
import { expectAllKeptOver, feedAndKill } from './kills.js'
import { highestShown } from './numbered.js'

describe('a process that is killed while rows stream in', () => {
  it('D1: keeps every row that a query has shown, none twice', () => expectAllKeptOver(3))

  it('D1c: loses rows without a journal, so that the test above can fail', async () => {
    const startUs = Date.now() * 1000 - 3600e6
    const { shown } = await feedAndKill(['--in-memory'], 0, startUs, mulberry32(1))
    expect(shown).toBeGreaterThan(0)
    expect(await highestShown(await serve(['--in-memory']))).toBe(-1)
  })
})
