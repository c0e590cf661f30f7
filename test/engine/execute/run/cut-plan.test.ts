import { describe, expect, it } from 'vitest'
import { computedFrame } from '../../../../src/engine/execute/expressions/computed-frame.js'
import { createEvaluate } from '../../../../src/engine/execute/expressions/evaluate.js'
import { cutPlan } from '../../../../src/engine/execute/run/cut-plan.js'
import { isEmpty, type Stage, type Step } from '../../../../src/engine/execute/stages/stage.js'
import { atLeast, count, equals, matches, max, nothing, scan } from '../../../../src/plan/builder.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import type { NamedExpression, Plan, SortKey } from '../../../../src/plan/plan.js'

const range = { fromUs: 1, throughUs: 2 }
const all = () => scan('edge_logs', range)
const stageOf = (plan: Plan): Stage => cutPlan(plan)!
const SCAN = all().limit(1)[0]
const named = (columns: Readonly<Record<string, Expression>>) =>
  Object.entries(columns).map(([name, value]) => ({ name, value }))
const same = (...names: readonly string[]) => named(Object.fromEntries(names.map((name) => [name, column(name)])))
const key = (by: Expression, direction: SortKey['direction'] = 'asc'): SortKey => ({ by, direction, nulls: 'last' })
const where = (condition: Expression): Step => ({ op: 'filter', where: condition })
const firstRows = (keys: readonly SortKey[], rows: number, offset: number, columns: readonly NamedExpression[]) => {
  return { op: 'top', keys, rows, offset, columns, isReversed: false, rank: undefined }
}
/** The list of columns that end a stage, with their expressions. */
const columnsOf = (plan: Plan) => {
  const { sink } = stageOf(plan)
  return sink.op === 'top' ? sink.columns : [...sink.keys]
}

