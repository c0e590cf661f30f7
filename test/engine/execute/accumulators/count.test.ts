import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countAccumulator } from '../../../../src/engine/execute/accumulators/count.js'
import { mergedStateOf, stateOf } from '../../store/support.js'

it('count adds up rows, in one state or in merged ones', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (parts) => {
      const sum = parts.reduce((a, b) => a + b, 0)
      expect(stateOf(countAccumulator, ...parts)).toEqual({ count: sum })
      expect(mergedStateOf(countAccumulator, parts)).toEqual({ count: sum })
    }),
  )
})

it('a merge leaves what is merged as it is', () => {
  const [into, from] = [stateOf(countAccumulator, 1), stateOf(countAccumulator, 2)]
  countAccumulator.merge(into, from)
  expect([into, from]).toEqual([{ count: 3 }, { count: 2 }])
})
