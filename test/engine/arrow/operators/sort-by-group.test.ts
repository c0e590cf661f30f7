import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TextColumn } from '../../../../src/engine/arrow/columns/batch.js'
import { range } from '../../../../src/engine/arrow/columns/selection.js'
import { distinctCodes, sortByGroup } from '../../../../src/engine/arrow/operators/sort-by-group.js'
import { dictionary, rowsOf } from '../support.js'

it('puts rows of one group side by side, ascending, whatever the width of the codes', () => {
  const arbitrary = fc.record({
    codes: fc.array(fc.nat(4), { minLength: 1, maxLength: 40 }),
    groupOf: fc.array(fc.nat(2), { minLength: 5, maxLength: 5 }),
    modulus: fc.integer({ min: 1, max: 4 }),
    array: fc.constantFrom(Uint8Array, Uint16Array, Uint32Array),
  })
  fc.assert(
    fc.property(arbitrary, ({ codes, groupOf, modulus, array }) => {
      const column: TextColumn = { kind: 'text', codes: new array(codes), dictionary: dictionary(['a', 'b', 'c', 'd']) }
      const some = Uint32Array.from(codes.keys()).filter((row) => row % modulus === 0)
      const selections = [range(1, codes.length, false), { kind: 'indices', indices: some, timeOrdered: true }] as const
      for (const selection of selections) {
        const rows = rowsOf(selection)
        const distinct = [...new Set(rows.map((row) => codes[row]!))].sort((a, b) => a - b)
        expect(distinctCodes(column, selection)).toEqual(distinct)
        const { ends, selection: sorted } = sortByGroup(column, selection, Uint32Array.from(groupOf), 3)
        const found = [0, 1, 2].map((group) => Array.from(sorted.indices.subarray(ends[group - 1] ?? 0, ends[group])))
        expect(found).toEqual([0, 1, 2].map((group) => rows.filter((row) => groupOf[codes[row]!] === group)))
        expect(sorted.indices.length).toBe(rows.length)
      }
    }),
  )
})
