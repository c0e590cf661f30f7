import { describe, expect, it } from 'vitest'
import { atLeast, count, equals, matches, nothing, optional, scan } from '../../src/plan/builder.js'
import { call, column, literal } from '../../src/plan/expression.js'
import { ofProject } from '../../src/plan/of-project.js'
import type { Operator, Plan } from '../../src/plan/plan.js'
import { schemaOf } from '../../src/plan/schema.js'

const range = { fromUs: 1, throughUs: 2 }
const rows = () =>
  scan('edge_logs', range).filter(equals('project', 'a')).select('id').orderBy('timestamp', 'desc').limit(100)
const buckets = () =>
  scan('function_edge_logs', range)
    .filter(equals('project', 'a'), optional('function_id', undefined))
    .truncate('timestamp', 'hour')
    .group('timestamp')
    .aggregate({ count: count() })
    .orderBy('timestamp')
    .limit(1000)
const groups = () =>
  scan('function_edge_logs', range)
    .filter(equals('project', 'a'))
    .group('function_id')
    .aggregate({ count: count() })
    .orderBy('count', 'desc')
    .limit(20)

const own = { op: 'filter', where: equals('project', 'a') }
const named = (name: string) => ({ name, value: column(name) })
const others = (plan: Plan) => plan.slice(1)

describe('a plan of one project', () => {
  it('asks for the project first, and once', () => {
    const plan = scan('edge_logs', range)
      .filter(matches('url', 'x'), equals('project', 'a'))
      .select('id')
      .orderBy('timestamp', 'desc')
      .limit(1)
    expect(others(ofProject(plan, 'a')).slice(0, 2)).toEqual([own, { op: 'filter', where: matches('url', 'x') }])
    expect(ofProject(rows(), 'a')).toEqual(rows())
    expect(ofProject(buckets(), 'a')).toEqual(buckets())
    expect(ofProject(groups(), 'a')).toEqual(groups())
  })

  it('has it where the plan asks for none', () => {
    const plan = scan('edge_logs', range).select('id').orderBy('timestamp', 'desc').limit(1)
    expect(ofProject(plan, 'a')).toEqual([plan[0], own, ...others(plan)])
    const all = groups().filter(({ op }) => op !== 'filter')
    expect(ofProject(all, 'a')).toEqual(groups())
    expect(ofProject(scan('edge_logs', range).filter(matches('url', 'x')).limit(1).slice(0, 2), 'a').slice(1)).toEqual([
      own,
      { op: 'filter', where: matches('url', 'x') },
    ])
  })

  it('has no rows where the plan asks for another, but its columns', () => {
    const [scanned, ...rest] = rows()
    const ofB = { op: 'filter', where: equals('project', 'b') }
    expect(ofProject(rows(), 'b')).toEqual([scanned, ofB, ...rest])
    expect(ofProject(nothing(), 'a')).toEqual(nothing())
  })

  it('has it before every other condition, and these in their order', () => {
    const [x, y] = [matches('url', 'x'), atLeast('status_code', 400)]
    const plan = scan('edge_logs', range).filter(x).filter(y).filter(equals('project', 'a')).limit(1)
    expect(ofProject(plan, 'a')).toEqual([
      plan[0],
      own,
      { op: 'filter', where: call('and', x, y) },
      { op: 'limit', rows: 1, offset: 0 },
    ])
  })

  it('has it behind each scan of a union', () => {
    const one = (project: string): Plan =>
      scan('edge_logs', range).filter(equals('project', project)).select('id').limit(9)
    const all = scan('auth_logs', range).select('id').limit(9)
    const union: Plan = [
      { op: 'union', plans: [one('a'), all] },
      { op: 'limit', rows: 1, offset: 0 },
    ]
    expect(ofProject(union, 'a')).toEqual([
      { op: 'union', plans: [one('a'), [all[0], own, ...others(all)]] },
      { op: 'limit', rows: 1, offset: 0 },
    ])
  })

  it('has no row of a part of a union that asks for another, but its columns', () => {
    const one = (project: string): Plan =>
      scan('edge_logs', range).filter(equals('project', project)).select('id').limit(9)
    const union: Plan = [
      { op: 'union', plans: [one('b'), one('a')] },
      { op: 'limit', rows: 1, offset: 0 },
    ]
    const bound = ofProject(union, 'a')
    expect(bound).toEqual([
      { op: 'union', plans: [[one('b')[0], own, ...others(one('b'))], one('a')] },
      { op: 'limit', rows: 1, offset: 0 },
    ])
    expect([...schemaOf(bound).keys()]).toEqual(['id'])
  })

  it('has it behind each scan of the plans of isIn, wherever these are', () => {
    const ids = (project?: string): Plan =>
      scan('auth_logs', range)
        .filter(project === undefined ? undefined : equals('project', project))
        .select('id')
        .limit(9)
    const bound = (plan: Plan): Plan => [plan[0]!, own as Operator, ...others(plan)]
    const isIn = (plan: Plan, name = 'known'): Operator => ({ op: 'isIn', value: column('id'), plan, name })
    const nested = (inner: Plan): Plan => [ids()[0]!, isIn(inner), { op: 'select', columns: [named('known')] }]
    const known: Operator = { op: 'filter', where: column('known') }
    const all = rows().slice(0, 1)
    expect(ofProject([...all, isIn(ids()), known, isIn(nested(ids()), 'x')], 'a')).toEqual([
      ...all,
      own,
      isIn(bound(ids())),
      known,
      isIn(bound(nested(bound(ids()))), 'x'),
    ])
    // A plan that asks for another project keeps its column, and the plans within are of the project too.
    const asks: Plan = [ids()[0]!, { op: 'filter', where: equals('project', 'b') }, ...nested(ids()).slice(1)]
    const unionOf = (...plans: Plan[]): Plan => [{ op: 'union', plans }]
    const asksBound: Plan = [asks[0]!, own as Operator, asks[1]!, isIn(bound(ids())), asks[3]!]
    expect(ofProject([...unionOf(asks), isIn(unionOf(asks))], 'a')).toEqual([
      ...unionOf(asksBound),
      isIn(unionOf(asksBound)),
    ])
    expect(ofProject([...all, isIn(asks)], 'a')).toEqual([...all, own, isIn(asksBound)])
  })

  it('keeps conditions that only resemble one on the project', () => {
    for (const where of [
      call('ne', column('project'), literal('b')),
      call('eq', literal('b'), column('project')),
      call('eq', column('project'), column('id')),
      call('or', equals('project', 'b'), equals('project', 'a')),
      equals('id', 'b'),
    ]) {
      const plan = scan('edge_logs', range).filter(where).limit(1)
      expect(ofProject(plan, 'a')).toEqual([plan[0], own, { op: 'filter', where }, ...plan.slice(2)])
    }
  })

  it('is not deceived by a column that is named project later', () => {
    const plan = scan('edge_logs', range)
      .extend({ project: literal('b') })
      .filter(equals('project', 'b'))
      .limit(1)
    expect(ofProject(plan, 'a')).toEqual([plan[0], own, ...others(plan)])
  })
})
