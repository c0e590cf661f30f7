import { describe, expect, it } from 'vitest'
import { FUNCTIONS } from '../../../src/plan/functions/table.js'
import { Membership, membershipOf } from '../../../src/plan/values/membership.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../../../src/plan/values/values.js'
import { below, mulberry32, oneOf } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const DAY_US = 86_400_000_000
const has = (value: Scalar, ...values: Scalar[]) => new Membership(values).has(value)

/** Whether a value is among others, by comparison with each value in turn. */
function hasLinearly(value: Scalar, values: readonly Scalar[]): Scalar {
  if (values.length === 0) return false
  const cells = [value, ...values].map((one) => () => one)
  return FUNCTIONS.in.bind(cells, [])(0)
}

/** Values of which many equal a value of another type, and some nearly do. */
const VALUES: readonly Scalar[] = [
  ...[null, true, false, '', 'a', 'A', 'true', 'noon', '～', '😀'],
  ...[0, -0, 1, 1.5, -1, '1', '01', '1.0', '+1', '1e0', ' 1', '-0', '.5', 0.5, '1.5'],
  ...[2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, 9007199254740993n, 9007199254740994n, -9007199254740993n],
  ...['9007199254740993', '9007199254740992', '9007199254740992.0', '9.007199254740993e15'],
  ...[2 ** 63, 2n ** 63n - 1n, -(2n ** 63n), '9223372036854775807', '9223372036854775808', 1e300, '1e300', '1e400'],
  ...[new Timestamp(0), new Datetime(0), new CivilDate(0), new Timestamp(1_000_000), new CivilDate(1)],
  ...[new Timestamp(DAY_US), '1970-01-02', '1970-01-01T00:00:01Z', '1970-01-01 01:00:01+01', 86_400, '86400'],
  ...[new RawJson('{}'), new RawJson('[]'), new RawJson('{ }'), '{}'],
  ...[[], [1], ['1'], [1, null], [new Timestamp(0)], [[1]], [9007199254740993n], [2 ** 53]],
]

describe('a value among others', () => {
  it('is one of the same type that is equal', () => {
    expect(has('a', 'b', 'a')).toBe(true)
    expect(has('A', 'b', 'a')).toBe(false)
    expect(has(2, 1, 2)).toBe(true)
    expect(has(true, false)).toBe(false)
    expect(has(new RawJson('{}'), new RawJson('{}'))).toBe(true)
    expect(has(new RawJson('{}'), new RawJson('{ }'))).toBe(false)
    expect(has([1, 'a'], [1, 'b'], [1, 'a'])).toBe(true)
  })

  it('is a number that a text spells, and the other way round; two texts are compared as they are', () => {
    expect(has(500, '500.0')).toBe(true)
    expect(has('5e2', 500)).toBe(true)
    expect(has('500', '500.0')).toBe(false)
    expect(has('500', true)).toBe(false)
  })

  it('is exact for integers, and a double for others', () => {
    expect(has(9007199254740993n, 9007199254740995n)).toBe(false)
    expect(has('9007199254740993', 9007199254740993n)).toBe(true)
    // The double represents several integers.
    expect(has(9007199254740992, 9007199254740993n)).toBe(true)
    expect(has(9007199254740993n, 9007199254740992)).toBe(true)
    expect(has(9007199254740991, 9007199254740993n)).toBe(false)
  })

  it('is a moment next to times', () => {
    expect(has(new Timestamp(0), new CivilDate(0))).toBe(true)
    expect(has(new Timestamp(1_000_000), '1970-01-01T00:00:01Z')).toBe(true)
    expect(has(1, new Timestamp(1_000_000))).toBe(true)
    expect(has('noon', new Timestamp(0))).toBe(null)
    expect(has(new Timestamp(0), 'noon', 1)).toBe(null)
    expect(has(new Timestamp(0), 'noon', 0)).toBe(true)
    expect(has(new Timestamp(0), 1, true, new RawJson('{}'))).toBe(false)
  })

  it('is unknown next to null, and null among some; none is among no values', () => {
    expect(has(1, null)).toBe(null)
    expect(has(1, null, 1)).toBe(true)
    expect(has(null, 1)).toBe(null)
    expect(has(null)).toBe(false)
    expect(has(1)).toBe(false)
  })

  it('is found as by comparing it with one after the other', () => {
    const seed = testSeed()
    const random = mulberry32(seed)
    for (let run = 0; run < 20_000; run++) {
      const values = Array.from({ length: below(random, 6) }, () => oneOf(random, VALUES))
      const members = new Membership()
      if (random() < 0.5) members.expectTimes()
      for (const value of values) members.add(value)
      for (let i = 0; i < 3; i++) {
        const value = oneOf(random, VALUES)
        expect([seed, run, value, values, members.has(value)]).toEqual([
          seed,
          run,
          value,
          values,
          hasLinearly(value, values),
        ])
      }
    }
  })

  it('is known from values that are kept once', () => {
    const members = new Membership([
      'a',
      1,
      '1',
      'a',
      1,
      null,
      null,
      true,
      true,
      2n ** 60n,
      2n ** 60n,
      new Timestamp(0),
    ])
    expect(members.values).toEqual(['a', 1, '1', null, true, 2n ** 60n, new Timestamp(0)])
    expect(members.add('1')).toBe(false)
    expect(members.add('01')).toBe(true)
    expect(members.add(new Datetime(0))).toBe(false)
  })

  it('is found by the same object for the same list', () => {
    const list = [1, 2]
    expect(membershipOf(list)).toBe(membershipOf(list))
    expect(membershipOf([1, 2])).not.toBe(membershipOf(list))
    const members = new Membership([3])
    expect(membershipOf(members.values)).toBe(members)
  })
})
