import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../../src/engine/clickhouse/shape.js'
import {
  atLeast,
  contains,
  count,
  countWhere,
  equals,
  matches,
  max,
  mean,
  min,
  nothing,
  quantile,
  scan,
  share,
} from '../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../src/plan/expression.js'
import type { NamedAggregate, Operator, Plan } from '../../../src/plan/plan.js'

const range = { fromUs: 1, throughUs: 2 }
const own = equals('project', 'a')
const rows = (...columns: [string, ...string[]]) =>
  scan('edge_logs', range)
    .filter(own)
    .select(...columns)
    .orderBy('timestamp', 'desc')
    .limit(100)
const buckets = () =>
  scan('function_edge_logs', range)
    .filter(own)
    .truncate('timestamp', 'hour')
    .group('timestamp')
    .aggregate({ count: count(), errors: countWhere(atLeast('status_code', 400)) })
    .orderBy('timestamp')
    .limit(1000)
const grouped = () =>
  scan('function_edge_logs', range)
    .filter(own)
    .group('function_id')
    .aggregate({ count: count(), errors: share(atLeast('status_code', 400)) })
const groups = (orderBy: 'errors' | 'function_id' = 'errors', direction: 'asc' | 'desc' = 'desc') =>
  grouped().orderBy(orderBy, direction).limit(20)

/** The plan with each operator of a kind changed. */
const changed = <Op extends Operator['op']>(plan: Plan, op: Op, change: Partial<Extract<Operator, { op: Op }>>): Plan =>
  plan.map((operator) => (operator.op === op ? ({ ...operator, ...change } as Operator) : operator))

describe('the shape of a plan', () => {
  it('is undefined for the plan that has no rows', () => {
    expect(shapeOf(nothing())).toBeUndefined()
    expect(shapeOf(changed(rows('id'), 'limit', { rows: 0 }))).toBeUndefined()
  })

  it('is rows', () => {
    expect(shapeOf(rows('id', 'timestamp', 'event_message', 'metadata'))).toEqual({
      kind: 'rows',
      source: 'edge_logs',
      fromUs: 1,
      throughUs: 2,
      predicates: [{ test: 'equals', column: 'project', value: 'a' }],
      columns: ['id', 'timestamp', 'event_message', 'metadata'],
      limit: 100,
    })
  })

  it('is buckets', () => {
    expect(shapeOf(buckets())).toEqual({
      kind: 'buckets',
      source: 'function_edge_logs',
      fromUs: 1,
      throughUs: 2,
      predicates: [{ test: 'equals', column: 'project', value: 'a' }],
      unit: 'hour',
      as: 'microseconds',
      aggregates: [
        ['count', { fn: 'count' }],
        ['errors', { fn: 'countWhere', where: { test: 'atLeast', column: 'status_code', value: 400 } }],
      ],
      limit: 1000,
    })
    const asText = scan('edge_logs', range).truncate('timestamp', 'day', 'datetime').group('timestamp')
    const plan = asText.aggregate({ n: count() }).orderBy('timestamp').limit(1)
    expect(shapeOf(plan)).toMatchObject({ unit: 'day', as: 'datetime', predicates: [] })
  })

  it('is groups', () => {
    expect(shapeOf(groups())).toEqual({
      kind: 'groups',
      source: 'function_edge_logs',
      fromUs: 1,
      throughUs: 2,
      predicates: [{ test: 'equals', column: 'project', value: 'a' }],
      by: 'function_id',
      aggregates: [
        ['count', { fn: 'count' }],
        ['errors', { fn: 'share', where: { test: 'atLeast', column: 'status_code', value: 400 } }],
      ],
      orderBy: 'errors',
      direction: 'desc',
      limit: 20,
    })
    expect(shapeOf(groups('function_id', 'asc'))).toMatchObject({ orderBy: 'function_id', direction: 'asc' })
    for (const by of ['url', 'url_path'] as const) {
      const plan = scan('edge_logs', range).group(by).aggregate({ n: count() }).orderBy('n').limit(1)
      expect(shapeOf(plan)).toMatchObject({ by })
    }
  })

  it('has every aggregate of a column of numbers', () => {
    const plan = scan('function_edge_logs', range)
      .group('function_id')
      .aggregate({
        least: min('execution_time_ms'),
        greatest: max('execution_time_ms'),
        mean: mean('execution_time_ms'),
        p95: quantile('execution_time_ms', 95),
      })
      .orderBy('mean')
      .limit(1)
    expect(shapeOf(plan)).toMatchObject({
      aggregates: [
        ['least', { fn: 'min', column: 'execution_time_ms' }],
        ['greatest', { fn: 'max', column: 'execution_time_ms' }],
        ['mean', { fn: 'mean', column: 'execution_time_ms' }],
        ['p95', { fn: 'quantile', column: 'execution_time_ms', percent: 95 }],
      ],
    })
  })

  it('gathers the predicates of every filter, or of none', () => {
    const select = (plan: ReturnType<typeof scan>) => plan.select('id').orderBy('timestamp', 'desc').limit(1)
    const two = select(scan('edge_logs', range).filter(own, contains('path', '/rest')).filter(matches('url', 'x')))
    expect(shapeOf(two)?.predicates.map(({ test }) => test)).toEqual(['equals', 'contains', 'matches'])
    expect(shapeOf(select(scan('edge_logs', range)))?.predicates).toEqual([])
  })

  it('has a column to order by, and no two of one name', () => {
    const byTime = changed(groups(), 'orderBy', {
      keys: [{ by: column('timestamp'), direction: 'asc', nulls: 'last' }],
    })
    expect(() => shapeOf(byTime)).toThrow(
      new TypeError('There is no column timestamp, but function_id, count, errors.'),
    )
    const twice = scan('function_edge_logs', range).group('function_id').aggregate({ function_id: count() })
    expect(() => shapeOf(twice.orderBy('function_id').limit(1))).toThrow(
      new TypeError('Two columns have the same name.'),
    )
  })

  it('is none of operators in the wrong place', () => {
    for (const plan of [rows('id').slice(1), rows('id').toReversed(), [...rows('id'), ...rows('id')]]) {
      expect(() => shapeOf(plan)).toThrow(/^A plan starts with scan or union, and only there/)
    }
  })
})

