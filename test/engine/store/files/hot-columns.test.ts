import { expect, it } from 'vitest'
import { exceptionsOf, widenNumbers } from '../../../../src/engine/execute/columns/numbers.js'
import { fromNumbers } from '../../../../src/engine/store/files/hot-columns.js'

const VALUES = [0, 12, 65_534, 65_535, 0.5, -3, Number.NaN]

it.each([
  ['uint16', Uint16Array, VALUES.slice(0, 3)],
  ['float32, as earlier versions wrote them', Float32Array, VALUES],
  ['float64', Float64Array, VALUES],
])('numbers of a file are read from %s', (_, Type, values) => {
  const read = {
    rows: values.length,
    nulls: 0,
    validity: Buffer.alloc(0),
    values: Buffer.from(Type.from(values).buffer),
  }
  expect([...widenNumbers(fromNumbers(read))]).toEqual(values)
})

it('65,535 of a file, which in memory stands for an exception, is one', () => {
  const values = Buffer.from(Uint16Array.of(7, 65_535).buffer)
  const column = fromNumbers({ rows: 2, nulls: 0, validity: Buffer.alloc(0), values })
  expect([...widenNumbers(column)]).toEqual([7, 65_535])
  expect('exceptions' in column && [...exceptionsOf(column.exceptions, 0, 2)]).toEqual([65_535])
})
