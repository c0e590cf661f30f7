/** Random rows of answers, with values that are hard to write. */
import fc from 'fast-check'
import type { AnswerColumn, ColumnKind, Row, Value } from '../../../src/plan/answer.js'
import { datetimeText } from '../../../src/plan/values/times.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { isReadRight } from '../../support/json.js'

/** JSON has no negative zero. */
const unsigned = (value: number) => value + 0
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' ', '"', '""', ',', '\n', '\r\n', 'null', '=1+1', '\\', '\\"', 'a\\', '}', '{"a":[', '\u2028'),
)
const jsonText = fc.oneof(
  fc.json().map((json) => `[${json}]`),
  fc.json().map((json) => `{ "a" :\r\n\t${json}\n}`),
  fc.constantFrom('{}', '{"n":12345678901234567890,"m":1.0,"e":1e5}', '{"a":"}]\\"","b":["\\\\"]}'),
)
/** An integer beyond 2^53 is a JSON number with all digits. */
const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => {
  const double = Number(value)
  return Number.isSafeInteger(double) ? double : new RawJson(String(value))
})
const VALUES: Record<ColumnKind, fc.Arbitrary<Value>> = {
  text,
  json: jsonText.map((json) => new RawJson(json)),
  microseconds: fc.integer({ min: -4e15, max: 4e15 }).map(unsigned),
  datetime: fc.integer({ min: 0, max: 4e15 }).map((us) => datetimeText(us % 2 === 0 ? us - (us % 1e6) : us)),
  integer,
  count: fc.maxSafeNat(),
  double: fc.double().map(unsigned),
  boolean: fc.boolean(),
  any: fc.oneof(
    text,
    jsonText.map((json) => new RawJson(json)),
    integer,
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(unsigned),
  ),
}
/** Columns of an answer, and rows with the columns. */
export const columnsAndRows = fc
  .uniqueArray(
    fc.record({
      name: text.filter((name) => name !== '' && isReadRight(name)),
      kind: fc.constantFrom(...(Object.keys(VALUES) as ColumnKind[])),
    }),
    {
      minLength: 2,
      maxLength: 5,
      selector: ({ name }) => name,
    },
  )
  .chain((columns) => {
    const row = fc
      .tuple(...columns.map(({ kind }) => fc.option(VALUES[kind])))
      .map((values) => Object.fromEntries(columns.map(({ name }, i) => [name, values[i]!])) as Row)
    return fc.tuple(fc.constant(columns as AnswerColumn[]), fc.array(row, { maxLength: 4 }))
  })
