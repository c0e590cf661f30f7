import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../../../src/engine/store/engine.js'
import { count, scan } from '../../../../src/plan/builder.js'
import { call, column } from '../../../../src/plan/expression.js'
import type { Operator, Plan } from '../../../../src/plan/plan.js'
import { appendAll, openEngine, readAll } from '../../../support/engine.js'
import { edge } from '../../../support/records.js'

const ALWAYS = { fromUs: 0, throughUs: Number.POSITIVE_INFINITY }
const COUNT: Operator = { op: 'group', keys: [], aggregates: [{ name: 'n', value: count() }] }
const all = () => scan('edge_logs', ALWAYS)
/** The rows of all edge logs, without an order and a limit. */
const every = all().limit(1).slice(0, 1)
const messages: Operator = {
  op: 'select',
  columns: [{ name: 'x', value: call('lower', column('event_message')) }],
}

let engine: ArrowEngine

/** Rows of 2 MB in all, in segments of 100 rows and an open head. A query may take 1 MB. */
beforeEach(async () => {
  engine = openEngine({ sealRows: 100, groupingLimits: { groups: 10, bytes: 1_000_000 } })
  const records = Array.from({ length: 1_050 }, (_, i) =>
    edge({ id: `${i}`, timestampUs: i, event_message: 'x'.repeat(1_000), metadata: { n: i, pad: 'y'.repeat(1_000) } }),
  )
  await appendAll(engine, records, 100)
})
afterEach(() => engine.close())

const run = async (plan: Plan) => readAll(await engine.run(plan))

describe('the memory of a query', () => {
  it('bounds the columns that are computed of cold ones', async () => {
    expect(await run([...every, messages, { op: 'limit', rows: 100, offset: 0 }])).toHaveLength(100)
    await expect(run([...every, messages, { op: 'limit', rows: 1_000, offset: 0 }])).rejects.toMatchObject({
      code: 'too_much_memory',
    })
  })

  it('is not taken by rows that are read on while the caller takes them', async () => {
    expect(await run(all().select('id', 'metadata', 'event_message').limit(1_000))).toHaveLength(1_000)
  })

  it('is not taken by the rows of a union that are counted, filtered or of which few are kept', async () => {
    const part = [...every, { ...messages, columns: [...messages.columns, { name: 'id', value: column('id') }] }]
    const union: Operator = { op: 'union', plans: [part, part] }
    expect(await run([union, COUNT])).toEqual([{ n: 2_100 }])
    const seven: Operator = { op: 'filter', where: call('ends_with', column('id'), { kind: 'literal', value: '77' }) }
    expect(await run([union, seven, COUNT])).toEqual([{ n: 20 }])
    const order: Operator = { op: 'orderBy', keys: [{ by: column('id'), direction: 'desc', nulls: 'last' }] }
    expect((await run([union, order, { op: 'limit', rows: 3, offset: 0 }])).map(({ id }) => id)).toEqual([
      '999',
      '999',
      '998',
    ])
    await expect(run([union, order])).rejects.toMatchObject({ code: 'too_much_memory' })
  })

  it('is not taken by the elements of an unnest', async () => {
    const unnest: Operator = { op: 'unnest', list: column('metadata'), name: 'm', isOuter: false }
    expect(await run([...every, unnest, COUNT])).toEqual([{ n: 1_050 }])
  })
})
