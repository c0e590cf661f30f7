import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quoteLongIntegers } from '../../../src/base/text/long-integers.js'
import { isReadRight } from '../../support/json.js'

describe('quoteLongIntegers', () => {
  test.each([
    ['{"a":1234567890123456}', '{"a":"1234567890123456"}'],
    ['[-9223372036854775808, 1]', '["-9223372036854775808", 1]'],
    ['{"a": 1700000000000000001,"b":"1700000000000000001"}', '{"a": "1700000000000000001","b":"1700000000000000001"}'],
    ['{"\\":1234567890123456789":1234567890123456789}', '{"\\":1234567890123456789":"1234567890123456789"}'],
    ['["\\\\",1234567890123456789]', '["\\\\","1234567890123456789"]'],
    ['[123456789012345,1234567890123456789]', '[123456789012345,"1234567890123456789"]'],
    ['[-123456789012345,1234567890123456]', '[-123456789012345,"1234567890123456"]'],
  ])('%s', (json, quoted) => {
    expect(quoteLongIntegers(json)).toBe(quoted)
  })

  test.each([
    '{"a":123456789012345}',
    '[-123456789012345, "1234567890123456"]',
    '[1234567890123456789.5,1234567890123456789e3,1234567890123456789E-3]',
    '[0.1234567890123456789]',
    '[1e-1234567890123456789]',
    '{"a":":1234567890123456789',
    '[":1234567890123456789\\',
    '',
  ])('leaves %s', (json) => {
    expect(quoteLongIntegers(json)).toBe(json)
  })

  test('changes no JSON but for those', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n })
    const leaf = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), integer)
    const name = fc.string().filter(isReadRight)
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(name, tie('value'))),
    }))
    const write = (one: unknown, integerOf: (number: bigint) => string): string => {
      if (typeof one === 'bigint') return integerOf(one)
      if (Array.isArray(one)) return `[${one.map((inner) => write(inner, integerOf)).join(', ')}]`
      if (typeof one !== 'object') return JSON.stringify(one)
      const members = Object.entries(one!).map(([key, inner]) => `${JSON.stringify(key)} :\n${write(inner, integerOf)}`)
      return `{${members.join(' ,')}}`
    }
    fc.assert(
      fc.property(value, (one) => {
        const bare = write(one, String)
        const quoted = write(one, (number) => (/\d{16}/.test(`${number}`) ? `"${number}"` : `${number}`))
        // Doubles without a fraction are written as integers too.
        expect(JSON.parse(quoteLongIntegers(bare), plain)).toEqual(JSON.parse(quoted, plain))
      }),
    )
  })
})

/** Reviver that converts strings of long integers to numbers, so that quoted and unquoted doubles compare as equal. */
const plain = (_: string, one: unknown) => (typeof one === 'string' && /^-?\d{16,}$/.test(one) ? Number(one) : one)
