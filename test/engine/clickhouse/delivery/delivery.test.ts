import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../../../src/base/metrics.js'
import type { SourceName } from '../../../../src/common/sources.js'
import { createClickHouseEngine } from '../../../../src/engine/clickhouse/engine.js'
import { type TableColumn, tableColumns } from '../../../../src/engine/clickhouse/schema/table-names.js'
import { type Cell, type Server, ServerError } from '../../../../src/engine/clickhouse/server/clickhouse-server.js'
import type { ScanStats } from '../../../../src/engine/engine.js'
import { count, scan } from '../../../../src/plan/builder.js'
import { createFakeClock } from '../../../support/clock.js'
import { appendAll, ask } from '../../../support/engine.js'
import { eventually } from '../../../support/eventually.js'
import { createModelFiles } from '../../../support/model-files.js'
import { edge } from '../../../support/records.js'

/** A server with the given answers, and a record of the statements, without queries for the columns of tables. */
function fakeServer({ columnsOf, ...answers }: Partial<Server> & { columnsOf?: () => Promise<Cell[][]> } = {}) {
  const statements: string[] = []
  const server: Server = {
    async select(sql, options) {
      if (sql.includes('system.columns')) return columnsOf?.() ?? []
      statements.push(sql)
      return answers.select?.(sql, options) ?? []
    },
    async selectNative(sql, options) {
      statements.push(sql)
      return answers.selectNative?.(sql, options) ?? Buffer.alloc(0)
    },
    async insert(sql, blocks, queryId) {
      statements.push(`${sql} ${queryId}`)
      await answers.insert?.(sql, blocks, queryId)
    },
    async command(sql) {
      statements.push(sql)
      await answers.command?.(sql)
    },
    close: async () => {},
  }
  return { server, statements }
}

function openOn(server: Server, options: Partial<Parameters<typeof createClickHouseEngine>[0]> = {}) {
  const clock = createFakeClock()
  const logged: string[] = []
  const files = createModelFiles()
  const timing = { settleMs: 1, firstWaitMs: 1, longestWaitMs: 2, closeMs: 20 }
  const parts = { clock, metrics: createMetrics(), files, directory: 'data', log: (line: string) => logged.push(line) }
  const engine = createClickHouseEngine({
    server,
    location: { database: 'logweir', cluster: 'c' },
    timing,
    ...parts,
    ...options,
  })
  return { engine, clock, logged, files }
}

const isRunningCheck = (sql: string) => sql.includes('system, processes')
const isInsert = (sql: string) => sql.startsWith('INSERT')

