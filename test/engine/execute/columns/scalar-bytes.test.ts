import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteReader } from '../../../../src/base/memory/byte-reader.js'
import { ByteWriter } from '../../../../src/base/memory/byte-writer.js'
import { readScalar, writeScalar } from '../../../../src/engine/execute/columns/scalar-bytes.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp } from '../../../../src/plan/values/values.js'

const moment = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2n ** 55n, -(2n ** 60n)))
const plain = fc.oneof<fc.Arbitrary<Scalar>[]>(
  fc.constantFrom<Scalar>(
    null,
    true,
    false,
    0,
    -0,
    2 ** 53,
    2 ** 53 - 1,
    1e17,
    10n ** 17n,
    2n ** 64n - 1n,
    -(2n ** 63n),
  ),
  fc.constantFrom<Scalar>('', 'NaN', '__proto__', '…', '\ud800', 'a\ud800\udc00', '\u0000', new RawJson('{"a":1.0}')),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
  moment.map((us) => new Timestamp(us)),
  moment.map((us) => new Datetime(us)),
  fc.integer().map((days) => new CivilDate(days)),
)
const { value } = fc.letrec<{ value: Scalar; list: Scalar }>((tie) => ({
  value: fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: tie('list') }),
  list: fc.array(tie('value'), { maxLength: 4 }),
}))

it('a value that was written is read with its type, its sign and all its digits', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (values) => {
      const out = new ByteWriter()
      for (const value of values) writeScalar(value, out)
      const reader = new ByteReader(out.copy())
      const read = values.map(() => readScalar(reader))
      expect(reader.isAtEnd).toBe(true)
      for (const [i, value] of values.entries()) expect(read[i]).toStrictEqual(value)
    }),
  )
})

it('bytes that no value has are an error', () => {
  expect(() => readScalar(new ByteReader(Buffer.of(99)))).toThrow('No value has the tag 99.')
})
