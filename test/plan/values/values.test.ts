import { describe, expect, it } from 'vitest'
import type { Moment } from '../../../src/base/time/moment.js'
import {
  CivilDate,
  compareAll,
  compareNumbers,
  compareTexts,
  compareValues,
  Datetime,
  int64,
  integer,
  isInteger,
  isUnknown,
  momentUs,
  numberOfText,
  RawJson,
  type Scalar,
  Timestamp,
} from '../../../src/plan/values/values.js'

/** Every value is less than the values of the next line, and equal to the other values of the line. */
const ASCENDING: readonly (readonly Scalar[])[] = [
  [null],
  [false],
  [true],
  [-(2n ** 63n)],
  [-1.5],
  [-0, 0],
  [0.5],
  [1],
  [9007199254740991],
  [9007199254740993n],
  [2n ** 63n - 1n],
  [1e300],
  [new Timestamp(-1)],
  [new Timestamp(0), new Datetime(0), new CivilDate(0)],
  [new CivilDate(1), new Timestamp(86_400_000_000)],
  [''],
  ['-1'],
  ['10'],
  ['9'],
  ['A'],
  ['a'],
  ['aa'],
  ['é'],
  ['～'],
  ['😀'],
  ['😀a'],
  ['😁'],
  [new RawJson('[1]')],
  [new RawJson('{"a":1}')],
  [new RawJson('{"a":2}')],
  [[]],
  [[null]],
  [[1]],
  [
    [1, 'a'],
    [1, 'a'],
  ],
  [['a']],
]

