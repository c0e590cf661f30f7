import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { call, column, type Expression, literal } from '../../src/plan/expression.js'
import type { Operator, Plan } from '../../src/plan/plan.js'
import { schemaOf, typeOf, typeOfValue } from '../../src/plan/schema.js'
import { CivilDate, Datetime, RawJson, type Scalar, Timestamp, type Type } from '../../src/plan/values/values.js'

const EDGE: Operator = { op: 'scan', sources: ['edge_logs'], fromUs: 0, throughUs: 1 }
const ID: Operator = { op: 'select', columns: [{ name: 'id', value: column('id') }] }
const named = (name: string, value: Expression) => ({ name, value })
const types = (plan: Plan) => Object.fromEntries(schemaOf(plan))

describe('the columns of a plan', () => {
  it('are those of the source, in order', () => {
    expect([...schemaOf([EDGE])]).toEqual([
      ['id', 'text'],
      ['timestamp', 'timestamp'],
      ['event_message', 'text'],
      ['project', 'text'],
      ['metadata', 'json'],
      ['url', 'text'],
      ['path', 'text'],
      ['status_code', 'number'],
    ])
  })

  it('of several sources are those that all have', () => {
    const plan: Plan = [{ ...EDGE, op: 'scan', sources: ['edge_logs', 'function_edge_logs'] }]
    expect([...schemaOf(plan).keys()]).toEqual([
      'id',
      'timestamp',
      'event_message',
      'project',
      'metadata',
      'status_code',
    ])
  })

  it('of the empty plan are none', () => {
    expect(types([])).toEqual({})
  })

  it('follow the operators', () => {
    const plan: Plan = [
      EDGE,
      { op: 'unnest', list: column('metadata'), name: 'm', isOuter: false },
      { op: 'isIn', value: column('m'), plan: [EDGE, ID], name: 'known' },
      { op: 'filter', where: call('and', column('known'), call('is_null', column('m'))) },
      { op: 'extend', columns: [named('n', call('length', column('url'))), named('timestamp', literal('x'))] },
      { op: 'orderBy', keys: [{ by: column('n'), direction: 'asc', nulls: 'last' }] },
      { op: 'limit', rows: 1, offset: 0 },
      {
        op: 'select',
        columns: [
          named('m', column('m')),
          named('n', column('n')),
          named('t', column('timestamp')),
          named('known', column('known')),
        ],
      },
    ]
    expect(types(plan)).toEqual({ m: 'any', n: 'integer', t: 'text', known: 'boolean' })
  })

  it('of a group are its keys, then its aggregates', () => {
    const of = (fn: 'sum' | 'max' | 'share', arg: Expression) => ({ fn, args: [arg] })
    const plan: Plan = [
      EDGE,
      {
        op: 'group',
        keys: [named('hour', call('timestamp_trunc', column('timestamp'), literal('hour')))],
        aggregates: [
          { name: 'n', value: { fn: 'count', args: [] } },
          { name: 'lengths', value: of('sum', call('length', column('url'))) },
          { name: 'codes', value: of('sum', column('status_code')) },
          { name: 'last', value: of('max', column('url')) },
          { name: 'errors', value: of('share', call('ge', column('status_code'), literal(400))) },
          { name: 'some', value: { fn: 'array_agg', args: [column('url'), literal(3)] } },
        ],
      },
    ]
    expect([...schemaOf(plan)]).toEqual([
      ['hour', 'timestamp'],
      ['n', 'count'],
      ['lengths', 'integer'],
      ['codes', 'number'],
      ['last', 'text'],
      ['errors', 'number'],
      ['some', 'list'],
    ])
  })

  it('of a union have the names of the first plan, and `any` where types differ', () => {
    const one = (...columns: [string, Scalar][]): Plan => [
      EDGE,
      { op: 'select', columns: columns.map(([name, value]) => named(name, literal(value))) },
    ]
    const union: Plan = [{ op: 'union', plans: [one(['a', 1], ['b', 'x']), one(['c', 2], ['d', true])] }]
    expect(types(union)).toEqual({ a: 'integer', b: 'any' })
  })
})

