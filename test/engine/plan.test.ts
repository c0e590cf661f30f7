import { describe, expect, it } from 'vitest'
import { shapeOf } from '../../src/engine/clickhouse/shape.js'
import { answerColumns } from '../../src/plan/answer.js'
import {
  atLeast,
  count,
  countWhere,
  equals,
  matches,
  max,
  nothing,
  optional,
  scan,
  share,
} from '../../src/plan/builder.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Plan } from '../../src/plan/plan.js'

const range = { fromUs: 1, throughUs: 2 }
const rows = () =>
  scan('edge_logs', range).filter(equals('project', 'a')).select('id').orderBy('timestamp', 'desc').limit(100)
const buckets = () =>
  scan('function_edge_logs', range)
    .filter(equals('project', 'a'), optional('function_id', undefined))
    .truncate('timestamp', 'hour')
    .group('timestamp')
    .aggregate({ count: count(), errors: countWhere(atLeast('status_code', 400)) })
    .orderBy('timestamp')
    .limit(1000)

const groups = (orderBy = 'errors', direction: 'asc' | 'desc' = 'desc') =>
  scan('function_edge_logs', range)
    .filter(equals('project', 'a'))
    .group('function_id')
    .aggregate({ count: count(), errors: share(atLeast('status_code', 400)) })
    .orderBy(orderBy, direction)
    .limit(20)

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
    expect(answerColumns(groups())).toEqual([
      { name: 'function_id', kind: 'text' },
      { name: 'count', kind: 'count' },
      { name: 'errors', kind: 'double' },
    ])
  })

  it('are none of the plan without operators', () => {
    expect(answerColumns(nothing())).toEqual([])
  })
})

describe('the shape of a plan', () => {
  it('is undefined for the plan that has no rows', () => {
    expect(shapeOf(nothing())).toBeUndefined()
    expect(shapeOf([...rows().slice(0, -1), { op: 'limit', rows: 0 }])).toBeUndefined()
  })

  it('is rows', () => {
    expect(shapeOf(rows())).toEqual({
      kind: 'rows',
      source: 'edge_logs',
      fromUs: 1,
      throughUs: 2,
      predicates: [{ test: 'equals', column: 'project', value: 'a' }],
      columns: ['id'],
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
  })

  it('has a column to order by, and no two of one name', () => {
    expect(() => shapeOf(groups('timestamp'))).toThrow(new TypeError('No column timestamp to order the groups by.'))
    const twice = scan('function_edge_logs', range).group('function_id').aggregate({ function_id: count() })
    expect(() => shapeOf(twice.orderBy('function_id').limit(1))).toThrow(
      new TypeError('An aggregate is named function_id as the column that the rows are grouped by.'),
    )
  })

  it('gathers the predicates of every filter, or of none', () => {
    const select = (plan: ReturnType<typeof scan>) => plan.select('id').orderBy('timestamp', 'desc').limit(1)
    const two = select(scan('edge_logs', range).filter(equals('project', 'a')).filter(matches('url', 'x')))
    expect(shapeOf(two)?.predicates.map(({ test }) => test)).toEqual(['equals', 'matches'])
    expect(shapeOf(select(scan('edge_logs', range)))?.predicates).toEqual([])
  })

  it('is none for any other sequence', () => {
    const wrong: Plan[] = [
      rows().slice(1),
      rows().slice(0, -1),
      [...rows()].reverse(),
      [...rows(), ...rows()],
      scan('edge_logs', range).select('id').orderBy('timestamp', 'asc').limit(1),
      buckets().map((operator) => (operator.op === 'orderBy' ? { ...operator, direction: 'desc' } : operator)),
      buckets().filter(({ op }) => op !== 'group'),
      buckets().map((operator) => (operator.op === 'group' ? { ...operator, by: 'function_id' } : operator)),
      buckets().map((operator) => (operator.op === 'orderBy' ? { ...operator, column: 'count' } : operator)),
      rows().map((operator) => (operator.op === 'orderBy' ? { ...operator, column: 'id' } : operator)),
      // A filter of groups would be taken for one of rows.
      [...groups().slice(0, -1), { op: 'filter', predicates: [atLeast('count', 2)] }, ...groups().slice(-1)],
    ]
    for (const plan of wrong) expect(() => shapeOf(plan)).toThrow(/^This sequence of operators is not a plan/)
  })

  it('a builder is never changed by what is built on it', () => {
    const start = scan('edge_logs', range)
    start.filter(equals('project', 'a'))
    expect(start.limit(1).map(({ op }) => op)).toEqual(['scan', 'limit'])
  })
})

describe('a plan of one project', () => {
  const own = { op: 'filter', predicates: [equals('project', 'a')] }
  const others = (plan: Plan) => plan.slice(1)

  it('asks for the project first, and once', () => {
    const plan = scan('edge_logs', range)
      .filter(matches('url', 'x'), equals('project', 'a'))
      .select('id')
      .orderBy('timestamp', 'desc')
      .limit(1)
    expect(others(ofProject(plan, 'a')).slice(0, 2)).toEqual([own, { op: 'filter', predicates: [matches('url', 'x')] }])
    expect(shapeOf(ofProject(rows(), 'a'))).toEqual(shapeOf(rows()))
    expect(shapeOf(ofProject(buckets(), 'a'))).toEqual(shapeOf(buckets()))
    expect(shapeOf(ofProject(groups(), 'a'))).toEqual(shapeOf(groups()))
  })

  it('has it where the plan asks for none', () => {
    const plan = scan('edge_logs', range).select('id').orderBy('timestamp', 'desc').limit(1)
    expect(ofProject(plan, 'a')).toEqual([plan[0], own, ...others(plan)])
    const all = groups().filter(({ op }) => op !== 'filter')
    expect(shapeOf(ofProject(all, 'a'))).toEqual(shapeOf(groups()))
  })

  it('has no rows where the plan asks for another, or has none', () => {
    expect(ofProject(rows(), 'b')).toEqual(nothing())
    expect(ofProject(nothing(), 'a')).toEqual(nothing())
  })
})
