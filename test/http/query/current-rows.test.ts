import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/engine.js'
import { createCurrentRows, isOutdated } from '../../../src/http/query/current-rows.js'
import type { Row } from '../../../src/plan/answer.js'
import { equals, Rows, scan } from '../../../src/plan/builder.js'
import { mayRead, ofProject } from '../../../src/plan/of-project.js'
import type { Plan } from '../../../src/plan/plan.js'

const ALL: Plan = Rows.planOf(scan('edge_logs', { fromUs: 0, throughUs: 1 }).select('id'))
const UNION: Plan = [{ op: 'union', plans: [ALL, ofProject(ALL, 'b')] }]
const DELETED = { project: 'a', sources: new Set(['edge_logs']) }

/** An engine with runs that end when the test says so. */
function heldEngine() {
  const ends: (() => void)[] = []
  const rows: Row[] = [{ id: '1' }, { id: '2' }]
  const run: Engine['run'] = async () => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return (async function* () {
      yield* rows
    })()
  }
  return { run, ends }
}

async function readAll(rows: AsyncIterable<Row>): Promise<Row[]> {
  const read: Row[] = []
  for await (const row of rows) read.push(row)
  return read
}

describe('a read during which rows are deleted', () => {
  it('runs again, if it may have the rows', async () => {
    const { run, ends } = heldEngine()
    const current = createCurrentRows({ run })
    const rows = current.run(ofProject(ALL, 'a'))
    current.noteDeleted({ ...DELETED, project: 'b' })
    current.noteDeleted({ ...DELETED, sources: new Set(['auth_logs']) })
    current.noteDeleted(DELETED)
    ends[0]!()
    await new Promise((resolve) => setImmediate(resolve))
    expect(ends).toHaveLength(2)
    ends[1]!()
    expect(await readAll(await rows)).toHaveLength(2)
  })

  it('ends with an error, if rows are left to be read', async () => {
    const { run, ends } = heldEngine()
    const current = createCurrentRows({ run })
    const running = [ofProject(ALL, 'b'), ofProject(ALL, 'a'), ALL, UNION].map((plan) => current.run(plan))
    for (const end of ends) end()
    const iterators = (await Promise.all(running)).map((rows) => rows[Symbol.asyncIterator]())
    for (const iterator of iterators) expect((await iterator.next()).value).toEqual({ id: '1' })
    current.noteDeleted(DELETED)
    const next = await Promise.allSettled(iterators.map((iterator) => iterator.next()))
    expect(next.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
    expect(next.flatMap((one) => (one.status === 'rejected' ? isOutdated(one.reason) : []))).toEqual([true, true, true])
  })

  it('calls the listeners of plans that may have the rows', () => {
    const current = createCurrentRows(heldEngine())
    const called: string[] = []
    current.onDeleted(ofProject(ALL, 'a'), () => void called.push('a'))
    current.onDeleted(ofProject(ALL, 'b'), () => void called.push('b'))
    current.onDeleted(ALL, () => void called.push('removed'))()
    current.noteDeleted(DELETED)
    expect([called, current.revision]).toEqual([['a'], 1])
  })
})

describe('a plan may read the rows of a project', () => {
  it.each<[string, Plan, boolean]>([
    ['of all', ALL, true],
    ['of the project', ofProject(ALL, 'a'), true],
    ['of another', ofProject(ALL, 'b'), false],
    [
      'of another, in the last condition of several',
      [ALL[0]!, { op: 'filter', where: equals('id', 'x') }, ...ofProject(ALL, 'b').slice(1)],
      false,
    ],
    ['of another, after other operators', [...ALL, { op: 'filter', where: equals('project', 'b') }], true],
    ['in one part of a union', UNION, true],
    ['in no part of a union', [{ op: 'union', plans: [ofProject(ALL, 'b'), ofProject(ALL, 'c')] }], false],
    [
      'in an inner plan',
      [...ofProject(ALL, 'b'), { op: 'isIn', value: equals('id', 'x'), plan: ALL, name: 'in' }],
      true,
    ],
    ['that is empty', [], false],
  ])('%s', (_, plan, may) => {
    expect(mayRead(plan, 'a')).toBe(may)
  })
})
