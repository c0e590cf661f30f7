import { expect, it } from 'vitest'
import type { Subscription } from '../../../../src/engine/engine.js'
import type { Row } from '../../../../src/plan/answer.js'
import { equals, scan } from '../../../../src/plan/builder.js'
import { toBatch } from '../../../support/batch.js'
import { openEngine, readAll } from '../../../support/engine.js'
import { edge, invocation, type TestRecord } from '../../../support/records.js'

const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const
const NEWEST = scan('edge_logs', { fromUs: 0, throughUs: Number.POSITIVE_INFINITY })
  .filter(equals('project', 'a'))
  .select(...COLUMNS)
  .orderBy('timestamp', 'desc')
  .limit(100)

const engineWith = (sealRows = 1_000) => openEngine({ sealRows })
const append = (engine: ReturnType<typeof engineWith>, ...records: TestRecord[]) =>
  engine.append(toBatch(records[0]!.source, records))

/** Follows project `a` of edge logs. Returns the ids that are delivered. */
async function follow(engine: ReturnType<typeof engineWith>) {
  const ids: string[] = []
  const listener = (rows: Iterable<Row>) => {
    for (const { id } of rows) ids.push(id as string)
  }
  const following = await engine.follow({ source: 'edge_logs', project: 'a', columns: COLUMNS }, listener)
  return { ids, following }
}

const answerOf = async (following: Subscription) => {
  const { rows, delivered } = await following.run(NEWEST)
  return { ids: (await readAll(rows)).map(({ id }) => id).reverse(), delivered }
}

it('tells of the rows of its project and source, in order of arrival, however old they are', async () => {
  const engine = engineWith()
  await append(engine, edge({ id: 'before' }))
  const { ids } = await follow(engine)
  await append(
    engine,
    edge({ id: '1', timestampUs: 9 }),
    edge({ id: 'no', project: 'b' }),
    edge({ id: '2', timestampUs: 3 }),
  )
  await append(engine, invocation({ id: 'no', project: 'a' }))
  await append(engine, edge({ id: 'no', project: null }), edge({ id: 'no', project: 'aa' }))
  await append(engine, edge({ id: '3', timestampUs: 5 }))
  expect(ids).toEqual(['1', '2', '3'])
})

it('tells of each row as an answer has it', async () => {
  const engine = engineWith()
  const delivered: Row[] = []
  await engine.follow({ source: 'edge_logs', project: 'a', columns: COLUMNS }, (rows) => delivered.push(...rows))
  await append(engine, edge({ id: 'é', timestampUs: 7, event_message: 'GET', metadata: '{"n": 1.0}' }))
  expect(delivered).toEqual(await rowsOf(engine))
})

async function rowsOf(engine: ReturnType<typeof engineWith>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of await engine.run(NEWEST)) rows.push(row)
  expect(rows.length).toBe(1)
  return rows
}

it('goes on over sealing, in memory that was used before', async () => {
  const engine = engineWith(2)
  const { ids } = await follow(engine)
  const wanted = Array.from({ length: 40 }, (_, i) => String(i))
  for (const id of wanted) {
    await append(engine, edge({ id: 'no', project: `b${id}` }), edge({ id, project: 'a' }))
    if (Number(id) % 8 === 0) await engine.seal()
  }
  expect(ids).toEqual(wanted)
})

it('runs a plan over the rows there were and those it has told of, and no others', async () => {
  const engine = engineWith()
  await append(engine, edge({ id: 'before', timestampUs: 1 }))
  const { following } = await follow(engine)
  expect(await answerOf(following)).toEqual({ ids: ['before'], delivered: 0 })
  await append(engine, edge({ id: '1', timestampUs: 2 }))
  const first = answerOf(following)
  await append(engine, edge({ id: '2', timestampUs: 3 }))
  expect(await first).toEqual({ ids: ['before', '1'], delivered: 1 })
  expect(await answerOf(following)).toEqual({ ids: ['before', '1', '2'], delivered: 2 })
})

it('tells of nothing once it is stopped, and nobody else of less', async () => {
  const engine = engineWith()
  const [one, other] = [await follow(engine), await follow(engine)]
  await append(engine, edge({ id: '1' }))
  one.following.stop()
  await append(engine, edge({ id: '2' }))
  expect([one.ids, other.ids]).toEqual([['1'], ['1', '2']])
})

it('does not read what nobody wants: who leaves off is told of the next batch all the same', async () => {
  const engine = engineWith()
  const firsts: unknown[] = []
  await engine.follow({ source: 'edge_logs', project: 'a', columns: COLUMNS }, (rows) => {
    for (const { id } of rows) {
      firsts.push(id)
      break
    }
  })
  await append(engine, edge({ id: '1' }), edge({ id: '2' }))
  await append(engine, edge({ id: '3' }), edge({ id: '4' }))
  expect(firsts).toEqual(['1', '3'])
})
