import { expect, it } from 'vitest'
import { HOUR_US, MINUTE_US } from '../../../../src/base/units.js'
import { followRows, POLL_LIMITS, type PollLimits } from '../../../../src/engine/clickhouse/follow/follow.js'
import type { Server } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import type { Row } from '../../../../src/plan/answer.js'
import { equals, scan } from '../../../../src/plan/builder.js'
import { pass } from '../../../http/support.js'
import { createFakeClock } from '../../../support/clock.js'

const COLUMNS = ['id', 'timestamp', 'event_message', 'metadata'] as const

interface Stored {
  id: string
  timestamp: number
  arrived: number
  batch: number
  row: number
}

/** Returns the number after a text in a statement. -Infinity if the text is not in the statement. */
function numberAfter(sql: string, text: string): number {
  const at = sql.indexOf(text)
  return at < 0 ? Number.NEGATIVE_INFINITY : Number(/^-?\d+/.exec(sql.slice(at + text.length))![0])
}

/** A server that answers the statements of subscriptions, from rows of one project. */
function createFakeServer() {
  const rows: Stored[] = []
  const statements: string[] = []
  const state = { isAway: false }
  const select: Server['select'] = async (sql) => {
    statements.push(sql)
    if (state.isAway) throw new Error('away')
    const batches = /batch IN \(([^I]*)\) ORDER/
      .exec(sql)?.[1]
      ?.match(/\d+(?=\))/g)
      ?.map(Number)
    const found = rows.filter(
      ({ timestamp, arrived, batch }) =>
        timestamp >= numberAfter(sql, 'timestamp >= ') &&
        arrived >= numberAfter(sql, 'arrived >= ') &&
        (batches === undefined || batches.includes(batch)),
    )
    const byArrival = (a: Stored, b: Stored) => b.arrived - a.arrived || b.batch - a.batch || b.row - a.row
    found.sort(sql.includes('ORDER BY timestamp') ? (a, b) => b.timestamp - a.timestamp || byArrival(a, b) : byArrival)
    const names = /^SELECT ([\w, ]+) FROM/.exec(sql)![1]!.split(', ')
    const cellOf = (row: Stored, name: string) => {
      if (name === 'metadata') return '{}'
      if (name === 'event_message') return ''
      return String(row[name as keyof Stored])
    }
    return found.slice(0, Number(/LIMIT (\d+)$/.exec(sql)![1])).map((row) => names.map((name) => cellOf(row, name)))
  }
  const server = { select } as unknown as Server
  return { server, rows, statements, state }
}

async function start(limits: Partial<PollLimits> = {}, before: Partial<Stored>[] = []) {
  const { server, rows, statements, state } = createFakeServer()
  const clock = createFakeClock()
  const delivered: string[] = []
  const gaps: boolean[] = []
  let batch = 0
  /** Stores rows as one batch. By default the rows have the current time and arrive now. */
  const store = (...group: Partial<Stored>[]) => {
    batch++
    const nowUs = clock.nowUs()
    rows.push(...group.map((given, row) => ({ id: '', timestamp: nowUs, arrived: nowUs, batch, row, ...given })))
  }
  store(...before)
  const listener = (rows: Iterable<Row>, hasGap: boolean) => {
    delivered.push(...[...rows].map(({ id }) => id as string))
    gaps.push(hasGap)
  }
  const following = await followRows({ source: 'edge_logs', project: 'a', columns: COLUMNS }, listener, {
    server,
    location: { database: 'logweir' },
    clock,
    limits: { ...POLL_LIMITS, ...limits },
  })
  return { following, clock, store, delivered, gaps, statements, state }
}

const newest = scan('edge_logs', { fromUs: 0, throughUs: Number.POSITIVE_INFINITY })
  .filter(equals('project', 'a'))
  .select(...COLUMNS)
  .orderBy('timestamp', 'desc')
  .limit(100)

