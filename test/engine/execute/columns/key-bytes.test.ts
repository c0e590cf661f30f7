import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfKey, KeyBytes, readKeys } from '../../../../src/engine/execute/columns/key-bytes.js'
import { CivilDate, compareAll, Datetime, RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'

const value: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constantFrom<Scalar>(null, true, false, '', 0, 1),
  fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.integer().map((us) => new Timestamp(us)),
  fc.integer().map((us) => new Datetime(us)),
  fc.integer({ min: 0, max: 1e6 }).map((days) => new CivilDate(days)),
  fc.json().map((json) => new RawJson(`[${json}]`)),
  fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
)

const bytesOf = (...values: readonly Scalar[]) => {
  const bytes = new KeyBytes()
  for (const one of values) bytes.add(one)
  return Buffer.from(bytes.bytes.subarray(0, bytes.length))
}

describe('the bytes of keys', () => {
  it('give the keys again', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), (values) => {
        expect(readKeys(bytesOf(...values), values.length)).toEqual(values.map(asKey))
      }),
    )
  })

  it('end where the next keys start', () => {
    fc.assert(
      fc.property(value, fc.array(value, { maxLength: 3 }), (one, others) => {
        const start = bytesOf(...others).length
        expect(endOfKey(bytesOf(...others, one, ...others), start)).toBe(start + bytesOf(one).length)
      }),
    )
  })

  it('are the same in every version, since files have them', () => {
    const values: [Scalar, string][] = [
      [null, '00'],
      [false, '01'],
      [true, '02'],
      [1.5, '03000000000000f83f'],
      [2n ** 60n, '040000000000000010'],
      [-(2n ** 60n), '0500000000000000f0'],
      [new Timestamp(3), '060000000000000840'],
      [new Datetime(3), '070000000000000840'],
      [new CivilDate(3), '080000000000000840'],
      [new Timestamp(2n ** 60n), '090000000000000010'],
      [new Datetime(2n ** 60n), '0a0000000000000010'],
      ['ä', '0b02000000c3a4'],
      [new RawJson('{}'), '0c020000007b7d'],
      [[1], '0d030000005b315d'],
    ]
    for (const [value, hex] of values) expect(bytesOf(value).toString('hex')).toBe(hex)
  })

  it('are those of one integer, be it a double or a bigint', () => {
    for (const integer of [2 ** 53, -(2 ** 53), 2 ** 60, -(2 ** 63)]) {
      expect(bytesOf(integer)).toEqual(bytesOf(BigInt(integer)))
      expect(readKeys(bytesOf(integer), 1)).toEqual([BigInt(integer)])
    }
  })

  it('are equal for keys that are one group, and for no others', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), fc.array(value, { maxLength: 3 }), (a, b) => {
        const areSame = a.length === b.length && a.every((one, i) => isOne(one, b[i]!))
        expect(bytesOf(...a).equals(bytesOf(...b))).toBe(areSame)
        expect(bytesOf(...a)).toEqual(bytesOf(...a))
      }),
    )
  })

  it('tell types apart, and no signs of zero', () => {
    const moment = [new Timestamp(1), new Datetime(1), new CivilDate(1), 1, '1', true, new RawJson('1'), ['1'], null]
    expect(new Set(moment.map((one) => bytesOf(one).toString('hex'))).size).toBe(moment.length)
    expect(bytesOf(-0)).toEqual(bytesOf(0))
  })

  it('are those of a text that is given as bytes', () => {
    const bytes = new KeyBytes()
    bytes.addText(Buffer.from('ä'))
    expect(Buffer.from(bytes.bytes.subarray(0, bytes.length))).toEqual(bytesOf('ä'))
  })

  it('are those of keys that were written before, and grow as far as they must', () => {
    const long = 'x'.repeat(10_000)
    const bytes = new KeyBytes()
    bytes.add(1)
    bytes.addBytes(bytesOf(long, null))
    expect(readKeys(bytes.bytes, 3)).toEqual([1, long, null])
    bytes.clear()
    bytes.add('b')
    expect([bytes.length, readKeys(bytes.bytes, 1)]).toEqual([6, ['b']])
  })
})

/** The value that is read from the bytes of a key: an integer of 54 to 64 bits is a bigint. */
function asKey(value: Scalar): Scalar {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
  return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(value) : value
}

/** Whether two values are one group: equal values of the same type. */
function isOne(first: Scalar, second: Scalar): boolean {
  const [a, b] = [asKey(first), asKey(second)]
  const isSameType = Object.getPrototypeOf(Object(a)) === Object.getPrototypeOf(Object(b))
  return (a === null) === (b === null) && isSameType && compareAll(a, b) === 0
}
