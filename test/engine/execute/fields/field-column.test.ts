import { describe, expect, it } from 'vitest'
import { FieldColumn, isUncached, textOfCode, valueOfCode } from '../../../../src/engine/execute/fields/field-column.js'
import { RawJson } from '../../../../src/plan/values/values.js'

const MIB = 2 ** 20

/** A column with the i-th entry in row i. Undefined: the row has no value. */
function columnOf(entries: readonly (string | undefined)[], limitBytes = MIB): FieldColumn {
  const column = new FieldColumn(entries.length, limitBytes)
  entries.forEach((entry, row) => {
    const bytes = Buffer.from(`x${entry}x`)
    if (entry === undefined) column.setNone(row)
    else column.set(row, bytes, 1, bytes.length - 1)
  })
  return column
}

function valuesOf(column: FieldColumn, isText = false) {
  const { codes, dictionary } = column.snapshot()
  return [...codes].map((code) => (isUncached(code) ? 'not kept' : valueOfCode(dictionary, code, isText)))
}

describe('a column of a field', () => {
  it('has values of every type, and knows which rows were read', () => {
    const column = columnOf([
      '"GET',
      undefined,
      '200',
      '"200',
      'true',
      '1.50',
      '{"a": 1.0}',
      '["x"]',
      '"',
      '9007199254740993',
    ])
    const json = [new RawJson('{"a": 1.0}'), new RawJson('["x"]')]
    expect(valuesOf(column)).toEqual(['GET', null, 200, '200', true, 1.5, ...json, '', 9007199254740993n])
    expect(valuesOf(column, true)).toEqual(['GET', null, '200', '200', true, '1.50', ...json, '', '9007199254740993'])
    const empty = new FieldColumn(2, MIB)
    empty.setNone(1)
    expect([empty.isRead(0), empty.isRead(1)]).toEqual([false, true])
  })

  it('tells whether it has texts alone, and gives their bytes', () => {
    const texts = columnOf(['"é', undefined, '"é'])
    const { codes, dictionary } = texts.snapshot()
    expect(codes[0]).toBe(codes[2])
    expect([...codes].map((code) => textOfCode(dictionary, code)?.toString())).toEqual(['é', undefined, 'é'])
    expect([texts.hasOnlyTexts, columnOf(['"é', '1']).hasOnlyTexts]).toEqual([true, false])
  })

  it('does not keep long values, nor new ones once it is full', () => {
    const long = `"${'x'.repeat(2_000)}`
    const column = columnOf(['"a', long, '"b'])
    expect([valuesOf(column), column.hasUncached]).toEqual([['a', 'not kept', 'b'], true])
    const full = columnOf(['"a', '"b', '"a'], 0)
    expect(valuesOf(full)).toEqual(['not kept', 'not kept', 'not kept'])
    const nearlyFull = columnOf(
      ['"a', ...Array.from({ length: 200 }, (_, i) => `"${i}`.padEnd(900, '.')), '"a'],
      100_000,
    )
    const values = valuesOf(nearlyFull)
    expect([values[0], values.at(-1), nearlyFull.hasUncached]).toEqual(['a', 'a', true])
    expect(nearlyFull.byteLength).toBeLessThan(500_000)
  })

  it('has codes of two bytes, and of four for more values; a snapshot does not change', () => {
    const column = new FieldColumn(70_000, 64 * MIB)
    const set = (row: number) => {
      const bytes = Buffer.from(`${row}`)
      column.set(row, bytes, 0, bytes.length)
    }
    set(0)
    const before = column.snapshot()
    expect(before.codes).toBeInstanceOf(Uint16Array)
    for (let row = 1; row < 70_000; row++) set(row)
    const after = column.snapshot()
    expect(after.codes).toBeInstanceOf(Uint32Array)
    for (const row of [0, 65_532, 65_533, 69_999])
      expect(valueOfCode(after.dictionary, after.codes[row]!, false)).toBe(row)
    expect(valueOfCode(before.dictionary, before.codes[0]!, false)).toBe(0)
  })

  it('grows with the rows of an open head', () => {
    const column = columnOf(['1'])
    column.reserve(10)
    expect([column.isRead(0), column.isRead(9)]).toEqual([true, false])
    column.setNone(9)
    expect(valuesOf(column)[9]).toBe(null)
  })
})