describe('the order across types', () => {
  it('is null, booleans, numbers, times, texts by code point, JSON, lists', () => {
    ASCENDING.forEach((left, i) => {
      ASCENDING.forEach((right, j) => {
        for (const a of left) {
          for (const b of right) {
            expect(Math.sign(compareAll(a, b)), `${String(a)} against ${String(b)}`).toBe(Math.sign(i - j))
          }
        }
      })
    })
  })

  it('of texts is that of their UTF-8 bytes', () => {
    const texts = [
      '',
      '\u0000',
      'a',
      'ab',
      '\u007f',
      '\u0080',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '\u{10000}',
      '\u{10ffff}',
      '\u{10000}a',
    ]
    for (const a of texts) {
      for (const b of texts) {
        expect(Math.sign(compareTexts(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }
    }
  })
})

describe('a comparison', () => {
  it('of integers is exact, of other numbers that of doubles', () => {
    expect(compareNumbers(9007199254740993n, 9007199254740992n)).toBe(1)
    expect(compareNumbers(9007199254740993n, 2 ** 53)).toBe(0)
    expect(compareNumbers(2n ** 63n - 1n, 2 ** 63)).toBe(0)
    expect(compareNumbers(1, 1.5)).toBe(-1)
  })

  it('has no result between types that have nothing in common', () => {
    expect(compareValues(true, 1)).toBeUndefined()
    expect(compareValues('x', 1)).toBeUndefined()
    expect(compareValues(new RawJson('1'), 1)).toBeUndefined()
    expect(compareValues(new Timestamp(0), true)).toBeUndefined()
    expect(compareValues(new Timestamp(0), 'x')).toBeUndefined()
    expect(compareValues('1e0', 1)).toBe(0)
    expect(compareValues(new Datetime(0), '1970-01-01')).toBe(0)
    expect(compareValues('1970-01-02', new Datetime(0))).toBeGreaterThan(0)
  })

  it('is unknown between a time and what could be one, but is none', () => {
    expect(isUnknown(new Timestamp(0), 'x')).toBe(true)
    expect(isUnknown(1e300, new CivilDate(0))).toBe(true)
    expect(isUnknown(new Timestamp(0), '1970-01-01')).toBe(false)
    expect(isUnknown(new Timestamp(0), true)).toBe(false)
    expect(isUnknown(new Timestamp(0), new RawJson('{}'))).toBe(false)
    expect(isUnknown('x', 1)).toBe(false)
  })
})

describe('a text that spells a number', () => {
  const NUMBERS: readonly (readonly [string, number | bigint | undefined])[] = [
    ['0', 0],
    ['-0', 0],
    ['-0.0', 0],
    ['+12', 12],
    ['007', 7],
    ['1.', 1],
    ['.5', 0.5],
    ['-.5e-1', -0.05],
    ['1E3', 1000],
    ['1e400', undefined],
    ['9007199254740993', 9007199254740993n],
    ['+9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775808', 2n ** 63n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['18446744073709551616', 2 ** 64],
    [`${'0'.repeat(100)}9007199254740993`, 9007199254740993n],
    ['1'.repeat(400), undefined],
    ['', undefined],
    ['.', undefined],
    ['-', undefined],
    [' 1', undefined],
    ['1 ', undefined],
    ['1_000', undefined],
    ['0x10', undefined],
    ['١', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['1e', undefined],
    ['--1', undefined],
  ]

  it.each(NUMBERS)('%s', (text, expected) => {
    expect(numberOfText(text)).toBe(expected)
  })

  it('of a megabyte of digits takes no time', () => {
    const startedMs = performance.now()
    expect(numberOfText('9'.repeat(2 ** 20))).toBeUndefined()
    expect(numberOfText(`${'0'.repeat(2 ** 20)}1`)).toBe(1)
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })
})

describe('an integer', () => {
  it('is a number up to 2^53, then a bigint, and has at most 64 bits', () => {
    expect(integer(2n ** 53n - 1n)).toBe(2 ** 53 - 1)
    expect(integer(2n ** 53n)).toBe(2n ** 53n)
    expect(integer(2n ** 63n - 1n)).toBe(2n ** 63n - 1n)
    expect(integer(2n ** 64n - 1n)).toBe(2n ** 64n - 1n)
    expect(integer(2n ** 64n)).toBeUndefined()
    expect([int64(2n ** 63n - 1n), int64(2n ** 63n), int64(5n)]).toEqual([2n ** 63n - 1n, undefined, 5])
    expect(integer(-(2n ** 63n))).toBe(-(2n ** 63n))
    expect(integer(-(2n ** 63n) - 1n)).toBeUndefined()
    expect([1, 1n, 1.5, 2 ** 53, '1', null].map(isInteger)).toEqual([true, true, false, false, false, false])
  })
})

describe('a moment', () => {
  const MOMENTS: readonly (readonly [Scalar, Moment | undefined])[] = [
    [0, 0],
    [99_999_999_999, 99_999_999_999_000_000n],
    [100_000_000_000, 100_000_000_000_000],
    [99_999_999_999_999, 99_999_999_999_999_000n],
    [100_000_000_000_000, 100_000_000_000_000],
    [99_999_999_999_999_999n, 99_999_999_999_999_999n],
    [9_007_199_254_740_991, 9_007_199_254_740_991],
    [9_007_199_254_740_992n, 9_007_199_254_740_992n],
    ['2255-06-05T23:47:34.740991Z', 9_007_199_254_740_991],
    ['2255-06-05T23:47:34.740993Z', 9_007_199_254_740_993n],
    ['1684-07-28T00:12:25.259007Z', -9_007_199_254_740_993n],
    ['9025257600.000001', 9_025_257_600_000_001n],
    [100_000_000_000_000_000n, 100_000_000_000_000],
    [1.0000019, 1_000_001],
    ['1.0000019', 1_000_001],
    ['1795521600.5', 1_795_521_600_500_000],
    ['1795521600123.5', 1_795_521_600_123_500],
    [1e-7, 0],
    [-1, -1_000_000],
    ['-1', undefined],
    ['1e3', undefined],
    ['2026-11-24', 1_795_478_400_000_000],
    ['2026-11-24T12:00:00+02:00', 1_795_514_400_000_000],
    ['0001-01-01', -62_135_596_800_000_000n],
    ['0001-01-01T00:00:00.000001Z', -62_135_596_799_999_999n],
    ['0001-01-01T00:00:00+00:01', undefined],
    ['9999-12-31T23:59:59.999999-00:01', undefined],
    ['0000-12-31', undefined],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
    ['9999-12-31T23:59:59.99Z', 253_402_300_799_990_000n],
    ['253402300799999999', 253_402_300_799_999],
    ['9'.repeat(30), undefined],
    [1e300, undefined],
    [true, undefined],
    [new RawJson('0'), undefined],
    [null, undefined],
    [new CivilDate(1), 86_400_000_000],
  ]

  it.each(MOMENTS)('%s', (value, us) => {
    expect(momentUs(value)).toBe(us)
  })
})
