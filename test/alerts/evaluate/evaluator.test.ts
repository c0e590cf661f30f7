import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startDelivery } from '../../../src/alerts/delivery/delivery.js'
import type { Receiver } from '../../../src/alerts/delivery/receivers.js'
import type { SendResult } from '../../../src/alerts/delivery/send.js'
import { startEvaluator } from '../../../src/alerts/evaluate/evaluator.js'
import { createHistory } from '../../../src/alerts/evaluate/history.js'
import { ruleOf } from '../../../src/alerts/rules/rule.js'
import type { EventRecord } from '../../../src/alerts/states/event-record.js'
import { type AlertStore, openAlertStore } from '../../../src/alerts/store/store.js'
import { MILLISECOND_US, SECOND_US } from '../../../src/base/units.js'
import type { Row } from '../../../src/plan/answer.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { createFakeClock, type FakeClock } from '../../support/clock.js'
import { createModelFiles, type ModelFiles } from '../../support/model-files.js'
import { below, mulberry32 } from '../../support/random.js'
import { costlyRuns } from '../../support/runs.js'
import { testSeed } from '../../support/seed.js'

const QUERY = 'select project, path, count(*) as n from edge_logs group by project, path'
const rule = (line: string, name = 'a') => ruleOf(`-- alert: ${line}\n${QUERY}`, name, readSql, 0)
const RECEIVER: Receiver = { name: 'ops', kind: 'webhook', url: 'http://127.0.0.1/', headers: {} }
const row = (path: string): Row => ({ project: 'a', path, n: 1 })

/** The world outside of a process: disk, clock, rows, receiver and history stay when the process dies. */
interface World {
  files: ModelFiles
  clock: FakeClock
  rowsAt(nowUs: number): Row[]
  send(key: string, body: string): SendResult
  history: Map<string, EventRecord>
  results: string[]
}

function createWorld(): World {
  const clock = createFakeClock()
  return {
    files: createModelFiles(),
    clock,
    rowsAt: () => [],
    send: () => ({ word: 'delivered', status: 200 }),
    history: new Map(),
    results: [],
  }
}

/** Starts a process in the world. */
async function start(world: World, rules = [rule('every 30s, notify ops')], receiver = RECEIVER) {
  const { clock, files, results } = world
  const store = await openAlertStore(files, () => {})
  const receivers = new Map([['ops', receiver]])
  const log = () => {}
  const sender = {
    send: async ({ headers, body }: { headers: Readonly<Record<string, string>>; body: string }) =>
      world.send(headers['idempotency-key']!, body),
    close: async () => {},
  }
  const alertsOf = (name: string) => evaluator.alertsOf(name)
  const count = () => {}
  const delivery = startDelivery({ receivers, store, clock, log, sender, random: () => 0.5, alertsOf, count })
  const append = async (records: readonly EventRecord[]) => {
    for (const record of records) world.history.set(record.id, record)
  }
  const history = createHistory(store, append, { clock, log })
  async function* rows() {
    yield* world.rowsAt(clock.nowUs())
  }
  const evaluator = startEvaluator({
    ...{ clock, log, store, receivers, delivery, history },
    ask: async () => rows(),
    onEvaluation: (name, result, times) => results.push(`${name} ${result} ${times}`),
  })
  await evaluator.setRules(rules)
  return { evaluator, delivery, store }
}

/** Lets time pass, second by second, and everything that is due then happen. */
async function pass(world: World, seconds: number, stepS = 1): Promise<void> {
  for (let s = 0; s < seconds; s += stepS) {
    world.clock.advance(stepS * 1000)
    for (let i = 0; i < 4; i++) await wait(0)
  }
}

const told = ({ history }: World) =>
  [...history.values()].map(({ timestamp, metadata }) => {
    const { path = 'broken' } = metadata.labels as { path?: string }
    return `${path} ${metadata.state} ${new Date(timestamp / MILLISECOND_US).toISOString().slice(14, 19)}`
  })