describe('the stages of a plan', () => {
  it('are one for rows: a scan, its filters, and the first rows of an order', () => {
    const plan = all().filter(equals('project', 'a'), matches('url', 'x')).select('id').orderBy('timestamp', 'desc')
    expect(stageOf(plan.limit(7, 2))).toEqual({
      input: SCAN,
      steps: [where(equals('project', 'a')), where(matches('url', 'x'))],
      sink: firstRows([key(column('timestamp'), 'desc')], 7, 2, same('id')),
      isShared: false,
    })
  })

  it('are two for groups: the groups, and the first of them', () => {
    const plan = all().filter(equals('project', 'a')).group('url').aggregate({ n: count() }).orderBy('n').limit(3)
    expect(stageOf(plan)).toEqual({
      input: {
        op: 'stage',
        stage: {
          input: SCAN,
          steps: [where(equals('project', 'a'))],
          sink: { op: 'group', keys: same('url'), aggregates: [{ name: 'n', value: count() }] },
          isShared: false,
        },
      },
      steps: [],
      sink: firstRows([key(column('n')), key(column('url'))], 3, 0, same('url', 'n')),
      isShared: false,
    })
  })

  it('are those of the plan itself if it ends with a group or a limit', () => {
    const groups = all().group('url').aggregate({ n: count() }).limit(1).slice(0, -1)
    expect(stageOf(groups).sink.op).toBe('group')
    expect(stageOf(all().limit(5)).sink).toMatchObject({ op: 'top', rows: 5 })
    expect(stageOf(all().limit(5)).input.op).toBe('scan')
    const turned: Plan = [...groups, { op: 'select', columns: named({ n: column('n'), url: column('url') }) }]
    expect(stageOf(turned)).toMatchObject({ input: { op: 'stage' }, sink: { op: 'top', columns: same('n', 'url') } })
  })

  it('take the names of a select that renames the columns of groups', () => {
    const groups = all().group('url').aggregate({ n: count() }).limit(1).slice(0, -1)
    const select = (columns: Readonly<Record<string, Expression>>): Plan => [
      ...groups,
      { op: 'select', columns: named(columns) },
    ]
    const renamed = stageOf(select({ n: column('url'), url: column('n') }))
    expect(renamed).toEqual({
      input: SCAN,
      steps: [],
      sink: {
        op: 'group',
        keys: [{ name: 'n', value: column('url') }],
        aggregates: [{ name: 'url', value: count() }],
      },
      isShared: false,
    })
    const others: readonly Readonly<Record<string, Expression>>[] = [
      { a: column('url') },
      { a: column('url'), b: column('url') },
      { a: column('n'), b: column('url') },
    ]
    for (const columns of others)
      expect(stageOf(select(columns)).sink).toMatchObject({ op: 'top', columns: named(columns) })
  })

  it('compute what a select behind a limit computes in the rows of the limit', () => {
    const value = call('add', column('n'), literal(1))
    const first = all().limit(5).slice(0, -1)
    const plan: Plan = [
      first[0]!,
      { op: 'extend', columns: [{ name: 'n', value: call('length', column('id')) }] },
      { op: 'limit', rows: 5, offset: 0 },
      { op: 'select', columns: named({ more: value, url: column('url') }) },
    ]
    expect(stageOf(plan)).toMatchObject({
      input: { op: 'scan' },
      sink: {
        op: 'top',
        rows: 5,
        columns: named({ more: call('add', call('length', column('id')), literal(1)), url: column('url') }),
      },
    })
  })

  it('compute ranks before a select that follows, and before a union reads them', () => {
    const ranked = all().select('id').orderBy('timestamp').rank('rank').limit(5)
    const stage = stageOf(ranked)
    expect(stage).toMatchObject({ input: { op: 'scan' }, sink: { rows: 5, columns: same('id'), rank: 'rank' } })
    const selected: Plan = [...ranked, { op: 'select', columns: same('rank', 'id') }]
    expect(stageOf(selected)).toMatchObject({
      input: { op: 'stage', stage },
      sink: { columns: same('rank', 'id') },
    })
    expect(stageOf([...ranked, { op: 'select', columns: same('id', 'rank') }])).toEqual(stage)
    const whole = ranked.slice(0, -1)
    const newest: Plan = [
      { op: 'union', plans: [whole] },
      { op: 'orderBy', keys: [key(column('rank'))] },
      { op: 'limit', rows: 1, offset: 0 },
    ]
    expect(stageOf(newest)).toMatchObject({ input: { inputs: [stageOf(whole)] } })
    expect(stageOf(whole).sink).toMatchObject({ rows: Number.POSITIVE_INFINITY, rank: 'rank' })
  })

  it('have every row without a limit', () => {
    expect(stageOf(all().limit(1).slice(0, 1)).sink).toMatchObject({ rows: Number.POSITIVE_INFINITY, keys: [] })
  })

  it('are those of each part of a union', () => {
    const part = all().select('id').limit(9)
    const plan: Plan = [
      { op: 'union', plans: [part, part] },
      { op: 'filter', where: equals('id', 'a') },
    ]
    expect(stageOf(plan)).toMatchObject({
      input: { op: 'union', inputs: [stageOf(part), stageOf(part)] },
      steps: [where(equals('id', 'a'))],
      sink: { op: 'top', columns: same('id') },
    })
  })

  it('keep the first rows of each part of a union that has no limit of its own', () => {
    const part = all().select({ n: 'id', p: 'url' }).limit(1).slice(0, 2)
    const limited = all().select({ other: 'id', p: 'url' }).limit(9)
    const plan: Plan = [
      { op: 'union', plans: [part, limited] },
      { op: 'filter', where: equals('p', 'a') },
      { op: 'orderBy', keys: [{ by: column('n'), direction: 'desc', nulls: 'last' }] },
      { op: 'limit', rows: 5, offset: 2 },
    ]
    const { input, sink } = stageOf(plan)
    expect(sink).toMatchObject({ rows: 5, offset: 2 })
    expect(input).toMatchObject({
      op: 'union',
      inputs: [
        {
          steps: [where(equals('url', 'a'))],
          sink: { op: 'top', keys: [{ by: column('id'), direction: 'desc' }], rows: 7, offset: 0, isReversed: true },
        },
        stageOf(limited),
      ],
    })
  })

  it('are none of the empty plan, and empty if the last returns no row', () => {
    expect(cutPlan(nothing())).toBeUndefined()
    expect([isEmpty(stageOf(all().limit(0))), isEmpty(stageOf(all().limit(1)))]).toEqual([true, false])
  })

  it('are no input of a union if there is nothing to read', () => {
    const count: Plan = [
      { op: 'union', plans: [nothing(), nothing()] },
      { op: 'group', keys: [], aggregates: [] },
    ]
    expect(stageOf(count).input).toEqual({ op: 'union', inputs: [] })
  })

  it('begin with a scan or a union, and have it there only', () => {
    const plan = all().limit(1)
    expect(() => cutPlan(plan.slice(1))).toThrow(
      new TypeError('A plan starts with scan, view or union, and only there: limit.'),
    )
    expect(() => cutPlan([...plan, ...plan])).toThrow(TypeError)
  })
})

