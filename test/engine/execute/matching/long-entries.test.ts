import { describe, expect, it } from 'vitest'
import { range, type Selection } from '../../../../src/engine/execute/columns/selection.js'
import { fastFilters } from '../../../../src/engine/execute/filtering/fast-filters.js'
import { kindsOf } from '../../../../src/engine/execute/stages/source-kinds.js'
import { equals, matches } from '../../../../src/plan/builder.js'
import type { Expression } from '../../../../src/plan/expression.js'
import { mulberry32, oneOf } from '../../../support/random.js'
import { edge } from '../../../support/records.js'
import { idsOf, noYield, openBatch, sealedBatch } from '../../store/support.js'

/** A pattern with too many states for an automaton, and unordered letters. The search of the letters takes seconds. */
const SLOW_PATTERN = '[ab]*a[ab]{300}[^ab]'
const random = mulberry32(1)
const letters = Array.from({ length: 400_000 }, () => oneOf(random, ['a', 'b'])).join('')

const urlOf = (url: string) => ({ request: { url } })
const records = [
  edge({ id: '0', project: 'poisoned', metadata: urlOf(letters) }),
  edge({ id: '1', project: 'other', metadata: urlOf(`a${'b'.repeat(300)}c`) }),
  edge({ id: '2', project: 'other', metadata: urlOf('short') }),
  edge({ id: '3', project: 'poisoned', metadata: urlOf('short') }),
]

async function idsWhere(...conditions: readonly Expression[]): Promise<string[][]> {
  const { filters } = fastFilters(conditions, kindsOf('edge_logs'))
  expect(filters.length).toBe(conditions.length)
  const found: string[][] = []
  for (const batch of [openBatch(records), await sealedBatch(records)]) {
    let selection: Selection = range(0, batch.rows, false)
    for (const { narrow } of filters) selection = await narrow(batch, selection, noYield)
    found.push(idsOf(batch, selection).sort())
  }
  return found
}

describe('a text that is too long for a pattern', () => {
  it('fails queries of its own project', async () => {
    await expect(idsWhere(equals('project', 'poisoned'), matches('url', SLOW_PATTERN))).rejects.toMatchObject({
      code: 'invalid_pattern',
    })
    await expect(idsWhere(matches('url', SLOW_PATTERN))).rejects.toThrow(
      'The pattern takes too long on a text of 400000 bytes.',
    )
  })

  it('fails no query that does not read it', async () => {
    expect(await idsWhere(equals('project', 'other'), matches('url', SLOW_PATTERN))).toEqual([['1'], ['1']])
    expect(await idsWhere(equals('url', 'short'), matches('url', SLOW_PATTERN))).toEqual([[], []])
  })
})
