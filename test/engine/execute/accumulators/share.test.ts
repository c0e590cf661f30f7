import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shareAccumulator, shareOf } from '../../../../src/engine/execute/accumulators/share.js'
import { mergedStateOf, stateOf } from '../../store/support.js'

const arbitraryParts = fc.array(
  fc.tuple(fc.nat(99), fc.nat(99)).map(([passing, others]) => ({ passing, rows: passing + others })),
)

it('share is that of all rows, in one state or in merged ones, and null of none', () => {
  fc.assert(
    fc.property(arbitraryParts, (parts) => {
      const passing = parts.reduce((sum, part) => sum + part.passing, 0)
      const rows = parts.reduce((sum, part) => sum + part.rows, 0)
      const share = rows === 0 ? null : passing / rows
      expect(shareOf(stateOf(shareAccumulator, ...parts))).toBe(share)
      expect(shareOf(mergedStateOf(shareAccumulator, parts))).toBe(share)
    }),
  )
})

it('a merge leaves what is merged as it is', () => {
  const [into, from] = [
    { passing: 1, rows: 2 },
    { passing: 0, rows: 3 },
  ]
  shareAccumulator.merge(into, from)
  expect([into, from]).toEqual([
    { passing: 1, rows: 5 },
    { passing: 0, rows: 3 },
  ])
})