describe('the evaluator', () => {
  it('evaluates at multiples of every, records changes and notifies', async () => {
    const world = createWorld()
    world.clock.setNowUs(Date.UTC(2026, 10, 20, 10, 0, 7) * MILLISECOND_US)
    const bodies: string[] = []
    world.send = (_, body) => {
      bodies.push(
        JSON.parse(body)
          .alerts.map((alert: { status: string }) => alert.status)
          .join(),
      )
      return { word: 'delivered', status: 200 }
    }
    world.rowsAt = () => [row('/x')]
    const { evaluator } = await start(world)
    await pass(world, 22)
    expect(world.results).toEqual([])
    await pass(world, 2)
    expect(world.results).toEqual(['a ok 1'])
    expect(told(world)).toEqual(['/x firing 00:30'])
    expect(bodies).toEqual(['firing'])
    world.rowsAt = () => []
    // Nothing is resolved in the first five minutes.
    await pass(world, 600)
    expect(told(world)).toEqual(['/x firing 00:30', '/x resolved 05:30'])
    expect(bodies).toEqual(['firing', 'resolved'])
    expect(evaluator.views()[0]).toMatchObject({ rule: { name: 'a' }, state: { failures: 0 } })
    await evaluator.stop()
    const before = world.results.length
    await pass(world, 60)
    expect(world.results.length).toBe(before)
  })

  it('forgets a project on disk too, and tells nobody', async () => {
    const world = createWorld()
    const bodies: string[] = []
    world.send = (_, body) => {
      bodies.push(body)
      return { word: 'refused', status: undefined }
    }
    const rows = ['secret', 'other'].map((project) => ({ project, path: `/of/${project}`, n: 1 }))
    world.rowsAt = () => rows
    const { evaluator, store } = await start(world)
    await pass(world, 31)
    expect(bodies.join()).toContain('/of/secret')
    world.rowsAt = () => rows.slice(1)
    await evaluator.forgetProject('secret')
    const bytes = () => Buffer.concat(world.files.paths().map((path) => world.files.peek(path)!)).toString()
    expect([bytes().includes('secret'), bytes().includes('/of/other')]).toEqual([false, true])
    expect(store.notifications()).toHaveLength(1)
    bodies.length = 0
    await pass(world, 600)
    expect([bodies.length > 0, bodies.join().includes('secret'), bytes().includes('secret')]).toEqual([
      true,
      false,
      false,
    ])
    expect(told(world).filter((one) => one.includes('resolved'))).toEqual([])
    await evaluator.stop()
    const next = await start({ ...world, files: world.files.restart() })
    expect([...next.store.states().values()].map(({ alerts }) => alerts.size)).toEqual([1])
    await next.evaluator.stop()
  })

  it('counts missed instants and makes none up', async () => {
    const world = createWorld()
    const { evaluator } = await start(world, [rule('every 10s')])
    await pass(world, 1)
    await evaluator.stop()
    world.clock.advance(65_000)
    await start(world, [rule('every 10s')])
    await pass(world, 5)
    expect(world.results).toEqual(['a ok 1', 'a skipped 6', 'a ok 1'])
  })

  it('holds after a jump of the clock, and evaluates nothing after a clock was set back', async () => {
    const world = createWorld()
    world.rowsAt = () => [row('/x')]
    const { evaluator } = await start(world)
    await pass(world, 400)
    world.rowsAt = () => []
    world.clock.setNowUs(world.clock.nowUs() + 600 * SECOND_US)
    await pass(world, 290)
    expect(told(world)).toEqual(['/x firing 00:00'])
    await pass(world, 30)
    expect(told(world).length).toBe(2)
    const before = world.results.length
    world.clock.setNowUs(world.clock.nowUs() - 300 * SECOND_US)
    await pass(world, 270)
    expect(world.results.length).toBe(before)
    await pass(world, 70)
    expect(world.results.length).toBeGreaterThan(before)
    await evaluator.stop()
  })

  it('resolves nothing falsely while records are late after a restart', async () => {
    const world = createWorld()
    const rules = () => [rule('every 30s, notify ops')]
    world.rowsAt = () => [row('/x')]
    const { evaluator, delivery } = await start(world, rules())
    await pass(world, 61)
    await evaluator.stop()
    await delivery.stop()
    world.clock.advance(30 * 60_000)
    // The window has no rows until the shipper has caught up.
    const caughtUpUs = world.clock.nowUs() + 120 * SECOND_US
    world.rowsAt = (nowUs) => (nowUs < caughtUpUs ? [] : [row('/x')])
    const { evaluator: second } = await start(world, rules())
    await pass(world, 1200, 10)
    expect(told(world)).toEqual(['/x firing 00:00'])
    // The control: without a hold, an alert that is missing for so long is resolved.
    world.rowsAt = () => []
    await pass(world, 120)
    expect(told(world).map((one) => one.split(' ')[1])).toEqual(['firing', 'resolved'])
    await second.stop()
  })

  it('is broken after three failures, and well again', async () => {
    const world = createWorld()
    world.rowsAt = () => [row('/x'), row('/x')]
    const { evaluator } = await start(world)
    await pass(world, 61)
    expect(told(world)).toEqual(['broken firing 01:00'])
    expect(world.results).toEqual(['a failed 1', 'a failed 1', 'a failed 1'])
    world.rowsAt = () => []
    await pass(world, 30)
    expect(told(world)).toEqual(['broken firing 01:00', 'broken resolved 01:30'])
    await evaluator.stop()
  })

  it('resolves what fires when the rule is deleted, and keeps states when it is changed', async () => {
    const world = createWorld()
    const keys: string[] = []
    world.send = (_, body) => {
      keys.push(JSON.parse(body).status)
      return { word: 'delivered', status: 200 }
    }
    world.rowsAt = () => [row('/x')]
    const { evaluator, store } = await start(world)
    await pass(world, 31)
    await evaluator.setRules([rule('every 60s, notify ops')])
    await pass(world, 60)
    expect(told(world)).toEqual(['/x firing 00:00'])
    await evaluator.setRules([])
    await pass(world, 1)
    expect(told(world)).toEqual(['/x firing 00:00', '/x resolved 01:31'])
    expect(keys).toEqual(['firing', 'resolved'])
    expect(store.states().size).toBe(0)
    await evaluator.stop()
  })

  it('sends nothing that could not be written', async () => {
    const world = createWorld()
    let sent = 0
    world.send = () => ({ word: 'delivered', status: 200, ...(sent++ < 0 && {}) })
    world.rowsAt = () => [row('/x')]
    const { evaluator } = await start(world)
    world.files.fail({ code: 'ENOSPC', after: 0, forGood: true })
    await pass(world, 61)
    expect([sent, told(world)]).toEqual([0, []])
    expect(world.results).toEqual(['a failed 1', 'a failed 1', 'a failed 1'])
    world.files.heal()
    await pass(world, 30)
    expect([sent, told(world)]).toEqual([1, ['/x firing 01:30']])
    await evaluator.stop()
  })

  it('tells an Alertmanager the state, each minute', async () => {
    const world = createWorld()
    const posts: string[] = []
    world.send = (_, body) => {
      posts.push(
        JSON.parse(body)
          .map((alert: { labels: { path: string } }) => alert.labels.path)
          .join(),
      )
      return { word: 'delivered', status: 200 }
    }
    world.rowsAt = () => [row('/x')]
    const { evaluator } = await start(world, undefined, { ...RECEIVER, kind: 'alertmanager' })
    await pass(world, 200)
    expect(posts).toEqual(['/x', '/x', '/x', '/x'])
    await evaluator.stop()
  })
})

