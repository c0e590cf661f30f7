import { expect, it } from 'vitest'
import { conditionOf } from '../../../../src/endpoints/explore-params.js'
import { readFilter } from '../../../../src/endpoints/filter.js'
import { followRows, POLL_LIMITS, type PollLimits } from '../../../../src/engine/clickhouse/follow/follow.js'
import type { Server } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import { equals, scan } from '../../../../src/plan/builder.js'
import { pass } from '../../../http/support.js'
import { createFakeClock } from '../../../support/clock.js'
import { readAll } from '../../../support/engine.js'

const COLUMNS = ['id', 'timestamp'] as const

interface Stored {
  id: string
  timestamp: number
  arrived: number
  batch: number
  row: number
  event_message: string
  metadata: string
}

/** A server that applies no condition of a filter, so that the process has to. The server counts the returned rows. */
function createFakeServer() {
  const rows: Stored[] = []
  const statements: string[] = []
  const select: Server['select'] = async (sql) => {
    statements.push(sql)
    const isNewest = sql.includes('ORDER BY timestamp')
    const order = (a: Stored, b: Stored) =>
      (isNewest ? b.timestamp - a.timestamp : 0) || b.batch - a.batch || b.row - a.row
    const names = /^SELECT ([\w, ]+) FROM/.exec(sql)![1]!.split(', ') as (keyof Stored)[]
    const most = Number(/LIMIT (\d+)$/.exec(sql)![1])
    const before = /timestamp = (\d+) AND \(arrived, batch, row\) < \(\w+\(\d+\), \w+\((\d+)\), \w+\((\d+)\)\)/.exec(
      sql,
    )
    const [timestamp, batch, row] = (before ?? []).slice(1).map(Number)
    const isAsked = (one: Stored) =>
      before === null ||
      (one.timestamp === timestamp && (one.batch < batch! || (one.batch === batch && one.row < row!)))
    return rows
      .filter(isAsked)
      .toSorted(order)
      .slice(0, most)
      .map((row) => names.map((name) => String(row[name])))
  }
  return { server: { select } as unknown as Server, rows, statements }
}

/** Follows the rows with a status of 500 or more and an `x` in the message. */
async function start(limits: Partial<PollLimits> = {}) {
  const { server, rows, statements } = createFakeServer()
  const clock = createFakeClock()
  const delivered: [ids: unknown[], hasGap: boolean][] = []
  let batch = 0
  /** Stores a batch. The messages are the ids. */
  const store = (...ids: string[]) => {
    batch++
    const [timestamp, arrived] = [clock.nowUs(), clock.nowUs()]
    const status = (id: string) => (id.includes('ok') ? '"200"' : '"500"')
    const metadata = (id: string) => `{"response":[{"status_code":${status(id)}}]}`
    rows.push(
      ...ids.map((id, row) => ({ id, timestamp, arrived, batch, row, event_message: id, metadata: metadata(id) })),
    )
  }
  const filter = readFilter('[{"field":"response.status_code","op":">=","value":500}]')
  const where = conditionOf({ filter, search: 'X' })!
  const follow = () =>
    followRows(
      { source: 'edge_logs', project: 'a', columns: COLUMNS, where },
      (found, hasGap) => delivered.push([[...found].map(({ id }) => id), hasGap]),
      { server, location: { database: 'logweir' }, clock, limits: { ...POLL_LIMITS, ...limits } },
    )
  const newest = (rows: number) =>
    scan('edge_logs', { fromUs: 0, throughUs: Number.POSITIVE_INFINITY })
      .filter(equals('project', 'a'), where)
      .select(...COLUMNS)
      .orderBy('timestamp', 'desc')
      .rank('rank')
      .limit(rows)
  return { store, follow, newest, clock, delivered, statements }
}

it('delivers the rows that pass, once, and reads no others twice', async () => {
  const { store, follow, clock, delivered, statements } = await start()
  store('x before')
  await follow()
  await pass(clock, 1)
  store('x 1', 'ok x', 'y')
  await pass(clock, 2)
  store('ok', 'y')
  await pass(clock, 2)
  store('x 2')
  await pass(clock, 1)
  expect(delivered).toEqual([
    [['x 1'], false],
    [['x 2'], false],
  ])
  expect(statements.filter((sql) => sql.split(' FROM ')[0]!.includes('metadata')).length).toBe(3)
})

it('has the server leave out the rows that a declared field excludes', async () => {
  const { follow, statements } = await start()
  await follow()
  expect(statements.at(-1)).toContain('AND (ifNull(status_code >= toFloat64(500), 0) OR bitAnd(in_metadata')
})

it('says with the next row that passes that others were not read', async () => {
  const { store, follow, clock, delivered } = await start({ rows: 2 })
  await follow()
  store('x lost', 'y', 'y')
  await pass(clock, 2)
  store('x 1')
  await pass(clock, 2)
  store('x 2')
  await pass(clock, 2)
  expect(delivered).toEqual([
    [['x 1'], true],
    [['x 2'], false],
  ])
})

it('reads more of the newest rows until enough pass, up to a limit', async () => {
  const { store, follow, newest, clock, statements } = await start({ examinedRows: 20 })
  for (let i = 0; i < 30; i++) {
    store(i % 10 === 4 ? `x ${i}` : `y ${i}`)
    clock.advance(1)
  }
  const { run } = await follow()
  const before = statements.length
  const answer = async (rows: number) => {
    const found = await run(newest(rows))
    return [(await readAll(found.rows)).map(({ id }) => id), found.isCut]
  }
  expect(await answer(1)).toEqual([['x 24'], false])
  expect(await answer(2)).toEqual([['x 24', 'x 14'], false])
  const limits = statements.slice(before).map((sql) => Number(/LIMIT (\d+)$/.exec(sql)![1]))
  // The last statement is for the rank of the oldest row: other rows may have the same time.
  expect(limits).toEqual([1, 8, 2, 16, 20])
  expect(await answer(3)).toEqual([['x 24', 'x 14'], true])
})

it('leaves out the oldest time that it has read if it did not read all of it', async () => {
  const { store, follow, newest, clock } = await start({ examinedRows: 4 })
  store('x 1', 'x 2', 'x 3')
  clock.advance(1)
  store('y', 'x 4')
  const { run } = await follow()
  const { rows, isCut } = await run(newest(4))
  expect([(await readAll(rows)).map(({ id }) => id), isCut]).toEqual([['x 4'], true])
  const whole = await run(newest(3))
  // The rank counts the rows of the time that were not read for the answer.
  expect((await readAll(whole.rows)).map(({ id, rank }) => [id, rank])).toEqual([
    ['x 4', 1],
    ['x 3', 3],
    ['x 2', 2],
  ])
})

it('leaves out the oldest time if the process would have to read too many rows for their ranks', async () => {
  const { store, follow, newest, clock } = await start({ examinedRows: 4 })
  store('x 1', 'x 2', 'x 3', 'x 4', 'x 5')
  clock.advance(1)
  store('x 6')
  const { run } = await follow()
  const { rows, isCut } = await run(newest(2))
  expect([(await readAll(rows)).map(({ id, rank }) => [id, rank]), isCut]).toEqual([[['x 6', 1]], true])
})
