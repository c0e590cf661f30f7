import { describe, expect, test } from 'vitest'
import { createMetrics } from '../../../src/base/metrics.js'
import { createConcurrencyLimit } from '../../../src/http/query/concurrency.js'
import { createFakeClock } from '../../support/clock.js'
import { createTestApp, LOGS_ALL, PREFIX, projectOf, readReply, refusal, settle, TOKEN } from '../support.js'

const limits = { queriesAtOnce: 2, queriesWaiting: 3, waitMs: 10_000, queryMs: 30_000 }
const WAITED = refusal('The query waited 10 s for its turn. Try again shortly.', 'overloaded')
const TOO_MANY = refusal('Too many queries wait for their turn. Try again shortly.', 'overloaded')
const TOO_LONG = refusal('The query ran longer than 30 s. Try again shortly.', 'overloaded')
const refused = (body: string) => ({ status: 503, 'retry-after': '2', body })

function setup() {
  const parts = createTestApp({ limits })
  const ask = (project: number) => {
    const leaves = new AbortController()
    const reply = readReply(parts.get(`${LOGS_ALL}?project=${project}`, { signal: leaves.signal }), 'retry-after')
    return { reply, leave: () => leaves.abort() }
  }
  const projects = () => parts.engine.runs.map((run) => Number(projectOf(run)))
  return { ...parts, ask, projects }
}

describe('O2: queries at once', () => {
  test('are two; the others wait in the order in which they came', async () => {
    const { ask, engine, projects } = setup()
    const asked = [1, 2, 3, 4].map(ask)
    await settle()
    expect(projects()).toEqual([1, 2])
    engine.runs[1]!.finish()
    await settle()
    expect(projects()).toEqual([1, 2, 3])
    engine.runs[0]!.fail(new Error('disk'))
    await settle()
    expect(projects()).toEqual([1, 2, 3, 4])
    for (const run of engine.runs) run.finish()
    expect(await Promise.all(asked.slice(1).map(({ reply }) => reply))).toEqual(
      Array(3).fill({ status: 200, 'retry-after': null, body: '{"result":[]}' }),
    )
  })

  test('more than may wait are refused at once', async () => {
    const { ask, projects } = setup()
    const asked = [1, 2, 3, 4, 5, 6, 7].map(ask)
    expect(await Promise.all(asked.slice(5).map(({ reply }) => reply))).toEqual([refused(TOO_MANY), refused(TOO_MANY)])
    expect(projects()).toEqual([1, 2])
  })

  test('one that waits 10 s is refused and leaves the queue', async () => {
    const { ask, clock, engine, projects } = setup()
    const [, , third] = [1, 2, 3].map(ask)
    await settle()
    clock.advance(9_999)
    const fourth = ask(4)
    await settle()
    clock.advance(1)
    expect(await third!.reply).toEqual(refused(WAITED))
    engine.runs[0]!.finish()
    await settle()
    expect(projects()).toEqual([1, 2, 4])
    engine.runs[2]!.finish()
    expect((await fourth.reply).status).toBe(200)
  })

  test('one whose client leaves while it waits never runs, and makes room', async () => {
    const { ask, engine, projects } = setup()
    const asked = [1, 2, 3, 4, 5].map(ask)
    await settle()
    asked[2]!.leave()
    expect((await asked[2]!.reply).status).toBe(499)
    ask(6)
    await settle()
    engine.runs[0]!.finish()
    engine.runs[1]!.finish()
    await settle()
    expect(projects()).toEqual([1, 2, 4, 5])
  })

  test('are counted', async () => {
    const { ask, engine, metrics } = setup()
    const running = async () => (await metrics.queriesRunning.get()).values[0]!.value
    ask(1)
    ask(2)
    ask(3)
    await settle()
    expect(await running()).toBe(2)
    for (let i = 0; i < 3; i++) {
      engine.runs[i]!.finish()
      await settle()
    }
    expect(await running()).toBe(0)
  })
})

describe('O2: a query over its time limit', () => {
  test('is aborted and answered with 503', async () => {
    const { ask, clock, engine } = setup()
    const { reply } = ask(1)
    await settle()
    clock.advance(29_999)
    expect(engine.runs[0]!.signal.aborted).toBe(false)
    clock.advance(1)
    expect(engine.runs[0]!.signal.aborted).toBe(true)
    expect(await reply).toEqual(refused(TOO_LONG))
  })

  test('is answered in time even where the engine does not heed, and holds its place until it does', async () => {
    const clock = createFakeClock()
    const concurrency = createConcurrencyLimit({ ...limits, queriesAtOnce: 1 }, clock, createMetrics().queriesRunning)
    const { signal } = new AbortController()
    let finish = (_: string) => {}
    const deaf = concurrency.run(() => new Promise<string>((resolve) => (finish = resolve)), signal)
    await settle()
    clock.advance(30_000)
    await expect(deaf).rejects.toThrow('The query ran longer than 30 s. Try again shortly.')
    const next = concurrency.run(async () => 'next', signal)
    await settle()
    finish('late')
    expect(await next).toBe('next')
  })

  test('counts from its turn, not from its arrival', async () => {
    const { ask, clock, engine } = setup()
    for (const project of [1, 2, 3]) ask(project)
    await settle()
    clock.advance(9_000)
    engine.runs[0]!.finish()
    await settle()
    clock.advance(29_999)
    expect(engine.runs[2]!.signal.aborted).toBe(false)
    clock.advance(1)
    expect(engine.runs[2]!.signal.aborted).toBe(true)
  })

  test('reads the time at its turn', async () => {
    const { ask, clock, engine } = setup()
    for (const project of [1, 2, 3]) ask(project)
    await settle()
    const from = (i: number) => (engine.runs[i]!.plan[0] as { fromUs: number }).fromUs
    clock.advance(9_000)
    engine.runs[0]!.finish()
    await settle()
    expect(from(2) - from(1)).toBe(9_000_000)
  })
})

test('O4: a client that leaves aborts its query, and its place is free', async () => {
  const { app, engine, ask, projects, logged } = setup()
  const leaves = new AbortController()
  const request = new Request(`${PREFIX}${LOGS_ALL}?project=1`, {
    signal: leaves.signal,
    headers: { 'X-API-KEY': TOKEN },
  })
  const reply = app.fetch(request)
  await settle()
  leaves.abort()
  expect(engine.runs[0]!.signal.aborted).toBe(true)
  expect((await reply).status).toBe(499)
  for (const project of [2, 3]) ask(project)
  await settle()
  expect(projects()).toEqual([1, 2, 3])
  expect(logged).toEqual([])
})

test('a caller who leaves at the moment of its turn starts nothing', async () => {
  const caller = new AbortController()
  const gauge = { inc: () => caller.abort(), dec: () => {} }
  const concurrency = createConcurrencyLimit(limits, createFakeClock(), gauge)
  let started = false
  const work = async () => {
    started = true
  }
  await expect(concurrency.run(work, caller.signal)).rejects.toThrow('The client left before its answer.')
  await settle()
  expect(started).toBe(false)
})

test('no timer is left when all is answered', async () => {
  const { ask, app, clock, engine } = setup()
  const asked = [1, 2, 3].map(ask)
  await settle()
  engine.runs[0]!.finish()
  await settle()
  for (const run of engine.runs) run.finish()
  await Promise.all(asked.map(({ reply }) => reply))
  app.close()
  expect(clock.timers).toBe(0)
})