/** Lets time pass without further changes until nothing waits for a receiver: tries may fail many times in a row. */
async function passUntilDelivered(world: World, store: AlertStore): Promise<void> {
  const rows = world.rowsAt(world.clock.nowUs())
  world.rowsAt = () => rows
  for (let i = 0; i < 100 && store.notifications().length > 0; i++) await pass(world, 100, 10)
}

it('notifies and records every change exactly once, in order, however often the process dies', async () => {
  const seed = testSeed()
  const random = mulberry32(seed)
  for (let run = 0; run < costlyRuns(60); run++) {
    const world = createWorld()
    const got: { key: string; alert: string; us: number }[] = []
    world.send = (key, body) => {
      if (random() < 0.33) return { word: 'status', status: 500 }
      for (const { labels, status, startsAt, endsAt } of JSON.parse(body).alerts) {
        const us = Date.parse(status === 'firing' ? startsAt : endsAt) * MILLISECOND_US
        got.push({ key, alert: `${labels.path} ${status}`, us })
      }
      return random() < 0.33 ? { word: 'timeout' } : { word: 'delivered', status: 200 }
    }
    world.rowsAt = (nowUs) =>
      ['/x', '/y'].filter((_, i) => Math.floor(nowUs / SECOND_US / 700 + i / 2) % 2 === 0).map(row)
    for (let life = 0; life < 4; life++) {
      const { store } = await start(world)
      if (life < 3) world.files.fail({ code: 'DIED', after: below(random, 120) })
      await pass(world, 1200, 10)
      if (life === 3) await passUntilDelivered(world, store)
      if (life < 3) world.files = world.files.restart()
      // The timers of a dead process stop.
      const clock = createFakeClock(world.clock.nowUs())
      if (life < 3) world.clock = clock
    }
    const once = got.filter(({ key, alert }, i) => got.findIndex((one) => one.key === key && one.alert === alert) === i)
    const delivered = once.map(({ alert, us }) => `${alert} ${us}`)
    const recorded = [...world.history.values()].map(({ timestamp, metadata }) => {
      return `${(metadata.labels as { path: string }).path} ${metadata.state} ${timestamp}`
    })
    expect([seed, run, delivered.toSorted()]).toEqual([seed, run, recorded.toSorted()])
    for (const path of ['/x', '/y']) {
      const states = once.filter(({ alert }) => alert.startsWith(path)).map(({ alert }) => alert.slice(3))
      expect([seed, run, states]).toEqual([seed, run, states.map((_, i) => (i % 2 === 0 ? 'firing' : 'resolved'))])
    }
  }
})
