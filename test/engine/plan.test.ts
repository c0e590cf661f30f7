import { describe, expect, it } from 'vitest'
import {
  atLeast,
  count,
  countWhere,
  equals,
  matches,
  nothing,
  optional,
  type Plan,
  scan,
  shapeOf,
} from '../../src/engine/plan.js'

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

describe('the shape of a plan', () => {
  it('is undefined for the plan that has no rows', () => {
    expect(shapeOf(nothing())).toBeUndefined()
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
    ]
    for (const plan of wrong) expect(() => shapeOf(plan)).toThrow(/^This sequence of operators is not a plan/)
  })

  it('a builder is never changed by what is built on it', () => {
    const start = scan('edge_logs', range)
    start.filter(equals('project', 'a'))
    expect(start.limit(1).map(({ op }) => op)).toEqual(['scan', 'limit'])
  })
})