const key = (name: string, direction: 'asc' | 'desc' = 'asc', nulls: 'first' | 'last' = 'last') => ({
  by: column(name),
  direction,
  nulls,
})
const time = column('timestamp')
const all = () => scan('edge_logs', range)
const filtered = (condition: Expression) => all().filter(condition).select('id').orderBy('timestamp', 'desc').limit(1)
const groupedBy = (name: string, value: Expression): Plan =>
  changed(groups(), 'group', { keys: [{ name, value }], aggregates: [{ name: 'errors', value: count() }] }).map(
    (one) => (one.op === 'orderBy' ? { ...one, keys: [key('errors')] } : one),
  )
const bucketsOf = (value: Expression): Plan => changed(buckets(), 'extend', { columns: [{ name: 'timestamp', value }] })
const aggregated = (value: NamedAggregate['value']): Plan =>
  changed(buckets(), 'group', {
    keys: [{ name: 'timestamp', value: time }],
    aggregates: [{ name: 'x', value }],
  })

describe('what this engine cannot run', () => {
  it.each<[string, Plan]>([
    ['a scan of several sources', changed(rows('id'), 'scan', { sources: ['edge_logs', 'auth_logs'] })],
    ['the operator union here', [{ op: 'union', plans: [rows('id')] }, rows('id').at(-1)!]],
    [
      'the operator unnest here',
      [all().limit(1)[0]!, { op: 'unnest', list: column('metadata'), name: 'm', isOuter: false }],
    ],
    ['a plan without limit', rows('id').slice(0, -1)],
    ['a plan without group', all().limit(1).slice(0, 1)],
    ['the operator limit here', all().limit(1)],
    ['the operator filter here', [...grouped().filter(atLeast('count', 2)).limit(1)]],
    ['the operator limit here', grouped().limit(1)],
    ['the operator select here', grouped().select('count').orderBy('count').limit(1)],
    ['the operator filter behind limit', [...rows('id'), { op: 'filter', where: literal(true) }]],
    ['an offset', changed(rows('id'), 'limit', { offset: 1 })],
    [
      'the computed column timestamp',
      all().extend({ timestamp: time }).group('url').aggregate({ n: count() }).limit(1),
    ],
    [
      'the computed column x',
      all()
        .extend({ x: literal(1) })
        .group('url')
        .aggregate({ n: count() })
        .limit(1),
    ],
    [
      'the computed column x',
      all()
        .select({ x: column('id') })
        .orderBy('x')
        .limit(1),
    ],
    ['rows with the column url', rows('url')],
    ['rows with the column project', rows('id', 'project')],
    ['rows that are not ordered by timestamp, the newest first', all().select('id').orderBy('timestamp').limit(1)],
    ['rows that are not ordered by timestamp, the newest first', all().select('id').orderBy('id', 'desc').limit(1)],
    [
      'rows that are not ordered by timestamp, the newest first',
      all().select('id').orderBy('timestamp', 'desc').thenBy('id').limit(1),
    ],
    ['buckets of that unit', bucketsOf(call('timestamp_trunc', time, literal('month')))],
    ['buckets of that unit', bucketsOf(call('timestamp_trunc', time, column('function_id')))],
    ['buckets in another order than the oldest first', changed(buckets(), 'orderBy', { keys: [key('count')] })],
    [
      'buckets in another order than the oldest first',
      changed(buckets(), 'orderBy', { keys: [key('timestamp', 'desc')] }),
    ],
    [
      'buckets in another order than the oldest first',
      changed(buckets(), 'group', { keys: [{ name: 'timestamp', value: column('function_id') }] }),
    ],
    ['grouping by 0 keys', changed(groups('errors'), 'group', { keys: [] }).slice(0, 3)],
    ['grouping by 2 keys', all().group('url', 'project').aggregate({ n: count() }).limit(1)],
    ['grouping by lower, named function_id', groupedBy('function_id', call('lower', column('function_id')))],
    ['grouping by function_id', groupedBy('x', column('function_id'))],
    ['grouping by project', groupedBy('project', column('project'))],
    ['grouping by status_code', groupedBy('status_code', column('status_code'))],
    ['grouping by id', groupedBy('id', column('id'))],
    ['grouping by a constant', groupedBy('x', literal(1))],
    ['that order of groups', changed(groups(), 'orderBy', { keys: [key('errors', 'asc', 'first')] })],
    ['that order of groups', changed(groups(), 'orderBy', { keys: [key('errors'), key('count')] })],
    ['that order of groups', changed(groups(), 'orderBy', { keys: [{ ...key('errors'), by: literal(1) }] })],
    ['the condition column with these arguments', filtered(call('and', column('url'), own))],
    ['the condition literal with these arguments', filtered(literal(true))],
    ['the condition or with these arguments', filtered(call('or', own, own))],
    ['the condition not with these arguments', filtered(call('not', own))],
    ['the condition is_null with these arguments', filtered(call('is_null', column('url')))],
    ['the condition eq with these arguments', filtered(equals('url', 1))],
    ['the condition eq with these arguments', filtered(equals('status_code', 400))],
    ['the condition eq with these arguments', filtered(equals('id', 'a'))],
    ['the condition eq with these arguments', filtered(equals(call('lower', column('url')), 'a'))],
    ['the condition eq with these arguments', filtered(call('eq', literal('a'), column('url')))],
    ['the condition ge with these arguments', filtered(call('ge', column('url'), literal(1)))],
    ['the condition ge with these arguments', filtered(call('ge', column('status_code'), column('status_code')))],
    ['the condition contains with these arguments', filtered(contains('path', '/other'))],
    ['the condition regexp_contains with these arguments', filtered(matches('event_message', 'a'))],
    ['the aggregate count with these arguments', aggregated({ fn: 'count', args: [column('function_id')] })],
    ['the aggregate sum with these arguments', aggregated({ fn: 'sum', args: [column('execution_time_ms')] })],
    ['the aggregate min with these arguments', aggregated(min('function_id'))],
    ['the aggregate max with these arguments', aggregated(max('timestamp'))],
    ['the aggregate avg with these arguments', aggregated(mean(call('abs', column('status_code'))))],
    ['the condition or with these arguments', aggregated(countWhere(call('or', own, own)))],
    ['the condition lt with these arguments', aggregated(share(call('lt', column('status_code'), literal(4))))],
  ])('is refused by its name: %s', (what, plan) => {
    expect(() => shapeOf(plan)).toThrow(
      expect.objectContaining({
        code: 'unsupported_by_engine',
        message: `The engine over ClickHouse cannot run ${what} yet. Ask the embedded engine, or change the query.`,
      }),
    )
  })
})