describe('after a try that failed', () => {
  it('nothing is sent before what runs of it on any shard has ended, seen twice', async () => {
    let tries = 0
    const running = ['1', '0', '1', '0', '0']
    const { server, statements } = fakeServer({
      async insert() {
        if (++tries === 1) throw new ServerError(new Error('connection reset'))
      },
      select: async (sql) => (isRunningCheck(sql) ? [[running.shift()!]] : []),
    })
    const { engine } = openOn(server)
    await engine.recover()
    await appendAll(engine, [edge()])
    await engine.settled()
    const kinds = statements.map((sql) =>
      isInsert(sql) ? 'insert' : isRunningCheck(sql) ? 'look' : sql.startsWith('KILL') ? 'kill' : 'rows',
    )
    expect(kinds).toEqual(['insert', 'look', 'kill', 'look', 'look', 'kill', 'look', 'look', 'rows', 'insert'])
    const ids = statements.filter(isInsert).map((sql) => /logweir-([0-9a-f]{16})-(\S+)$/.exec(sql)!)
    expect(ids[0]![1]).toBe(ids[1]![1])
    expect(ids[0]![2]).not.toBe(ids[1]![2])
    await engine.close()
  })

  it('nothing is sent where all is there, and the journal goes', async () => {
    const { server, statements } = fakeServer({
      insert: async () => {
        throw new Error('no answer')
      },
      select: async (sql) => (isRunningCheck(sql) ? [['0']] : [[0], [1]]),
    })
    const { engine, files } = openOn(server)
    await engine.recover()
    await appendAll(engine, [edge({ timestampUs: 9 }), edge({ timestampUs: 5 })])
    // The rows count as unconfirmed before the insert.
    expect(engine.stats()[0]).toMatchObject({ source: 'edge_logs', rows: 2 })
    expect((await files.list('unconfirmed')).length).toBe(1)
    await engine.settled()
    expect(statements.filter(isInsert).length).toBe(1)
    // Only the time range of the batch is read.
    expect(statements.at(-1)).toMatch(/^SELECT row FROM .* WHERE timestamp >= 5 AND timestamp <= 9 AND batch = /)
    expect(await files.list('unconfirmed')).toEqual([])
    await engine.close()
  })

  it('it is said once, and once more when it has passed; meanwhile the engine is in trouble', async () => {
    let isAway = true
    const fail = async () => {
      if (isAway) throw new ServerError(new Error('Code: 60, e.displayText() = DB::Exception: no such table'))
    }
    const { server } = fakeServer({
      insert: fail,
      async select(sql) {
        await fail()
        return isRunningCheck(sql) ? [['0']] : []
      },
    })
    const { engine, logged } = openOn(server)
    await engine.recover()
    await appendAll(engine, [edge()])
    const settled = engine.settled()
    await eventually(() => expect(engine.writeFailure()?.message).toContain('no such table'))
    expect(engine.stats()[0]).toMatchObject({ source: 'edge_logs', rows: 1 })
    isAway = false
    await settled
    expect(engine.writeFailure()).toBeUndefined()
    expect(logged).toEqual([
      'rows cannot be sent to ClickHouse: Code: 60, e.displayText() = DB::Exception: no such table ' +
        '(logweir schema clickhouse --apply creates the tables). They are kept in data, and sending is retried.',
      'rows are sent to ClickHouse again',
    ])
    await engine.close()
  })
})

describe('a table of an earlier version', () => {
  const names = (source: SourceName, isThere: (column: TableColumn) => boolean): Cell[][] =>
    tableColumns(source).flatMap((column) => (isThere(column) ? [[column.name]] : []))
  const old = names('edge_logs', ({ isLater }) => !isLater)
  const whole = names('edge_logs', () => true)
  const insertOf = (columns: Cell[][]) => `INSERT INTO \`logweir\`.\`edge_logs\` (${columns.join(', ')}) FORMAT Native`

  it('gets the columns that it has, also if it is another one than a moment before', async () => {
    const answers = [whole, old, whole]
    const { server, statements } = fakeServer({
      columnsOf: async () => answers.shift()!,
      async insert(sql) {
        if (answers.length > 0) throw new ServerError(new Error('Code: 16, e.displayText() = No such column'))
        expect(sql).toBe(insertOf(whole))
      },
      select: async (sql) => (isRunningCheck(sql) ? [['0']] : []),
    })
    const { engine } = openOn(server)
    await engine.recover()
    await appendAll(engine, [edge()])
    await engine.settled()
    const inserts = statements.filter(isInsert).map((sql) => sql.replace(/ logweir-.*$/, ''))
    expect(inserts).toEqual([insertOf(whole), insertOf(old), insertOf(whole)])
    await engine.close()
  })

  it('gets its rows later if the server does not say which columns it has', async () => {
    let tries = 0
    const { server, statements } = fakeServer({
      columnsOf: () =>
        ++tries < 3 ? Promise.reject(new ServerError(new Error('ECONNREFUSED'))) : Promise.resolve(old),
      select: async (sql) => (isRunningCheck(sql) ? [['0']] : []),
    })
    const { engine } = openOn(server)
    await engine.recover()
    await appendAll(engine, [edge()])
    await engine.settled()
    expect(statements.filter(isInsert).map((sql) => sql.replace(/ logweir-.*$/, ''))).toEqual([insertOf(old)])
    await engine.close()
  })
})

