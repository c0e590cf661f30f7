import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import type { ArrowEngine } from '../../../../src/engine/store/engine.js'
import { atLeast, count, equals, scan } from '../../../../src/plan/builder.js'
import { fn } from '../../../../src/plan/calls.js'
import { call, column, type Expression, literal } from '../../../../src/plan/expression.js'
import type { Operator, Plan } from '../../../../src/plan/plan.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { edge, invocation } from '../../../support/records.js'
import { cachedBytes } from '../../store/support.js'

const ALWAYS = { fromUs: 0, throughUs: Number.POSITIVE_INFINITY }
const edges = () => scan('edge_logs', ALWAYS)
/** The messages of invocations, which are ids of edge records. */
const messages = scan('function_edge_logs', ALWAYS).select('event_message').limit(1).slice(0, -1)
const known = () => edges().isIn('id', messages, 'known')
const failing = call('div', literal(1), literal(0))
const one = (value: Expression): Operator => ({ op: 'select', columns: [{ name: 'x', value }] })
const EDGE: Operator = { op: 'scan', sources: ['edge_logs'], ...ALWAYS }
const isIn = (value: Expression, plan: Plan): Operator => ({ op: 'isIn', value, plan, name: 'known' })

const metrics = createMetrics()
let engine: ArrowEngine

beforeEach(async () => {
  engine = openEngine({ metrics, groupingLimits: { groups: 100, bytes: 100_000 } })
  await appendAll(
    engine,
    ['1', '2', '3'].map((id, i) => edge({ id, timestampUs: i })),
  )
  await appendAll(
    engine,
    ['2', '7'].map((event_message) => invocation({ event_message })),
  )
})
afterEach(() => engine.close())

const run = async (plan: Plan) => readAll(await engine.run(plan))
const counts = async (plan: Plan) => (await run(plan)).map(({ known, n }) => [known, n])

