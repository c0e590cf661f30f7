import { describe, expect, it } from 'vitest'
import { call, column, type Expression, field, literal } from '../../src/plan/expression.js'
import type { Operator, Plan } from '../../src/plan/plan.js'
import { appendAll, openEngine, readAll } from '../support/engine.js'
import { edge } from '../support/records.js'

const SCAN: Operator = { op: 'scan', sources: ['edge_logs'], fromUs: 0, throughUs: 1 }
/** Spelled out, the last column of a plan would have 2 to this power terms. */
const DOUBLINGS = 60

/** Columns of which each uses the previous column twice. */
function doubled(first: Expression, fn: 'greatest' | 'and'): Operator[] {
  const start: Operator = { op: 'extend', columns: [{ name: 'c0', value: first }] }
  const next = Array.from({ length: DOUBLINGS }, (_, i): Operator => {
    return { op: 'extend', columns: [{ name: `c${i + 1}`, value: call(fn, column(`c${i}`), column(`c${i}`)) }] }
  })
  return [start, ...next]
}

const LAST = column(`c${DOUBLINGS}`)

const ENDS: Readonly<Record<string, Plan>> = {
  select: [{ op: 'select', columns: [{ name: 'x', value: LAST }] }],
  filter: [
    { op: 'filter', where: call('ge', LAST, literal(0)) },
    { op: 'select', columns: [{ name: 'x', value: LAST }] },
  ],
  group: [{ op: 'group', keys: [{ name: 'x', value: LAST }], aggregates: [] }],
  orderBy: [
    { op: 'orderBy', keys: [{ by: LAST, direction: 'asc', nulls: 'last' }] },
    { op: 'select', columns: [{ name: 'x', value: LAST }] },
    { op: 'limit', rows: 1, offset: 0 },
  ],
}

const FIRSTS: Readonly<Record<string, Expression>> = {
  'a constant': literal(3),
  'an entry of a dictionary': call('length', column('url')),
  'a cold column': call('length', column('event_message')),
  'a field': call('length', field('request.none.url')),
  'a declared field': call('length', field('request.url')),
}

async function run(plan: Plan) {
  const engine = openEngine()
  await appendAll(engine, [edge({ event_message: 'abc', metadata: { request: { url: 'xyz', none: { url: 'abc' } } } })])
  const rows = await readAll(await engine.run(plan))
  await engine.close()
  return rows
}

describe('an expression that others use many times', () => {
  for (const [first, value] of Object.entries(FIRSTS)) {
    it.each(Object.keys(ENDS))(`is evaluated once: ${first}, in %s`, async (end) => {
      expect(await run([SCAN, ...doubled(value, 'greatest'), ...ENDS[end]!])).toEqual([{ x: 3 }])
    })
  }

  it('is one condition of a conjunction', async () => {
    const where: Operator = { op: 'filter', where: LAST }
    const select: Operator = { op: 'select', columns: [{ name: 'x', value: column('url') }] }
    const first = call('eq', column('url'), literal('xyz'))
    expect(await run([SCAN, ...doubled(first, 'and'), where, select])).toEqual([{ x: 'xyz' }])
  })
})