describe('a wrong plan', () => {
  const select = (...columns: ReturnType<typeof named>[]): Operator => ({ op: 'select', columns })
  const WRONG: readonly (readonly [string, Plan])[] = [
    ['A plan starts with scan, view or union, and only there: filter.', [{ op: 'filter', where: literal(true) }]],
    ['A plan starts with scan, view or union, and only there: scan.', [EDGE, EDGE]],
    ['A scan needs a source.', [{ op: 'scan', sources: [], fromUs: 0, throughUs: 1 }]],
    ['There is no column b, but a.', [EDGE, select(named('a', literal(1))), { op: 'filter', where: column('b') }]],
    ['There is no function nothing.', [EDGE, { op: 'filter', where: call('nothing' as never) }]],
    ['There is no function constructor.', [EDGE, { op: 'filter', where: call('constructor' as never) }]],
    ['not takes 1 argument, and got 2.', [EDGE, { op: 'filter', where: call('not', literal(true), literal(true)) }]],
    ['substr takes 2 to 3 arguments, and got 1.', [EDGE, { op: 'filter', where: call('substr', literal('a')) }]],
    [
      'max takes 1 argument, and got 0.',
      [EDGE, { op: 'group', keys: [], aggregates: [{ name: 'a', value: { fn: 'max', args: [] } }] }],
    ],
    [
      'There is no function median.',
      [EDGE, { op: 'group', keys: [], aggregates: [{ name: 'a', value: { fn: 'median' as never, args: [] } }] }],
    ],
    ['Two columns have the same name.', [EDGE, select(named('a', literal(1)), named('a', literal(2)))]],
    [
      'Two columns have the same name.',
      [
        EDGE,
        { op: 'group', keys: [named('a', literal(1))], aggregates: [{ name: 'a', value: { fn: 'count', args: [] } }] },
      ],
    ],
    [
      'The plans of a union differ in their columns.',
      [{ op: 'union', plans: [[EDGE], [EDGE, select(named('a', literal(1)))]] }],
    ],
    [
      'The plan of isIn must have one column, and has 8.',
      [EDGE, { op: 'isIn', value: literal(1), plan: [EDGE], name: 'a' }],
    ],
    [
      'The plan of isIn must have one column, and has 0.',
      [EDGE, { op: 'isIn', value: literal(1), plan: [], name: 'a' }],
    ],
    [
      'There is no column x, but id, timestamp, event_message, project, metadata, url, path, status_code. ' +
        'A field is written metadata.x.',
      [EDGE, { op: 'orderBy', keys: [{ by: column('x'), direction: 'asc', nulls: 'last' }] }],
    ],
  ]

  const byTime = (...keys: Expression[]): Operator => ({
    op: 'orderBy',
    keys: (keys.length === 0 ? [column('timestamp')] : keys).map((by) => ({ by, direction: 'desc', nulls: 'last' })),
    rank: 'rank',
  })
  const LIMIT: Operator = { op: 'limit', rows: 1, offset: 0 }
  const ONLY_KEY = 'The only key of an order with a rank must be the stored column timestamp.'
  const shifted = call('time_add', column('timestamp'), literal(1), literal('day'))
  const WRONG_RANKS: readonly (readonly [string, Plan])[] = [
    [ONLY_KEY, [EDGE, byTime(column('id'))]],
    [ONLY_KEY, [EDGE, byTime(column('timestamp'), column('id'))]],
    [ONLY_KEY, [EDGE, byTime(shifted)]],
    [ONLY_KEY, [EDGE, { op: 'extend', columns: [named('timestamp', shifted)] }, byTime()]],
    [ONLY_KEY, [EDGE, select(named('timestamp', column('id'))), byTime()]],
    [ONLY_KEY, [EDGE, { op: 'unnest', list: column('metadata'), name: 'timestamp', isOuter: false }, byTime()]],
    [ONLY_KEY, [{ op: 'union', plans: [[EDGE]] }, byTime()]],
    [ONLY_KEY, [EDGE, LIMIT, byTime()]],
    [
      'An order with a rank must end the plan, or be directly before limit, not filter.',
      [EDGE, byTime(), { op: 'filter', where: literal(true) }, LIMIT],
    ],
    ['Two columns have the same name.', [EDGE, select(named('rank', literal(1))), byTime()]],
  ]

  it.each(WRONG_RANKS)('a rank: %s (%#)', (message, plan) => {
    expect(() => schemaOf(plan)).toThrow(new TypeError(message))
  })

  it('has a rank behind the other columns of an order by the stored time', () => {
    const time = named('timestamp', column('timestamp'))
    for (const plan of [
      [EDGE, select(time), byTime()],
      [EDGE, select(time), byTime(), LIMIT],
      [EDGE, { op: 'extend', columns: [time] }, { op: 'filter', where: literal(true) }, select(time), byTime(), LIMIT],
    ] satisfies Plan[]) {
      expect([...schemaOf(plan)]).toEqual([
        ['timestamp', 'timestamp'],
        ['rank', 'integer'],
      ])
    }
    expect(types([EDGE, select(named('id', column('id'))), byTime()])).toEqual({ id: 'text', rank: 'integer' })
    const behind = [EDGE, byTime(), LIMIT, { op: 'filter', where: call('gt', column('rank'), literal(1)) }] as const
    expect(schemaOf(behind).get('rank')).toBe('integer')
  })

  it.each(WRONG)('%s', (message, plan) => {
    expect(() => schemaOf(plan)).toThrow(new TypeError(message))
  })

  it('has a literal next to a time that is no time: an error of the query', () => {
    const filter = (fn: 'eq' | 'in', ...args: Expression[]): Plan => [EDGE, { op: 'filter', where: call(fn, ...args) }]
    for (const plan of [
      filter('eq', column('timestamp'), literal('noon')),
      filter('eq', literal('noon'), column('timestamp')),
      filter('in', column('timestamp'), literal('2026-11-24'), literal('noon')),
    ]) {
      expect(() => schemaOf(plan)).toThrow(
        new LogweirError('invalid_sql', '"noon" is no time. Write it as ISO 8601: 2026-11-24T12:00:00Z.'),
      )
    }
    expect(() => schemaOf(filter('eq', column('timestamp'), literal('2026-11-24')))).not.toThrow()
    expect(() => schemaOf(filter('eq', column('url'), literal('noon')))).not.toThrow()
  })
})

