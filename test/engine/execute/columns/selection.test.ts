import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyOf,
  narrow,
  none,
  range,
  rowAt,
  type Selection,
  sizeOf,
  without,
} from '../../../../src/engine/execute/columns/selection.js'
import { rowsOf } from '../../store/support.js'

const indices = (rows: readonly number[], timeOrdered = false): Selection => ({
  kind: 'indices',
  indices: Uint32Array.from(rows),
  timeOrdered,
})

/** Narrows a selection to the rows that pass, by the simplest implementation. */
const keep = (selection: Selection, passes: (row: number) => boolean) =>
  narrow(selection, (out) => {
    const passing = rowsOf(selection).filter(passes)
    out.set(passing)
    return passing.length
  })

const arbitrarySelection = fc.oneof(
  fc.tuple(fc.nat(50), fc.nat(50), fc.boolean()).map(([start, size, ordered]) => range(start, start + size, ordered)),
  fc.tuple(fc.uniqueArray(fc.nat(100)), fc.boolean()).map(([rows, ordered]) => {
    return indices(
      rows.sort((a, b) => a - b),
      ordered,
    )
  }),
)

describe('a selection', () => {
  it('counts and numbers its rows', () => {
    expect(rowsOf(range(3, 6, true))).toEqual([3, 4, 5])
    expect(rowsOf(indices([2, 7]))).toEqual([2, 7])
    expect([sizeOf(range(3, 6, true)), sizeOf(indices([2, 7])), sizeOf(none)]).toEqual([3, 2, 0])
    expect([rowAt(range(3, 6, true), 2), rowAt(indices([2, 7]), 1)]).toEqual([5, 7])
  })

  it('of a range that ends before it starts is empty', () => {
    expect(sizeOf(range(5, 3, true))).toBe(0)
  })
})

describe('narrowing', () => {
  it('gives the selection itself for all, none for none, a range for some side by side, and else indices', () => {
    const all = range(2, 5, true)
    expect(keep(all, () => true)).toBe(all)
    expect(keep(all, () => false)).toBe(none)
    expect(keep(all, (row) => row !== 3)).toEqual(indices([2, 4], true))
    expect(keep(all, (row) => row !== 2)).toEqual(range(3, 5, true))
    expect(keep(indices([1, 4, 5, 6, 9]), (row) => row % 5 !== 4 && row > 1)).toEqual(range(5, 7, false))
  })

  it('of nothing tests nothing', () => {
    expect(narrow(range(4, 4, false), () => expect.fail('tested'))).toBe(none)
    expect(narrow(indices([]), () => expect.fail('tested'))).toBe(none)
  })

  it('keeps the rows that pass, again and again, and the order in time with them', () => {
    fc.assert(
      fc.property(arbitrarySelection, fc.array(fc.nat(5)), (selection, moduli) => {
        let narrowed = selection
        let expected = rowsOf(selection)
        for (const modulus of moduli) {
          const passes = (row: number) => row % (modulus + 1) !== 0
          narrowed = keep(narrowed, passes)
          expected = expected.filter(passes)
          expect(rowsOf(narrowed)).toEqual(expected)
          if (expected.length > 0) expect(narrowed.timeOrdered).toBe(selection.timeOrdered)
        }
      }),
    )
  })
})

describe('the rows of a selection without a part of it', () => {
  it('are those that are not in the part', () => {
    fc.assert(
      fc.property(arbitrarySelection, fc.integer({ min: 1, max: 9 }), fc.boolean(), (selection, divisor, isRest) => {
        const passes = (row: number) => (row % divisor === 0) !== isRest
        const found = without(selection, keep(selection, passes))
        expect(rowsOf(found)).toEqual(rowsOf(selection).filter((row) => !passes(row)))
        if (sizeOf(found) > 0) expect(found.timeOrdered).toBe(selection.timeOrdered)
      }),
    )
  })

  it('are all without a copy if the part is empty', () => {
    const all = indices([1, 4])
    expect(without(all, none)).toBe(all)
    expect(without(all, all)).toBe(none)
  })
})

describe('the rows in any of some parts of a selection', () => {
  it('are in one or several of them', () => {
    const tests = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 })
    fc.assert(
      fc.property(arbitrarySelection, tests, (selection, divisors) => {
        const passes = divisors.map((divisor) => (row: number) => row % divisor === 0)
        const found = anyOf(
          selection,
          passes.map((test) => keep(selection, test)),
        )
        expect(rowsOf(found)).toEqual(rowsOf(selection).filter((row) => passes.some((test) => test(row))))
        if (sizeOf(found) > 0 && passes.length > 1) expect(found.timeOrdered).toBe(selection.timeOrdered)
      }),
    )
  })

  it('are the one part that has rows, without a copy', () => {
    const [all, own] = [range(0, 9, false), range(2, 5, true)]
    expect(anyOf(all, [none, own, none])).toBe(own)
    expect(anyOf(all, [none])).toBe(none)
    expect(anyOf(all, [])).toBe(none)
    expect(anyOf(all, [all, own])).toBe(all)
    expect(anyOf(all, [own, range(5, 7, true)])).toEqual(range(2, 7, false))
  })
})
