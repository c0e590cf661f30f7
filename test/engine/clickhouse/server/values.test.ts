import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doubleValue, int64Value, quoteName, textValue } from '../../../../src/engine/clickhouse/server/values.js'

/** Returns the bytes that a server reads in `unhex('…')`. */
const unhexed = (sql: string) => Buffer.from(/^unhex\('([0-9a-f]*)'\)$/.exec(sql)![1]!, 'hex')

describe('a text', () => {
  it.each([
    '',
    "it's",
    '\\',
    "\\'",
    'a\0b',
    '\n',
    '`',
    'é😀',
    "'); DROP TABLE edge_logs --",
  ])('%j is its bytes', (text) => {
    expect(unhexed(textValue(text)).toString()).toBe(text)
  })

  it('holds nothing but hex digits, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(unhexed(textValue(text)).toString()).toBe(text)
      }),
    )
  })
})

describe('an integer', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [-1, '-1'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [1e18, '1000000000000000000'],
    [Number.POSITIVE_INFINITY, '9223372036854775807'],
    [Number.NEGATIVE_INFINITY, '-9223372036854775807'],
  ])('%d is %s', (value, sql) => {
    expect(int64Value(value)).toBe(sql)
  })

  it('is no fraction and not NaN', () => {
    for (const value of [0.5, Number.NaN]) expect(() => int64Value(value)).toThrow(RangeError)
  })
})

describe('a double', () => {
  it('is written out where it is an integer that every version reads', () => {
    expect(doubleValue(400)).toBe('toFloat64(400)')
    expect(doubleValue(-3)).toBe('toFloat64(-3)')
  })

  it('is its bits otherwise', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        fc.pre(!Number.isSafeInteger(value))
        const [, bits] = /^reinterpretAsFloat64\(reinterpretAsString\(toInt64\((-?\d+)\)\)\)$/.exec(doubleValue(value))!
        expect(new Float64Array(BigInt64Array.of(BigInt(bits!)).buffer)[0]).toBe(value)
      }),
    )
  })
})

describe('a name', () => {
  it.each([
    ['logweir', '`logweir`'],
    ['select', '`select`'],
    ['a`b', '`a\\`b`'],
    ['a\\', '`a\\\\`'],
  ])('%s is quoted as %s', (name, quoted) => {
    expect(quoteName(name)).toBe(quoted)
  })
})
