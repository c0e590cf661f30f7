import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupSpans } from '../../../../src/engine/arrow/operators/group.js'

describe('grouping', () => {
  it('numbers buckets in order of first appearance', () => {
    expect(groupSpans({ bucketsUs: [5, 0, 5, -1, 0], ends: [1, 2, 3, 4, 5] })).toEqual({
      bucketsUs: [5, 0, -1],
      ids: Uint32Array.of(0, 1, 0, 2, 1),
    })
  })

  it('gives each span the group of its bucket', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(6)), (bucketsUs) => {
        const groups = groupSpans({ bucketsUs, ends: bucketsUs.map((_, i) => i + 1) })
        expect([...groups.ids].map((id) => groups.bucketsUs[id])).toEqual(bucketsUs)
        expect(groups.bucketsUs).toEqual([...new Set(bucketsUs)])
      }),
    )
  })
})
