import { describe, expect, it } from 'vitest'
import { answerColumns, answerValue } from '../../src/plan/answer.js'
import { atLeast, count, countWhere, max, nothing, scan, share } from '../../src/plan/builder.js'
import { column, literal } from '../../src/plan/expression.js'
import { CivilDate, Datetime, RawJson, Timestamp } from '../../src/plan/values/values.js'

const range = { fromUs: 1, throughUs: 2 }

describe('the columns of a plan', () => {
  it('are those that it selects', () => {
    const plan = scan('edge_logs', range).select('metadata', 'timestamp', 'id').orderBy('timestamp', 'desc')
    const columns = [
      { name: 'metadata', kind: 'json' },
      { name: 'timestamp', kind: 'microseconds' },
      { name: 'id', kind: 'text' },
    ]
    expect(answerColumns(plan.limit(9))).toEqual(columns)
    expect(answerColumns(plan.limit(0))).toEqual(columns)
  })

  it('are the bucket and its aggregates', () => {
    const plan = (as: 'microseconds' | 'datetime') =>
      scan('function_edge_logs', range)
        .truncate('timestamp', 'hour', as)
        .group('timestamp')
        .aggregate({
          count: count(),
          errors: countWhere(atLeast('status_code', 400)),
          slowest: max('execution_time_ms'),
        })
        .orderBy('timestamp')
    const aggregates = [
      { name: 'count', kind: 'count' },
      { name: 'errors', kind: 'count' },
      { name: 'slowest', kind: 'double' },
    ]
    expect(answerColumns(plan('datetime').limit(1))).toEqual([{ name: 'timestamp', kind: 'datetime' }, ...aggregates])
    expect(answerColumns(plan('microseconds').limit(0))).toEqual([
      { name: 'timestamp', kind: 'microseconds' },
      ...aggregates,
    ])
  })

  it('are the text that rows are grouped by, and its aggregates', () => {
    const plan = scan('function_edge_logs', range)
      .group('function_id')
      .aggregate({ count: count(), errors: share(atLeast('status_code', 400)) })
      .orderBy('errors', 'desc')
      .limit(20)
    expect(answerColumns(plan)).toEqual([
      { name: 'function_id', kind: 'text' },
      { name: 'count', kind: 'count' },
      { name: 'errors', kind: 'double' },
    ])
  })

  it('are every column of a source without a select, in its order', () => {
    expect(answerColumns(scan('edge_logs', range).limit(1)).map(({ name }) => name)).toEqual([
      'id',
      'timestamp',
      'event_message',
      'project',
      'metadata',
      'url',
      'path',
      'status_code',
    ])
  })

  it('have the types of literals, and those of the columns that they rename', () => {
    const values = { a: literal(1), b: literal(1.5), c: literal(true), d: literal(null), e: column('id') }
    const dates = { f: literal(new CivilDate(1)), g: literal(new Datetime(1)), h: literal(new Timestamp(1)) }
    const plan = scan('edge_logs', range)
      .select({ ...values, ...dates })
      .limit(1)
    expect(answerColumns(plan).map(({ kind }) => kind)).toEqual([
      'integer',
      'double',
      'boolean',
      'any',
      'text',
      'text',
      'datetime',
      'microseconds',
    ])
  })

  it('are none of the plan without operators', () => {
    expect(answerColumns(nothing())).toEqual([])
  })
})

describe('a value of an answer', () => {
  it.each([
    [null, null],
    ['a', 'a'],
    [1.5, 1.5],
    [false, false],
    [new RawJson('{"a": 1.0}'), new RawJson('{"a": 1.0}')],
    [new Timestamp(1_500_000), 1_500_000],
    [new Datetime(1_500_000), '1970-01-01T00:00:01.500000'],
    [new CivilDate(1), '1970-01-02'],
    [2n ** 53n + 1n, new RawJson('9007199254740993')],
    [['a', null, 1], new RawJson('["a",null,1]')],
    [[new Timestamp(1_500_000), new CivilDate(1), [new Timestamp(-1)]], new RawJson('[1500000,"1970-01-02",[-1]]')],
  ])('of %s is %s', (value, expected) => {
    expect(answerValue(value)).toEqual(expected)
  })
})