describe('a column that says whether a value is among the rows of another plan', () => {
  it('is a column like others: filtered, selected, grouped by and replaced', async () => {
    const ids = async (plan: Plan) => (await run(plan)).map(({ id }) => id)
    expect(await ids(known().filter(column('known')).select('id').limit(9))).toEqual(['2'])
    expect(await run(known().select('id', 'known').orderBy('id').limit(2))).toEqual([
      { id: '1', known: false },
      { id: '2', known: true },
    ])
    const groups = known().group('known').aggregate({ n: count() }).orderBy('known').limit(9)
    expect(await counts(groups)).toEqual([
      [false, 2],
      [true, 1],
    ])
    const again = known()
      .isIn('known', [EDGE, one(literal(false))], 'known')
      .filter(column('known'))
      .select('id')
    expect(await ids(again.orderBy('id').limit(9))).toEqual(['1', '3'])
  })

  it('is there behind groups, in unions, and in other plans of its kind', async () => {
    const having = edges().group('id').aggregate({ n: count() }).isIn('id', messages, 'known').filter(column('known'))
    expect(await run(having.limit(9))).toEqual([{ id: '2', n: 1, known: true }])
    const part = known().filter(column('known')).select('id').limit(9)
    const union: Plan = [{ op: 'union', plans: [part, part] }]
    expect(await run(union)).toEqual([{ id: '2' }, { id: '2' }])
    expect(await counts([EDGE, isIn(column('id'), union), { ...one(column('known')) }])).toHaveLength(3)
    expect(
      await run([EDGE, isIn(column('id'), union), { op: 'filter', where: column('known') }, one(column('id'))]),
    ).toEqual([{ x: '2' }])
  })

  it('is evaluated only in rows in which it is read; all rows of the other plan are', async () => {
    const value = fn.div(literal(1), fn.sub(fn.cast_int64('id'), 3))
    const plan = (...more: Operator[]): Plan => [EDGE, isIn(value, messages), ...more, one(column('known'))]
    await expect(run(plan())).rejects.toMatchObject({ code: 'invalid_sql' })
    expect(await run(plan({ op: 'filter', where: fn.ne('id', '3') }))).toHaveLength(2)
    const either = fn.or(fn.eq('id', '3'), column('known'))
    expect(await run(plan({ op: 'filter', where: either }, { op: 'filter', where: literal(false) }))).toEqual([])
    const unread = [EDGE, isIn(column('id'), [EDGE, one(failing)]), one(literal(1))]
    await expect(run(unread)).rejects.toMatchObject({ code: 'invalid_sql' })
    expect(await run([...unread, { op: 'limit', rows: 0, offset: 0 }])).toEqual([])
  })

  it('is false next to no rows, whatever the value', async () => {
    const none: Plan = [...messages, { op: 'limit', rows: 0, offset: 0 }]
    const filtered = scan('auth_logs', ALWAYS).select('id').limit(9)
    for (const inner of [none, filtered]) {
      for (const value of [literal(null), failing]) {
        expect(await run([EDGE, isIn(value, inner), one(column('known'))])).toEqual([
          { x: false },
          { x: false },
          { x: false },
        ])
      }
    }
  })

  it('is of the rows of the moment at which the run starts', async () => {
    const running = run(known().filter(column('known')).select('id').limit(9))
    await appendAll(engine, [invocation({ event_message: '3' }), edge({ id: '7' })])
    expect(await running).toEqual([{ id: '2' }])
    expect(await run(known().group('known').aggregate({ n: count() }).orderBy('known').limit(9))).toEqual([
      { known: false, n: 1 },
      { known: true, n: 3 },
    ])
  })

  it('is computed again for other rows, of sealed parts too, and nothing is kept in the cache', async () => {
    await engine.seal()
    const plan = known().group('known').aggregate({ n: count() }).orderBy('known').limit(9)
    const before = await cachedBytes(metrics, 'partials')
    for (let i = 0; i < 2; i++) {
      expect(await counts(plan)).toEqual([
        [false, 2],
        [true, 1],
      ])
    }
    await appendAll(engine, [invocation({ event_message: '3' })])
    expect(await counts(plan)).toEqual([
      [false, 1],
      [true, 2],
    ])
    expect(await cachedBytes(metrics, 'partials')).toBe(before)
  })

  it('has its own part in aggregates over other lists', async () => {
    const lists = [
      { name: 'a', plan: [EDGE, one(call('timestamp_micros', literal(0)))] },
      { name: 'b', plan: [EDGE, one(literal('1970-01-01T00:00:00Z'))] },
    ].map(({ name, plan }): Operator => ({ op: 'isIn', value: literal('1970-01-01'), plan, name }))
    const countif = (name: string) => ({ name, value: { fn: 'countif', args: [column(name)] } as const })
    const plan: Plan = [EDGE, ...lists, { op: 'group', keys: [], aggregates: [countif('a'), countif('b')] }]
    expect(await run(plan)).toEqual([{ a: 3, b: 0 }])
  })

  it('counts the values of the other plans, each once, as memory of the query', async () => {
    const long = (i: number) => 'x'.repeat(1_000) + i
    await appendAll(
      engine,
      Array.from({ length: 100 }, (_, i) => edge({ id: long(i), event_message: 'same' })),
    )
    const inner = (name: string): Plan => [EDGE, one(column(name))]
    expect(
      await run([EDGE, isIn(literal('same'), inner('event_message')), { op: 'limit', rows: 1, offset: 0 }]),
    ).toHaveLength(1)
    const some: Plan = [EDGE, { op: 'limit', rows: 40, offset: 0 }, one(column('id'))]
    const twice = (...plans: Plan[]): Plan => [EDGE, ...plans.map((plan) => isIn(literal('z'), plan)), one(literal(1))]
    expect(await run(twice(some))).toHaveLength(103)
    for (const plan of [twice(inner('id')), twice(some, some)]) {
      await expect(run(plan)).rejects.toMatchObject({ code: 'too_much_memory' })
    }
  })

  it('leaves the conditions next to it in their place, so that rows are found by them', async () => {
    let scanned = 0
    const plan = known().filter(equals('project', 'none'), atLeast('id', 0), column('known')).select('id').limit(9)
    for await (const _ of await engine.run(plan, { onScanStats: ({ rows }) => (scanned = rows) })) expect.fail('a row')
    expect(scanned).toBe(2)
  })
})
