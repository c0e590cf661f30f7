import { describe, expect, test } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { API_COUNTS, createTestApp, PREFIX, readReply, refusal, STATS, settle, TOKEN } from './support.js'

const PATH = `${API_COUNTS}?project=a&interval=daily`
const CALLERS = 400
const statuses = (replies: Response[]) => replies.map((reply) => reply.headers.get('cache-status'))

/** Sends a request. `leave` aborts the request. */
function client(app: ReturnType<typeof createTestApp>['app'], path = PATH, headers = {}) {
  const leaves = new AbortController()
  const request = new Request(PREFIX + path, { signal: leaves.signal, headers: { 'X-API-KEY': TOKEN, ...headers } })
  return { reply: Promise.resolve(app.fetch(request)), leave: () => leaves.abort() }
}

describe('C1: 400 callers at once', () => {
  test('on one cold key: one run, one answer', async () => {
    const { get, engine } = createTestApp()
    const replies = Promise.all(Array.from({ length: CALLERS }, () => get(PATH)))
    await settle()
    expect(engine.runs.length).toBe(1)
    engine.runs[0]!.finish([{ n: 1 }])
    const bodies = await Promise.all((await replies).map((reply) => reply.text()))
    expect(new Set(bodies)).toEqual(new Set(['{"result":[{"n":1}]}']))
    expect(statuses(await replies)).toEqual([
      'logweir; fwd=miss; stored',
      ...Array(CALLERS - 1).fill('logweir; fwd=miss; collapsed'),
    ])
    await get(PATH)
    expect(engine.runs.length).toBe(1)
  })

  test('who joins a run late is told how old its answer is, who started it is not', async () => {
    const { get, engine, clock } = createTestApp()
    const first = readReply(get(PATH), 'age')
    await settle()
    clock.advance(20_999)
    const second = readReply(get(PATH), 'age', 'cache-status')
    await settle()
    engine.runs[0]!.finish()
    expect(await first).toMatchObject({ status: 200, age: null })
    expect(await second).toMatchObject({ status: 200, age: '20', 'cache-status': 'logweir; fwd=miss; collapsed' })
  })

  test('on one expired key: one run', async () => {
    const { app, get, engine, clock } = createTestApp({ rows: () => [] })
    await get(PATH)
    app.close()
    clock.advance(900_000)
    const replies = await Promise.all(Array.from({ length: CALLERS }, () => get(PATH)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect(engine.runs.length).toBe(2)
  })

  test('on one failing key: one run, one failure for all, and nothing is kept', async () => {
    const { get, engine } = createTestApp()
    const replies = Promise.all(Array.from({ length: CALLERS }, () => readReply(get(PATH))))
    await settle()
    expect(engine.runs.length).toBe(1)
    engine.runs[0]!.fail(new LogweirError('overloaded', 'Full.'))
    const refused = { status: 503, body: refusal('Full.', 'overloaded') }
    expect(await replies).toEqual(Array(CALLERS).fill(refused))
    const next = readReply(get(PATH))
    await settle()
    expect(engine.runs.length).toBe(2)
    engine.runs[1]!.finish()
    expect(await next).toEqual({ status: 200, body: '{"result":[]}' })
  })

  test('on keys that differ: a run each', async () => {
    const { get, engine } = createTestApp({ rows: () => [] })
    await Promise.all(Array.from({ length: 100 }, (_, i) => get(`${PATH}&x=${i}`)))
    expect(engine.runs.length).toBe(1)
    await Promise.all(Array.from({ length: 100 }, (_, i) => get(`${STATS}?project=${i}`)))
    expect(engine.runs.length).toBe(101)
  })
})

describe('a run that callers share', () => {
  test('goes on while one of them waits', async () => {
    const { app, engine } = createTestApp()
    const clients = [client(app), client(app), client(app)]
    await settle()
    clients[0]!.leave()
    clients[1]!.leave()
    await settle()
    expect(engine.runs[0]!.signal.aborted).toBe(false)
    engine.runs[0]!.finish()
    expect(await readReply(clients[2]!.reply)).toEqual({ status: 200, body: '{"result":[]}' })
    expect((await clients[0]!.reply).status).toBe(499)
  })

  test('stops when the last has left, and the next caller starts a new one', async () => {
    const { app, engine, get, logged } = createTestApp()
    const clients = [client(app), client(app)]
    await settle()
    for (const { leave } of clients) leave()
    expect(engine.runs[0]!.signal.aborted).toBe(true)
    const next = readReply(get(PATH), 'cache-status')
    await settle()
    expect(engine.runs.length).toBe(2)
    engine.runs[1]!.finish()
    expect(await next).toEqual({ status: 200, 'cache-status': 'logweir; fwd=miss; stored', body: '{"result":[]}' })
    expect(logged).toEqual([])
  })

  test('a caller who has left already starts none', async () => {
    const { app, engine } = createTestApp()
    const gone = AbortSignal.abort()
    const reply = app.fetch(new Request(PREFIX + PATH, { signal: gone, headers: { 'X-API-KEY': TOKEN } }))
    expect((await reply).status).toBe(499)
    await settle()
    expect(engine.runs).toEqual([])
  })
})

describe('no-cache', () => {
  const headers = { 'Cache-Control': 'no-cache' }

  test('does not join a run that has read its time', async () => {
    const { app, engine, get, clock } = createTestApp()
    const first = client(app)
    await settle()
    clock.advance(5_000)
    const second = get(PATH, { headers })
    await settle()
    expect(engine.runs.length).toBe(2)
    engine.runs[1]!.finish([{ n: 2 }])
    expect(await readReply(second, 'cache-status')).toEqual({
      status: 200,
      'cache-status': 'logweir; fwd=request; stored',
      body: '{"result":[{"n":2}]}',
    })
    engine.runs[0]!.finish([{ n: 1 }])
    expect(await readReply(first.reply)).toEqual({ status: 200, body: '{"result":[{"n":1}]}' })
    expect(await readReply(get(PATH), 'age')).toEqual({ status: 200, age: '0', body: '{"result":[{"n":2}]}' })
  })

  test('is joined by the next, also when the run before it has ended', async () => {
    const { app, engine, get } = createTestApp()
    const first = client(app)
    await settle()
    const second = get(PATH, { headers })
    await settle()
    engine.runs[0]!.fail(new LogweirError('overloaded', 'Full.'))
    expect((await first.reply).status).toBe(503)
    const third = readReply(get(PATH), 'cache-status')
    await settle()
    expect(engine.runs.length).toBe(2)
    engine.runs[1]!.finish()
    await second
    expect(await third).toEqual({
      status: 200,
      'cache-status': 'logweir; fwd=miss; collapsed',
      body: '{"result":[]}',
    })
  })

  test('joins one that still waits for its turn', async () => {
    const { engine, get } = createTestApp({ limits: { queriesAtOnce: 1 } })
    const busy = get(`${API_COUNTS}?project=b`)
    await settle()
    const waiting = [get(PATH, { headers }), get(PATH, { headers })]
    await settle()
    engine.runs[0]!.finish()
    await busy
    await settle()
    expect(engine.runs.length).toBe(2)
    engine.runs[1]!.finish()
    expect(statuses(await Promise.all(waiting))).toEqual([
      'logweir; fwd=request; stored',
      'logweir; fwd=request; collapsed',
    ])
  })

  test('is answered with its failure, and the kept answer stays', async () => {
    const { engine, get } = createTestApp()
    const first = get(PATH)
    await settle()
    engine.runs[0]!.finish([{ n: 1 }])
    await first
    const again = readReply(get(PATH, { headers }))
    await settle()
    engine.runs[1]!.fail(new LogweirError('overloaded', 'Full.'))
    expect(await again).toEqual({ status: 503, body: refusal('Full.', 'overloaded') })
    expect(await readReply(get(PATH))).toEqual({ status: 200, body: '{"result":[{"n":1}]}' })
  })
})