describe('the columns of extend and select', () => {
  it('are put in place of their names behind them, as often as they are used', () => {
    const lower = call('lower', column('url'))
    const plan = all()
      .extend({ x: lower })
      .extend({ y: call('concat', column('x'), column('project')) })
      .filter(equals('x', 'a'))
      .select({ z: call('concat', column('y'), column('x')) })
      .orderBy('z')
      .limit(1)
    const z = call('concat', call('concat', lower, column('project')), lower)
    expect(stageOf(plan)).toMatchObject({
      steps: [where(equals(lower, 'a'))],
      sink: { keys: [key(z)], columns: named({ z }) },
    })
  })

  it('may replace a column, which the expressions beside them still mean', () => {
    const plan = all()
      .extend({ url: column('id'), id: column('url') })
      .select('id', 'url')
      .limit(1)
    expect(columnsOf(plan)).toEqual(named({ id: column('url'), url: column('id') }))
  })

  it('are in place in conditions and aggregates of groups, and unknown behind them', () => {
    const plan = all()
      .extend({ code: call('mod', column('status_code'), literal(100)) })
      .group({ k: column('code') })
      .aggregate({ most: max('code') })
      .filter(atLeast('most', 5))
      .limit(9)
    const code = call('mod', column('status_code'), literal(100))
    expect(stageOf(plan)).toMatchObject({
      input: {
        stage: {
          sink: { keys: named({ k: code }), aggregates: [{ name: 'most', value: { fn: 'max', args: [code] } }] },
        },
      },
      steps: [where(atLeast('most', 5))],
    })
  })

  it('of a filter are cut into the terms of its conjunction', () => {
    const [a, b] = [equals('url', 'a'), equals('project', 'b')]
    const plan = all()
      .extend({ both: call('and', a, b) })
      .filter(column('both'))
      .limit(1)
    expect(stageOf(plan).steps).toEqual([where(a), where(b)])
  })

  it('are all there is to sort by, but for the ones that the select directly before left out', () => {
    const sorted = all()
      .extend({ x: column('id') })
      .select({ id: column('url') })
      .orderBy('timestamp')
      .thenBy('id')
    expect(stageOf(sorted.limit(1)).sink).toMatchObject({
      keys: [key(column('timestamp')), key(column('url'))],
      columns: named({ id: column('url') }),
    })
    const later = all().select('id').filter(equals('id', 'a')).orderBy('timestamp').limit(1)
    expect(() => cutPlan(later)).toThrow(new TypeError('There is no column timestamp, but id.'))
  })

  it('are not sorted by what a limit before has left out', () => {
    const [...limited] = all().select('id').limit(5)
    const plan: Plan = [
      ...limited,
      { op: 'orderBy', keys: [key(column('timestamp'))] },
      { op: 'limit', rows: 1, offset: 0 },
    ]
    expect(() => cutPlan(plan)).toThrow(TypeError)
  })

  it('of an unnest are its own, also if two have one name', () => {
    const unnest = (list: Expression) => ({ op: 'unnest', list, name: 'm', isOuter: false }) as const
    const plan: Plan = [
      all().limit(1)[0]!,
      unnest(column('metadata')),
      unnest(column('m')),
      { op: 'select', columns: same('m') },
    ]
    const { steps, sink } = stageOf(plan)
    const [first, second] = steps.map((step) => (step.op === 'unnest' ? step : undefined))
    expect(first!.list).toEqual(column('metadata'))
    expect(second!.list).toEqual(column(first!.name))
    expect(second!.name).not.toBe(first!.name)
    expect(sink).toMatchObject({ columns: named({ m: column(second!.name) }) })
  })
})

describe('an expression that is used several times', () => {
  /** A plan with `levels` columns behind the first column, each twice the column before. */
  function doubling(levels: number, first: Expression): Plan {
    const extended = Array.from({ length: levels }, (_, i) => {
      const before = column(`x${i}`)
      return { op: 'extend', columns: named({ [`x${i + 1}`]: call('add', before, before) }) } as const
    })
    return [
      all().limit(1)[0]!,
      { op: 'extend', columns: named({ x0: first }) },
      ...extended,
      { op: 'select', columns: named({ x: column(`x${levels}`) }) },
    ]
  }

  it.each([
    ['a column', column('status_code'), 3],
    ['a computed one', call('sub', column('status_code'), literal(1)), 2],
    ['a text', call('length', column('url')), 4],
    ['a constant', literal(1), 1],
  ])('is the same object each time: 30 levels of doubling %s are linear', (_, first, value) => {
    const [{ value: expression } = { value: literal(null) }] = columnsOf(doubling(30, first))
    const { args } = expression as Expression & { kind: 'call' }
    expect(args[0]).toBe(args[1])
    const columns = { status_code: [3, null], url: ['abcd', null] }
    const evaluate = createEvaluate(computedFrame(2, new Map(Object.entries(columns))))
    const { at } = evaluate(expression)
    expect(at(0)).toBe(value * 2 ** 30)
    expect(at(1)).toBe(first.kind === 'literal' ? 2 ** 30 : null)
  })

  it('is one term of a conjunction, however often it was doubled', () => {
    const extended = Array.from({ length: 30 }, (_, i) => {
      const before = column(`b${i}`)
      return { op: 'extend', columns: named({ [`b${i + 1}`]: call('and', before, before) }) } as const
    })
    const plan: Plan = [
      all().limit(1)[0]!,
      { op: 'extend', columns: named({ b0: equals('url', 'a') }) },
      ...extended,
      { op: 'filter', where: column('b30') },
    ]
    expect(stageOf(plan).steps).toEqual([where(equals('url', 'a'))])
  })
})
