import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../../../src/endpoints/index.js'
import { CLOCK_JUMPS_US } from '../../support/clock.js'
import { API_COUNTS, createTestApp, LOGS_ALL, pass, projectOf, readReply, STATS, settle } from '../support.js'

const PATH = `${STATS}?project=a`

/** An app with an engine that returns the number of runs. */
function countingApp() {
  let n = 0
  return createTestApp({ rows: () => [{ n: ++n }] })
}

describe('an entry in use', () => {
  test('is computed anew every 300 s and served at once', async () => {
    const { get, engine, clock } = countingApp()
    await get(PATH)
    await pass(clock, 299)
    expect(engine.runs.length).toBe(1)
    await pass(clock, 1)
    expect(engine.runs.length).toBe(2)
    expect(await readReply(get(PATH), 'cache-status', 'age')).toEqual({
      status: 200,
      'cache-status': 'logweir; hit; ttl=900',
      age: '0',
      body: '{"result":[{"n":2}]}',
    })
    await pass(clock, 300)
    expect(engine.runs.length).toBe(3)
  })

  test('is dropped when nobody has asked for 900 s', async () => {
    const { get, engine, clock, metrics } = countingApp()
    await get(PATH)
    await pass(clock, 1_800)
    expect(engine.runs.length).toBe(3)
    expect((await metrics.cacheEntries.get()).values[0]!.value).toBe(0)
    expect(await readReply(get(PATH), 'cache-status')).toEqual({
      status: 200,
      'cache-status': 'logweir; fwd=miss; stored',
      body: '{"result":[{"n":4}]}',
    })
  })

  test('is kept while somebody asks every now and then, and never older than 300 s', async () => {
    const { get, engine, clock } = countingApp()
    for (let i = 0; i < 5; i++) {
      const response = await get(PATH)
      expect(Number(response.headers.get('age') ?? 0)).toBeLessThanOrEqual(300)
      await pass(clock, 800)
    }
    expect(engine.runs.length).toBe(1 + Math.floor((5 * 800) / 300))
  })

  test('is run with the time of the refresh', async () => {
    const { get, engine, clock } = countingApp()
    const query = 'project=a&interval=5min'
    await get(`${STATS}?${query}`)
    await pass(clock, 300)
    expect(engine.runs[1]!.plan).toEqual(ENDPOINTS[1]!.call(new URLSearchParams(query)).plan(clock.nowUs()))
    expect(engine.runs[1]!.plan).not.toEqual(engine.runs[0]!.plan)
  })
})

test('logs.all is not warmed', async () => {
  const { get, engine, clock } = countingApp()
  await get(`${LOGS_ALL}?project=a`)
  await pass(clock, 700)
  expect(engine.runs.length).toBe(1)
})

test('refreshes run one at a time, the oldest entry first', async () => {
  const { get, engine, clock } = createTestApp()
  for (const project of ['a', 'b', 'c']) {
    const reply = get(`${STATS}?project=${project}`)
    await settle()
    engine.runs.at(-1)!.finish()
    await reply
    clock.advance(1)
  }
  await pass(clock, 310)
  const projects = () => engine.runs.slice(3).map(projectOf)
  expect(projects()).toEqual(['a'])
  for (const seen of [
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]) {
    engine.runs.at(-1)!.finish()
    await pass(clock, 2)
    expect(projects()).toEqual(seen)
  }
})

test('other work gets its turn between two refreshes, however fast these are', async () => {
  const { get, engine, clock } = countingApp()
  for (let i = 0; i < 20; i++) await get(`${STATS}?project=p${i}`)
  clock.advance(300_000)
  const seen = [engine.runs.length]
  while (engine.runs.length < 40 && seen.length < 100) {
    await new Promise((resolve) => setImmediate(resolve))
    seen.push(engine.runs.length)
  }
  expect(engine.runs.length).toBe(40)
  const atOnce = seen.slice(1).map((runs, turn) => runs - seen[turn]!)
  expect(Math.max(...atOnce)).toBe(1)
})