it('holds back who appends while too much is unconfirmed', async () => {
  const confirms: (() => void)[] = []
  const { server } = fakeServer({ insert: () => new Promise<void>((resolve) => confirms.push(resolve)) })
  const confirm = async () => {
    await eventually(() => expect(confirms).not.toEqual([]))
    confirms.shift()!()
  }
  const { engine } = openOn(server, { unconfirmedBytes: 100, limits: { rows: 1 } })
  await engine.recover()
  await appendAll(engine, [edge({ event_message: 'x'.repeat(200) })])
  let isAppended = false
  const second = appendAll(engine, [edge()]).then(() => {
    isAppended = true
  })
  await wait(20)
  expect(isAppended).toBe(false)
  await confirm()
  await second
  expect(isAppended).toBe(true)
  const settled = engine.settled()
  await confirm()
  await settled
  await engine.close()
})

it('holds back nobody once the service stops, and keeps what it let in', async () => {
  const { server } = fakeServer({ insert: () => new Promise(() => {}) })
  const { engine, files } = openOn(server, { unconfirmedBytes: 1, limits: { rows: 1 } })
  await engine.recover()
  await appendAll(engine, [edge()])
  const waiting = appendAll(engine, [edge(), edge()], 1)
  await wait(20)
  engine.stopWaiting()
  await waiting
  await engine.close()
  expect((await files.list('unconfirmed')).length).toBe(3)
})

it('closing leaves what is not confirmed to the next process', async () => {
  const away = fakeServer({
    insert: () => Promise.reject(new Error('away')),
    select: () => Promise.reject(new Error('away')),
  })
  const { engine, files } = openOn(away.server)
  await engine.recover()
  await appendAll(engine, [edge({ id: 'x' })])
  await engine.close()
  expect((await files.list('unconfirmed')).length).toBe(1)
  const back = fakeServer({ select: async (sql) => (isRunningCheck(sql) ? [['0']] : []) })
  const next = openOn(back.server, { files })
  await next.engine.recover()
  await next.engine.settled()
  expect(back.statements.filter(isInsert).length).toBe(1)
  expect(await files.list('unconfirmed')).toEqual([])
  await next.engine.close()
})

it.each([
  [[7, 5], [{ rows: 12 }]],
  [[], [{ rows: 0 }]],
])('tells of a query what the server has read: %j', async (reads, expected) => {
  const { server } = fakeServer({
    async select(_, options) {
      for (const rows of reads) options?.onRead?.(rows)
      return []
    },
  })
  const { engine } = openOn(server)
  const works: ScanStats[] = []
  const plan = scan('edge_logs', { fromUs: 0, throughUs: 1 }).group('url').aggregate({ count: count() }).orderBy('url')
  await engine.run(plan.limit(1), { onScanStats: (work) => works.push(work) })
  await engine.run(plan.limit(0), { onScanStats: (work) => works.push(work) })
  expect(works).toEqual(expected)
  await engine.close()
})

describe('a query that the server does not answer', () => {
  it.each([
    [new ServerError(new Error('Code: 427, e.displayText() = …')), 'invalid_pattern'],
    [new ServerError(new Error('Code: 158. DB::Exception: Limit for rows to GROUP BY exceeded')), 'too_many_groups'],
    [new ServerError(new Error('connect ECONNREFUSED')), 'engine_unavailable'],
    [new ServerError(new Error('Code: 47. DB::Exception: Unknown identifier: level')), 'engine_unavailable'],
    [new ServerError(new Error('Code: 279. DB::NetException: …')), 'engine_unavailable'],
  ])('is refused with a code: %s', async (error, code) => {
    const fail = () => Promise.reject(error)
    const { server } = fakeServer({ select: fail, selectNative: fail })
    const { engine } = openOn(server)
    await expect(ask(engine, 'logs.all', { project: 'a' }, 0)).rejects.toMatchObject({ code })
    await engine.close()
  })

  it('hands on the reason of a caller who left', async () => {
    const reason = new Error('gone')
    const { server } = fakeServer({ selectNative: () => Promise.reject(reason) })
    const { engine } = openOn(server)
    await expect(ask(engine, 'logs.all', { project: 'a' }, 0)).rejects.toBe(reason)
    await engine.close()
  })
})
