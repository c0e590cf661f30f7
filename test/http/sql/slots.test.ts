import { describe, expect, test } from 'vitest'
import { LOGS_ALL, readReply, STATS, settle } from '../support.js'
import { createSqlApp, IDS, nested, sqlPath } from './support.js'

const limits = { queriesAtOnce: 4, queriesWaiting: 3, sqlQueriesWaiting: 2, waitMs: 10_000, queryMs: 30_000 }

function setup(more: Partial<typeof limits> = {}) {
  const test = createSqlApp({ limits: { ...limits, ...more } })
  const send = (path: string) => {
    const leaves = new AbortController()
    return {
      reply: readReply(test.get(path, { signal: leaves.signal }), 'retry-after'),
      leave: () => leaves.abort(),
    }
  }
  const asSql = (project: number) => send(sqlPath(IDS, `project=${project}`))
  const stored = (project: number) => send(`${LOGS_ALL}?project=${project}`)
  /** The kinds of the runs so far: SQL, which asks for ids only, or stored. */
  const kinds = () =>
    test.engine.runs
      .map(({ plan }) =>
        plan.some((operator) => operator.op === 'select' && operator.columns.length === 1) ? 'sql' : 'stored',
      )
      .join(' ')
  const running = async () => (await test.metrics.queriesRunning.get()).values[0]!.value
  const finish = async (run: number) => {
    test.engine.runs[run]!.finish()
    await settle()
  }
  return { ...test, asSql, stored, kinds, running, finish }
}

const times = (count: number, work: (i: number) => unknown) => Array.from({ length: count }, (_, i) => work(i))
const refused = (message: string) => ({ status: 503, 'retry-after': '2', body: nested(message, 'overloaded') })

describe('O2: queries in SQL of clients', () => {
  test.each([
    [4, 2],
    [5, 2],
    [2, 1],
    [1, 1],
  ])('of %i slots use %i', async (queriesAtOnce, most) => {
    const { asSql, kinds, running } = setup({ queriesAtOnce })
    times(3, asSql)
    await settle()
    expect([kinds(), await running()]).toEqual([Array(most).fill('sql').join(' '), most])
  })

  test('leave the other slots to stored queries, also when many of them wait', async () => {
    const { asSql, stored, kinds, running, finish } = setup()
    times(4, asSql)
    await settle()
    times(2, stored)
    await settle()
    expect([kinds(), await running()]).toEqual(['sql sql stored stored', 4])
    await finish(2)
    expect([kinds(), await running()]).toEqual(['sql sql stored stored', 3])
    await finish(0)
    expect([kinds(), await running()]).toEqual(['sql sql stored stored sql', 3])
    for (const run of [1, 3, 4]) await finish(run)
    await finish(5)
    expect(await running()).toBe(0)
  })

  test('wait for a slot behind stored queries that came first', async () => {
    const { asSql, stored, kinds, finish } = setup()
    times(5, stored)
    await settle()
    asSql(1)
    await settle()
    await finish(0)
    expect(kinds()).toBe('stored stored stored stored stored')
    await finish(1)
    expect(kinds()).toBe('stored stored stored stored stored sql')
  })

  test('fill a queue of their own, and stored queries another', async () => {
    const { asSql, stored } = setup({ queriesAtOnce: 2 })
    const sql = times(4, asSql) as ReturnType<typeof asSql>[]
    await settle()
    expect(await sql[3]!.reply).toEqual(refused('Too many queries wait for their turn. Try again shortly.'))
    const others = times(5, stored) as ReturnType<typeof stored>[]
    await settle()
    expect((await others[4]!.reply).body).toContain('"error":"Too many queries wait')
  })

  test('are refused after they have waited', async () => {
    const { asSql, clock, engine } = setup()
    const sql = times(3, asSql) as ReturnType<typeof asSql>[]
    await settle()
    clock.advance(10_000)
    expect(await sql[2]!.reply).toEqual(refused('The query waited 10 s for its turn. Try again shortly.'))
    expect(engine.runs.length).toBe(2)
  })

  test('run as long as others, from the moment of their slot', async () => {
    const { asSql, stored, clock, engine, finish } = setup()
    times(4, stored)
    await settle()
    const { reply } = asSql(1)
    await settle()
    clock.advance(9_000)
    await finish(0)
    clock.advance(29_999)
    expect(engine.runs[4]!.signal.aborted).toBe(false)
    clock.advance(1)
    expect(await reply).toEqual(refused('The query ran longer than 30 s. Try again shortly.'))
  })

  test('free what they hold if the client leaves, wherever they wait', async () => {
    const { asSql, stored, kinds, finish, app, clock, engine } = setup({ queriesAtOnce: 2 })
    times(2, stored)
    await settle()
    const [first, second] = times(2, asSql) as ReturnType<typeof asSql>[]
    await settle()
    // The first query has the slot for SQL and waits for a common slot. The second query waits for the slot for SQL.
    first!.leave()
    await settle()
    asSql(3)
    await settle()
    second!.leave()
    await settle()
    await finish(0)
    expect([kinds(), (await first!.reply).status, (await second!.reply).status]).toEqual([
      'stored stored sql',
      499,
      499,
    ])
    engine.runs[2]!.finish()
    engine.runs[1]!.finish()
    await settle()
    app.close()
    expect(clock.timers).toBe(0)
  })

  test('do not slow a cached answer', async () => {
    const { asSql, get, finish } = setup({ queriesAtOnce: 2 })
    const path = `${STATS}?project=a`
    const first = get(path)
    await settle()
    await finish(0)
    await first
    times(3, asSql)
    await settle()
    expect((await get(path)).headers.get('cache-status')).toContain('hit')
  })
})