describe('a refresh that fails', () => {
  test('leaves the last good answer up to its 900 s', async () => {
    const { get, engine, clock, metrics, logged } = createTestApp()
    const first = get(PATH)
    await settle()
    engine.runs[0]!.finish([{ n: 1 }])
    await first
    for (const second of [300, 600, 899]) {
      await pass(clock, second === 899 ? 299 : 300)
      if (second !== 899) engine.runs.at(-1)!.fail(new Error('disk'))
      await settle()
      expect(await readReply(get(PATH), 'age')).toEqual({
        status: 200,
        age: String(second),
        body: '{"result":[{"n":1}]}',
      })
    }
    await pass(clock, 1)
    expect(engine.runs.length).toBe(4)
    engine.runs[3]!.fail(new Error('disk'))
    await settle()
    const after = get(PATH)
    await settle()
    engine.runs[4]!.finish([{ n: 2 }])
    expect(await readReply(after, 'cache-status')).toEqual({
      status: 200,
      'cache-status': 'logweir; fwd=miss; stored',
      body: '{"result":[{"n":2}]}',
    })
    expect(logged).toEqual(Array(3).fill('internal error: Error: disk'))
    expect((await metrics.cacheRefreshes.get()).values).toEqual([
      { value: 3, labels: { endpoint: 'functions.invocation-stats', outcome: 'internal' } },
    ])
  })

  test('does not hold up the others', async () => {
    const { get, engine, clock } = createTestApp()
    for (const path of [PATH, `${API_COUNTS}?project=a`]) {
      const reply = get(path)
      await settle()
      engine.runs.at(-1)!.finish()
      await reply
    }
    await pass(clock, 300)
    engine.runs[2]!.fail(new Error('disk'))
    await settle()
    expect(engine.runs.length).toBe(4)
  })
})

test('a caller who joins a refresh and leaves does not stop it', async () => {
  const { get, engine, clock } = createTestApp({ limits: { queriesAtOnce: 1 } })
  const first = get(PATH)
  await settle()
  engine.runs[0]!.finish()
  await first
  await pass(clock, 299)
  const busy = get(`${LOGS_ALL}?project=a`)
  await pass(clock, 1)
  const leaves = new AbortController()
  const joined = get(PATH, { headers: { 'Cache-Control': 'no-cache' }, signal: leaves.signal })
  await settle()
  leaves.abort()
  expect((await joined).status).toBe(499)
  engine.runs[1]!.finish()
  await busy
  await settle()
  expect(engine.runs.length).toBe(3)
  expect(engine.runs[2]!.signal.aborted).toBe(false)
  engine.runs[2]!.finish([{ n: 2 }])
  await settle()
  expect(await readReply(get(PATH), 'age')).toEqual({ status: 200, age: '0', body: '{"result":[{"n":2}]}' })
})

describe('K1: clock jumps', () => {
  test.each(CLOCK_JUMPS_US)('of %i µs start no run, and leave the age of an answer alone', async (jumpUs) => {
    const { get, engine, clock } = countingApp()
    await get(PATH)
    await pass(clock, 100)
    clock.setNowUs(clock.nowUs() + jumpUs)
    await pass(clock, 199)
    expect(engine.runs.length).toBe(1)
    expect(await readReply(get(PATH), 'cache-status', 'age')).toEqual({
      status: 200,
      'cache-status': 'logweir; hit; ttl=601',
      age: '299',
      body: '{"result":[{"n":1}]}',
    })
    await pass(clock, 1)
    expect(engine.runs.length).toBe(2)
  })

  test.each([3_600, 86_400])('%i s in which the process stood still start at most two runs', async (seconds) => {
    const { get, engine, clock } = countingApp()
    await get(PATH)
    clock.advance(seconds * 1000)
    await settle()
    expect(engine.runs.length).toBeLessThanOrEqual(1 + 2)
    await pass(clock, 2)
    expect(engine.runs.length).toBeLessThanOrEqual(1 + 2)
  })

  test('a clock that stands still starts none', async () => {
    const { get, engine } = countingApp()
    await get(PATH)
    for (let i = 0; i < 100; i++) await settle()
    expect(engine.runs.length).toBe(1)
  })
})

test('close stops warming, the refresh under way, and every timer', async () => {
  const { app, get, engine, clock, logged, metrics } = createTestApp()
  for (const project of ['a', 'b']) {
    const reply = get(`${STATS}?project=${project}`)
    await settle()
    engine.runs.at(-1)!.finish()
    await reply
  }
  await pass(clock, 300)
  expect(engine.runs[2]!.signal.aborted).toBe(false)
  app.close()
  await settle()
  expect(engine.runs[2]!.signal.aborted).toBe(true)
  expect(clock.timers).toBe(0)
  await pass(clock, 600)
  expect(engine.runs.length).toBe(3)
  expect(logged).toEqual([])
  expect((await metrics.cacheRefreshes.get()).values).toEqual([])
})