it('tells of the rows that land, once each, in order of arrival, and of none that was there', async () => {
  const { clock, store, delivered, gaps } = await start({}, [{ id: 'before' }])
  await pass(clock, 1)
  store({ id: '1' }, { id: '2', timestamp: clock.nowUs() - MINUTE_US })
  store({ id: '3' })
  await pass(clock, 5)
  store({ id: '4' })
  await pass(clock, 70)
  expect([delivered, gaps]).toEqual([
    ['1', '2', '3', '4'],
    [false, false],
  ])
})

const LATE_TITLE =
  'sees rows that land after others which arrived later, within a minute, ' +
  'and the rest of a group that landed in part'
it(LATE_TITLE, async () => {
  const { clock, store, delivered } = await start()
  await pass(clock, 10)
  store({ id: '1' }, { id: '2' })
  await pass(clock, 1)
  store({ id: 'late', arrived: clock.nowUs() - 55 * 1_000_000 })
  store(
    { id: 'too late', arrived: clock.nowUs() - 65 * 1_000_000 },
    { id: 'too old', timestamp: clock.nowUs() - HOUR_US },
  )
  await pass(clock, 1)
  store({ id: '3', batch: 2, row: 2, arrived: clock.nowUs() - 2_000_000 })
  await pass(clock, 3)
  expect(delivered).toEqual(['1', '2', 'late', '3'])
})

it('reads the rows themselves only where there are new ones', async () => {
  const { clock, store, statements } = await start()
  await pass(clock, 3)
  expect(statements.filter((sql) => sql.includes('metadata'))).toEqual([])
  store({ id: '1' })
  await pass(clock, 3)
  expect([statements.length, statements.filter((sql) => sql.includes('metadata')).length]).toEqual([8, 1])
})

it('tells of the latest where too many land at once, and says so', async () => {
  const { clock, store, delivered, gaps } = await start({ rows: 2 })
  store({ id: '1' }, { id: '2' }, { id: '3' })
  await pass(clock, 3)
  expect([delivered, gaps]).toEqual([['2', '3'], [true]])
})

it('forgets the places of the oldest where there are too many, and tells of none twice', async () => {
  const { clock, store, delivered, following } = await start({ rowIds: 3 })
  for (let i = 0; i < 8; i++) {
    store({ id: `${i}` })
    await pass(clock, 1)
  }
  await pass(clock, 5)
  await following.run(newest)
  expect(delivered).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
})

it('a look that fails is made again, and nothing is missed of the time in between', async () => {
  const { clock, store, delivered, state } = await start()
  await pass(clock, 1)
  state.isAway = true
  store({ id: '1' })
  await pass(clock, 100)
  store({ id: '2' })
  state.isAway = false
  await pass(clock, 2)
  expect(delivered).toEqual(['1', '2'])
})

it('a clock that is set back brings nothing again', async () => {
  const { clock, store, delivered } = await start({}, [{ id: 'before' }])
  await pass(clock, 120)
  store({ id: '1' })
  await pass(clock, 1)
  clock.setNowUs(clock.nowUs() - HOUR_US)
  await pass(clock, 3)
  expect(delivered).toEqual(['1'])
})

const ANSWER_TITLE =
  'an answer has the rows that were there and those told of, ' + 'which it makes them where they have just landed'
it(ANSWER_TITLE, async () => {
  const { following, clock, store, delivered } = await start({}, [{ id: 'before' }])
  clock.advance(100)
  store({ id: '1' })
  clock.advance(100)
  store({ id: '2' }, { id: '3' })
  const { rows, delivered: count } = await following.run(newest)
  const ids: unknown[] = []
  for await (const { id } of rows) ids.push(id)
  expect([ids, delivered, count]).toEqual([['3', '2', '1', 'before'], ['1', '2', '3'], 3])
  store({ id: '4' })
  await pass(clock, 3)
  expect(delivered).toEqual(['1', '2', '3', '4'])
})

it('asks no more when it is stopped', async () => {
  const { following, clock, statements } = await start()
  following.stop()
  await pass(clock, 3)
  expect([statements.length, clock.timers]).toEqual([1, 0])
})
