import { expect, it } from 'vitest'
import { bytesOfValue } from '../../../../src/engine/execute/columns/value-bytes.js'
import { RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'

it.each<[Scalar | undefined, number]>([
  [undefined, 32],
  [null, 32],
  [1.5, 32],
  [2n ** 60n, 32],
  [new Timestamp(1), 32],
  ['', 32],
  ['x'.repeat(100), 232],
  [new RawJson(`"${'x'.repeat(98)}"`), 232],
  [['x'.repeat(100), 1, ['y']], 32 + 232 + 32 + 32 + 34],
])('the memory of a value grows with its text (%#)', (value, bytes) => {
  expect(bytesOfValue(value)).toBe(bytes)
})