describe('the type of an expression', () => {
  it('is found once for a part that occurs many times', () => {
    let doubled = column('status_code')
    for (let i = 0; i < 60; i++) doubled = call('add', doubled, doubled)
    expect(typeOf(doubled, schemaOf([EDGE]))).toBe('number')
    expect(types([EDGE, { op: 'group', keys: [named('key', doubled)], aggregates: [] }])).toEqual({ key: 'number' })
  })

  const VALUES: readonly (readonly [Scalar, Type])[] = [
    [null, 'null'],
    [true, 'boolean'],
    [1, 'integer'],
    [2n ** 62n, 'integer'],
    [1.5, 'number'],
    [1e16, 'number'],
    ['a', 'text'],
    [new Timestamp(0), 'timestamp'],
    [new Datetime(0), 'datetime'],
    [new CivilDate(0), 'date'],
    [new RawJson('{}'), 'json'],
    [[], 'list'],
  ]
  it.each(VALUES)('%s is %s', (value, type) => {
    expect(typeOfValue(value)).toBe(type)
  })

  const l = literal
  const CALLS: readonly (readonly [Expression, Type])[] = [
    [call('add', l(1), l(2)), 'integer'],
    [call('add', l(1), l(2.5)), 'number'],
    [call('div', l(1), l(2)), 'number'],
    [call('neg', l(1)), 'integer'],
    [call('if', l(true), l(1), l(2)), 'integer'],
    [call('if', l(true), l(1), l(2.5)), 'number'],
    [call('if', l(true), l(1), l(null)), 'integer'],
    [call('if', l(true), l(1), l('a')), 'any'],
    [call('case', l(true), l('a')), 'text'],
    [call('case', l(true), l('a'), l(false), l('b')), 'text'],
    [call('case', l(true), l('a'), l('b')), 'text'],
    [call('case', l(true), l('a'), l(1)), 'any'],
    [call('coalesce', l(null), l(null)), 'null'],
    [call('time_add', l(new CivilDate(0)), l(1), l('day')), 'date'],
    [call('time_add', l('1970-01-01'), l(1), l('day')), 'timestamp'],
    [call('extract', l(new Timestamp(0)), l('hour')), 'integer'],
    [call('extract', l(new Timestamp(0)), l('Date')), 'date'],
    [call('extract', l(new Timestamp(0)), call('lower', l('DATE'))), 'any'],
    [call('split', l('a')), 'list'],
    [call('safe_cast_date', l('a')), 'date'],
  ]
  it.each(CALLS)('%j', (expression, type) => {
    expect(typeOf(expression, new Map())).toBe(type)
  })
})
