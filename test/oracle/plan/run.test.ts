import { describe, expect, it } from 'vitest'
import { AGGREGATES } from '../../../src/plan/aggregates.js'
import type { Row } from '../../../src/plan/answer.js'
import { call, column, type Expression, literal } from '../../../src/plan/expression.js'
import type { Operator, Plan } from '../../../src/plan/plan.js'
import { RawJson } from '../../../src/plan/values/values.js'
import { compareRows } from '../../support/random-plans.js'
import { edge, type TestRecord } from '../../support/records.js'
import { AGGREGATE_NAMES } from './aggregates.js'
import { runPlan } from './run.js'

const SCAN: Operator = { op: 'scan', sources: ['edge_logs'], fromUs: 0, throughUs: 1_000 }
const select = (...names: string[]): Operator => ({
  op: 'select',
  columns: names.map((name) => ({ name, value: column(name) })),
})
const newest: Operator = { op: 'orderBy', keys: [{ by: column('timestamp'), direction: 'desc', nulls: 'last' }] }
const limit = (rows: number, offset = 0): Operator => ({ op: 'limit', rows, offset })
const filter = (where: Expression): Operator => ({ op: 'filter', where })
const group = (fn: Parameters<typeof aggregateOf>[0], ...args: Expression[]): Operator => ({
  op: 'group',
  keys: [],
  aggregates: [{ name: 'x', value: aggregateOf(fn, ...args) }],
})
const aggregateOf = (fn: (typeof AGGREGATE_NAMES)[number], ...args: Expression[]) => ({ fn, args })

/** Records with their index as id. The times of the first two records are equal. */
const RECORDS: readonly TestRecord[] = [5, 5, 7, 3].map((timestampUs, i) => {
  return edge({ id: `${i}`, timestampUs, event_message: `${10 * i}`, project: i === 3 ? null : 'a' })
})

const ids = (...all: number[]): Row[] => all.map((id) => ({ id: `${id}` }))

/** Whether the comparison takes rows, or the code of an error, as an answer to a plan. */
function takes(plan: Plan, answer: readonly Row[] | string, records = RECORDS): boolean {
  try {
    compareRows(typeof answer === 'string' ? { error: answer } : answer, runPlan(plan, records), plan)
    return true
  } catch {
    return false
  }
}

