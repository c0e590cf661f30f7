import { describe, expect, test } from 'vitest'
import { columnsOf } from '../../../src/page/answer/columns-of.js'
import { timeUsOf } from '../../../src/page/answer/times-in.js'
import { parseExact, type Row } from '../../../src/page/api/api.js'

const US = Date.UTC(2026, 10, 20, 10) * 1_000

/** Returns the inferred kind of a column of values. */
const kindOf = (name: string, ...values: unknown[]) => columnsOf(values.map((value) => ({ [name]: value })))[0]!.kind

describe('columnsOf', () => {
  test.each([
    ['timestamp', [US, null], 'microseconds'],
    ['f0_', [US], 'microseconds'],
    ['hour', [US, US + 3_600e6], 'microseconds'],
    ['moment', [US], 'microseconds'],
    // A moment in 1995: only the name of a time makes the column a time.
    ['latest', [8e14], 'microseconds'],
    ['moment', [8e14], 'integer'],
    ['request_id', [US], 'integer'],
    ['total_bytes', [US], 'count'],
    ['timestamp', [US, 5], 'integer'],
    ['hour', [0, 23], 'integer'],
    ['requests', [0, 3], 'count'],
    ['f0_', [3], 'count'],
    ['count', [3, -1], 'integer'],
    ['status', [200], 'integer'],
    ['p95', [1.5, null, 2], 'double'],
    ['day', ['2026-11-20', '2026-11-21'], 'text'],
    ['t', ['2026-11-20T10:00:00', '2026-11-20T10:00:00.123456Z'], 'datetime'],
    ['t', ['2026-11-20T10:00:00', 'later'], 'text'],
    ['level', ['error', null], 'text'],
    ['is_slow', [true, false], 'boolean'],
    ['metadata', [[{ a: 1 }], {}], 'json'],
    ['mixed', [1, 'a'], 'any'],
    ['nothing', [null, null], 'text'],
  ])('%s of %j is %s', (name, values, kind) => expect(kindOf(name, ...values)).toBe(kind))

  // Node 20 has no raw JSON. test/page/sql.test.ts has such numbers in a browser.
  if ('rawJSON' in JSON)
    test('knows numbers whose digits a double has not, and those that are written as 12.0', () => {
      const rows = parseExact('[{"big":12345678901234567890,"average":12.0},{"big":1,"average":3}]') as Row[]
      expect(columnsOf(rows)).toEqual([
        { name: 'big', kind: 'integer' },
        { name: 'average', kind: 'double' },
      ])
    })

  test('keeps the kinds that the service names, but for values of any kind', () => {
    const rows = [{ timestamp: 5, value: 1.5, other: 'a' }]
    const known = [
      { name: 'timestamp', kind: 'microseconds' },
      { name: 'value', kind: 'any' },
    ]
    expect(columnsOf(rows, known)).toEqual([
      known[0],
      { name: 'value', kind: 'double' },
      { name: 'other', kind: 'text' },
    ])
    expect(columnsOf([], known)).toBe(known)
  })
})

test('times in texts have their offset, or else UTC', () => {
  for (const [text, us] of [
    ['2026-11-20T10:00:00', US],
    ['2026-11-20 10:00:00.123456Z', US + 123_456],
    ['2026-11-20T11:00:00+01:00', US],
    ['2026-11-20', US - 36e9],
  ] as const)
    expect([text, timeUsOf(text)]).toEqual([text, us])
  for (const value of ['10:00', 'now', null, undefined, '2026', {}]) expect(timeUsOf(value)).toBeNaN()
})
