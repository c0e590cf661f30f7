import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  areShorts,
  bytesOfNumbers,
  countAtLeast,
  countRowsAtLeast,
  exceptionsOf,
  type NumberColumn,
  narrowNumbers,
  numbersOfRange,
  numbersOfRows,
  widenNumbers,
} from '../../../../src/engine/execute/columns/numbers.js'
import { bufferBytes } from '../../store/support.js'

const special = fc.constantFrom(-0, 0, Number.NaN, 65_534, 65_535, 65_536, 0.1, -1, 2 ** 32 + 5, 1e300)
const number = fc.oneof({ weight: 6, arbitrary: fc.nat(70_000) }, special, fc.double({ noDefaultInfinity: true }))
const shortNumbers = fc.array(number, { maxLength: 60 })
const doubles = fc.array(fc.double({ noDefaultInfinity: true }), { maxLength: 20 })
const columns = fc.oneof(shortNumbers, doubles)

/** Returns both forms of a column of the given values. */
const forms = (values: number[]): NumberColumn[] => [
  narrowNumbers(Float64Array.from(values)),
  { kind: 'number', values: Float64Array.from(values) },
]
const isPresent = (value: number) => !Number.isNaN(value)
const room = () => new Float64Array(60).fill(7)
const taken = ({ values, length }: { values: Float64Array; length: number }) => [...values.subarray(0, length)]

describe('numbers', () => {
  it.each([
    ['small whole numbers', [0, 1, 65_534], 0],
    ['one of 65,535, which stands for exceptions', [5, 6, 65_535], 1],
    ['a whole number of 17 bits', [0, 65_536], 1],
    ['a negative one', [1, -1], 1],
    ['a negative zero', [1, -0], 1],
    ['one that is absent', [5, Number.NaN], 1],
    ['a tenth', [1, 0.1], 1],
    ['2^32 + 5, whose low bits are small', [3, 2 ** 32 + 5], 1],
  ])('that are %s take 2 bytes each, and 12 for each exception', (_, values, exceptions) => {
    const column = narrowNumbers(Float64Array.from(values))
    expect(column.values).toBeInstanceOf(Uint16Array)
    expect([...widenNumbers(column)]).toEqual(values)
    expect(bytesOfNumbers(column)).toBe(2 * values.length + 12 * exceptions)
    expect(bytesOfNumbers(column)).toBe(bufferBytes(column))
    expect(areShorts(column)).toBe(exceptions === 0)
  })

  it('that are mostly others stay doubles', () => {
    const column = narrowNumbers(Float64Array.of(0.5, 12.25, 1))
    expect(column).toEqual({ kind: 'number', values: Float64Array.of(0.5, 12.25, 1) })
    expect([bytesOfNumbers(column), areShorts(column)]).toEqual([24, false])
  })

  it('come back to the bit', () => {
    fc.assert(
      fc.property(columns, (values) => {
        for (const column of forms(values)) expect([...widenNumbers(column)]).toEqual(values)
      }),
    )
  })

  it('of a range are those that are present', () => {
    fc.assert(
      fc.property(columns, fc.nat(60), fc.nat(60), (values, a, b) => {
        const [start, end] = [a, b].map((place) => Math.min(place, values.length)).sort((a, b) => a - b)
        const present = values.slice(start, end).filter(isPresent)
        for (const column of forms(values)) {
          expect(taken(numbersOfRange(column, start!, end!, room()))).toEqual(present)
          for (const least of [0, 1, 500, 65_535, 65_536, 1e200]) {
            expect(countAtLeast(column, start!, end!, least)).toBe(present.filter((value) => value >= least).length)
          }
        }
      }),
    )
  })

  it('of some rows are those that are present', () => {
    fc.assert(
      fc.property(columns, fc.array(fc.nat(59)), (values, places) => {
        const rows = [...new Set(places)].filter((row) => row < values.length).sort((a, b) => a - b)
        const present = rows.map((row) => values[row]!).filter(isPresent)
        for (const column of forms(values)) {
          expect(taken(numbersOfRows(column, Uint32Array.from(rows), room()))).toEqual(present)
          for (const least of [0, 1, 500, 65_535, 65_536, 1e200]) {
            const count = present.filter((value) => value >= least).length
            expect(countRowsAtLeast(column, Uint32Array.from(rows), least)).toBe(count)
          }
        }
      }),
    )
  })

  it('that are exceptions of a range are found', () => {
    const column = narrowNumbers(Float64Array.of(1, 0.5, 2, 3, Number.NaN, 4, 0.25, 5))
    if (!('exceptions' in column)) throw new Error('These were to be short.')
    expect([...exceptionsOf(column.exceptions, 0, 8)]).toEqual([0.5, Number.NaN, 0.25])
    expect([...exceptionsOf(column.exceptions, 2, 6)]).toEqual([Number.NaN])
    expect([...exceptionsOf(column.exceptions, 2, 2)]).toEqual([])
  })
})