describe('the oracle and its comparison', () => {
  it('leave the order open if nothing sorts', () => {
    const plan = [SCAN, select('id')]
    expect(takes(plan, ids(3, 1, 0, 2))).toBe(true)
    expect(takes(plan, ids(3, 1, 0))).toBe(false)
    expect(takes(plan, ids(3, 1, 0, 0))).toBe(false)
    expect(takes([...plan, limit(2)], ids(3, 1))).toBe(true)
    expect(takes([...plan, limit(2)], ids(3, 3))).toBe(false)
    expect(takes([...plan, limit(2)], ids(3))).toBe(false)
    expect(takes([...plan, limit(9, 3)], ids(2))).toBe(true)
  })

  it('know whether a value is among the rows of another plan', () => {
    const isIn = (value: Expression, ...inner: Operator[]): Operator => {
      return { op: 'isIn', value, plan: [SCAN, ...inner], name: 'x' }
    }
    const time = call('unix_micros', column('timestamp'))
    const first = call('eq', column('id'), literal('0'))
    const of = (value: Expression): Operator => ({ op: 'select', columns: [{ name: 'y', value }] })
    const answer = (x: boolean | null) => [{ id: '0', x }]
    const known = (value: Expression, ...inner: Operator[]) => [
      SCAN,
      filter(first),
      isIn(value, ...inner),
      select('id', 'x'),
    ]
    expect(takes(known(literal('20'), select('event_message')), answer(true))).toBe(true)
    expect(takes(known(literal(20), select('event_message')), answer(true))).toBe(true)
    expect(takes(known(literal(20), select('event_message')), answer(false))).toBe(false)
    expect(takes(known(time, of(time), filter(call('gt', column('y'), literal(5)))), answer(false))).toBe(true)
    expect(takes(known(literal('x'), select('project')), answer(null))).toBe(true)
    expect(takes(known(literal('x'), select('project')), answer(false))).toBe(false)
    expect(takes(known(literal(null), select('id')), answer(null))).toBe(true)
    expect(takes(known(literal(null), filter(literal(false)), select('id')), answer(false))).toBe(true)
    const failing = call('div', literal(1), literal(0))
    expect(takes(known(failing, filter(literal(false)), select('id')), answer(false))).toBe(true)
    expect(takes(known(failing, select('id')), answer(false))).toBe(false)
    expect(takes(known(failing, select('id')), 'invalid_sql')).toBe(true)
    // All rows of the other plan are read, also if the column is not.
    const unread = [SCAN, isIn(literal(1), of(failing)), select('id')]
    expect(takes(unread, 'invalid_sql')).toBe(true)
    expect(takes(unread, ids(0, 1, 2, 3))).toBe(false)
  })

  it('sort ties of the timestamp by arrival, the latest first, and leave other ties open', () => {
    const plan = [SCAN, newest, select('id')]
    expect(takes(plan, ids(2, 1, 0, 3))).toBe(true)
    expect(takes(plan, ids(2, 0, 1, 3))).toBe(false)
    const oldest: Operator = { op: 'orderBy', keys: [{ by: column('timestamp'), direction: 'asc', nulls: 'last' }] }
    expect(takes([SCAN, oldest, select('id')], ids(3, 0, 1, 2))).toBe(true)
    expect(takes([SCAN, oldest, select('id')], ids(3, 1, 0, 2))).toBe(true)
    expect(takes([SCAN, oldest, select('id')], ids(1, 3, 0, 2))).toBe(false)
    expect(takes([SCAN, oldest, select('id'), limit(2)], ids(3, 1))).toBe(true)
  })

  it('rank rows among all of their time by arrival, and leave the ranks of several projects open', () => {
    const ranked = (direction: 'asc' | 'desc'): Operator => ({
      op: 'orderBy',
      keys: [{ by: column('timestamp'), direction, nulls: 'last' }],
      rank: 'x',
    })
    const rows = (...all: [id: number, x: number][]) => all.map(([id, x]) => ({ id: `${id}`, x }))
    const newestFirst = [SCAN, select('id'), ranked('desc')]
    expect(takes(newestFirst, rows([2, 1], [1, 2], [0, 1], [3, 1]))).toBe(true)
    expect(takes(newestFirst, rows([2, 1], [0, 1], [1, 2], [3, 1]))).toBe(false)
    expect(takes(newestFirst, rows([2, 1], [1, 1], [0, 2], [3, 1]))).toBe(false)
    expect(takes([...newestFirst, limit(2)], rows([2, 1], [1, 2]))).toBe(true)
    expect(takes([...newestFirst, limit(2)], rows([2, 1], [1, 1]))).toBe(false)
    const oldestFirst = [SCAN, select('id'), ranked('asc'), limit(2, 1)]
    expect(takes(oldestFirst, rows([0, 1], [1, 2]))).toBe(true)
    expect(takes(oldestFirst, rows([1, 1], [0, 2]))).toBe(false)
    const others = RECORDS.map((record, i) => ({ ...record, project: `${i}` }))
    expect(takes(oldestFirst, rows([1, 1], [0, 2]), others)).toBe(true)
    expect(takes(oldestFirst, rows([1, 1], [0, 3]), others)).toBe(false)
  })

  it('sort directly behind a selection by columns that it leaves out', () => {
    const byMessage: Operator = {
      op: 'orderBy',
      keys: [{ by: column('event_message'), direction: 'desc', nulls: 'last' }],
    }
    expect(takes([SCAN, select('id'), byMessage], ids(3, 2, 1, 0))).toBe(true)
    expect(takes([SCAN, select('id'), byMessage], ids(0, 1, 2, 3))).toBe(false)
    const renamed: Operator = { op: 'select', columns: [{ name: 'event_message', value: literal(1) }] }
    expect(takes([SCAN, renamed, byMessage, limit(1)], [{ event_message: 1 }])).toBe(true)
  })

  it('take a column only with its name, in its place', () => {
    expect(takes([SCAN, select('id', 'project'), limit(1, 3)], [{ id: '3', project: null }])).toBe(true)
    expect(takes([SCAN, select('id', 'project'), limit(1, 3)], [{ project: null, id: '3' }])).toBe(false)
    expect(takes([SCAN, select('id')], [{ name: '0' }])).toBe(false)
  })

  it('make one row of no rows if there are no keys', () => {
    expect(takes([SCAN, group('count')], [{ x: 0 }], [])).toBe(true)
    expect(takes([SCAN, group('sum', literal(1))], [{ x: null }], [])).toBe(true)
    expect(takes([SCAN, group('count')], [], [])).toBe(false)
  })

  it('forgive sums and averages 1e-12 of their size', () => {
    const sum = [SCAN, group('sum', column('event_message'))]
    expect([60, 60 + 5e-11, 60 - 5e-11].map((x) => takes(sum, [{ x }]))).toEqual([true, true, true])
    expect(takes(sum, [{ x: 60 + 7e-11 }])).toBe(false)
    expect(takes(sum, [{ x: null }])).toBe(false)
  })

  it('leave open which value any_value takes, and the order in lists', () => {
    const of = (fn: 'any_value' | 'array_agg' | 'string_agg', ...more: Expression[]) => [
      SCAN,
      group(fn, column('event_message'), ...more),
    ]
    expect(['0', '10', '30', '5'].map((x) => takes(of('any_value'), [{ x }]))).toEqual([true, true, true, false])
    const list = (text: string) => [{ x: new RawJson(text) }]
    expect(takes(of('array_agg'), list('["30","0","10","20"]'))).toBe(true)
    expect(takes(of('array_agg'), list('["30","0","10"]'))).toBe(false)
    expect(takes(of('array_agg'), list('["30","0","10","10"]'))).toBe(false)
    expect(takes(of('array_agg', literal(2)), list('["30","0"]'))).toBe(true)
    expect(takes(of('string_agg', literal(';')), [{ x: '20;10;0;30' }])).toBe(true)
    expect(takes(of('string_agg', literal(';')), [{ x: '20;10;0;0' }])).toBe(false)
  })

  it('forgive the same of what is returned for them', () => {
    const of = (fn: 'any_value' | 'array_agg', value: string): Plan => [
      { op: 'scan', sources: ['edge_logs'], fromUs: 0, throughUs: 9 },
      group(fn, call('field', column('metadata'), literal(value))),
      { op: 'select', columns: [{ name: 'x', value: call('repeated', column('x')) }] },
    ]
    const records = [edge({ metadata: { a: { b: 1 } } }), edge({ metadata: { a: { b: { c: 2 } } } })]
    const json = (text: string) => [{ x: new RawJson(text) }]
    expect(takes(of('any_value', 'a'), json('[{"b":1}]'), records)).toBe(true)
    expect(takes(of('any_value', 'a'), json('[{"b":[{"c":2}]}]'), records)).toBe(true)
    expect(takes(of('any_value', 'a'), json('{"b":1}'), records)).toBe(false)
    expect(takes(of('array_agg', 'a'), json('[{"b":[{"c":2}]},{"b":1}]'), records)).toBe(true)
    expect(takes(of('array_agg', 'a'), json('[{"b":{"c":2}},{"b":1}]'), records)).toBe(false)
  })

  it('forgive percentiles half a point of rank, of more than 100 values', () => {
    const records = Array.from({ length: 1_000 }, (_, i) => edge({ timestampUs: i, event_message: `${i + 1}` }))
    const of = (percent: number) => [
      SCAN,
      group('quantile', call('cast_int64', column('event_message')), literal(percent)),
    ]
    expect([944, 945, 950, 955, 957].map((x) => takes(of(95), [{ x }], records))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
    const few = records.slice(0, 100)
    expect([94, 95, 96].map((x) => takes(of(95), [{ x }], few))).toEqual([false, true, false])
    const element: Operator = { op: 'select', columns: [{ name: 'x', value: call('offset', column('x'), literal(3)) }] }
    const quantiles = [
      SCAN,
      group('approx_quantiles', call('cast_int64', column('event_message')), literal(4)),
      element,
    ]
    expect([744, 745, 750, 755, 757].map((x) => takes(quantiles, [{ x }], records))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })

  it('demand an error of a row that reaches the expression, and refuse one of a row that does not', () => {
    const fails = call('cast_int64', call('concat', column('id'), literal('x')))
    const computed: Operator = { op: 'select', columns: [{ name: 'x', value: fails }] }
    expect(takes([SCAN, computed], 'invalid_sql')).toBe(true)
    expect(takes([SCAN, computed], 'invalid_pattern')).toBe(false)
    expect(takes([SCAN, computed], [])).toBe(false)
    expect(takes([SCAN, filter(literal(false)), computed], [])).toBe(true)
    expect(takes([SCAN, filter(literal(false)), computed], 'invalid_sql')).toBe(false)
    // A column that is filtered later, and a row beyond a limit: either.
    const none = [
      SCAN,
      { op: 'extend', columns: [{ name: 'x', value: fails }] },
      filter(literal(null)),
      select('id'),
    ] as Plan
    expect([takes(none, 'invalid_sql'), takes(none, [])]).toEqual([true, true])
    expect([takes([SCAN, computed, limit(0)], 'invalid_sql'), takes([SCAN, computed, limit(0)], [])]).toEqual([
      true,
      true,
    ])
  })

  it('know every aggregate', () => {
    expect(AGGREGATE_NAMES.toSorted()).toEqual(Object.keys(AGGREGATES).sort())
  })
})
