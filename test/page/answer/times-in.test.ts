import { describe, expect, it } from 'vitest'
import { exactUsOf, timeUsOf } from '../../../src/page/answer/times-in.js'

describe('exactUsOf', () => {
  it.each([
    ['9999-12-31T23:59:59.999999', 253402300799999999n],
    ['9999-12-31T23:59:59.999998', 253402300799999998n],
    ['0001-01-01T00:00:00.000001', -62135596799999999n],
    ['2300-01-01 00:00:00.000001', 10413792000000001n],
    ['2300-01-01T00:00:00.000001+01:00', 10413788400000001n],
    ['9999-12-31', 253402214400000000n],
    ['2026-11-20T10:00:00.123456', 1795168800123456],
    ['2026-11-20', 1795132800000000],
    [1795168800123456, 1795168800123456],
    ['soon', Number.NaN],
    [null, Number.NaN],
    [{}, Number.NaN],
  ])('%s', (value, us) => {
    expect(exactUsOf(value)).toBe(us)
    expect(timeUsOf(value)).toBe(Number(us))
  })
})
