import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createDeliveryQueue, type DeliveryResult, QUEUE_LIMITS } from '../../../src/alerts/delivery/queue.js'
import type { Receiver } from '../../../src/alerts/delivery/receivers.js'
import { isTemporary, waitMs } from '../../../src/alerts/delivery/retry.js'
import { createSender, type SendResult } from '../../../src/alerts/delivery/send.js'
import { createStatePoster } from '../../../src/alerts/delivery/state-poster.js'
import type { Notification } from '../../../src/alerts/store/notification.js'
import { createFakeClock } from '../../support/clock.js'
import { below, mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'

const RECEIVER: Receiver = { name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:1/', headers: {} }

/** A queue with a sender that answers the result of a function, and a clock that stands still. */
function queueWith(answer: (key: string) => SendResult | Promise<SendResult>, limits = QUEUE_LIMITS) {
  const clock = createFakeClock()
  const sent: string[] = []
  const settled: number[] = []
  const results: DeliveryResult[] = []
  const queue = createDeliveryQueue(RECEIVER, {
    clock,
    limits,
    random: () => 0.5,
    sender: {
      async send({ headers }) {
        sent.push(headers['idempotency-key']!)
        return answer(headers['idempotency-key']!)
      },
    },
    settle: async (ids) => void settled.push(...ids),
    onResult: (_, result) => results.push(result),
  })
  /** Lets time pass, and everything that is due then happen. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms)
    queue.pump()
    await wait(0)
    await wait(0)
  }
  const note = (id: number, ...identities: string[]): Notification => {
    return { id, receiver: 'ops', key: `k${id}`, body: 'x'.repeat(10), identities, createdUs: clock.nowUs() }
  }
  return { queue, clock, sent, settled, results, pass, note }
}

describe('the queue of a receiver', () => {
  it('sends requests with an alert in common in order, and others at once', async () => {
    const { queue, sent, settled, pass, note } = queueWith((key) =>
      key === 'k1' && sent.filter((one) => one === 'k1').length < 2
        ? { word: 'status', status: 500 }
        : { word: 'delivered', status: 200 },
    )
    queue.add([note(1, 'a', 'b'), note(2, 'b', 'c'), note(3, 'c'), note(4, 'd')])
    await pass(0)
    expect(sent).toEqual(['k1', 'k4'])
    await pass(999)
    expect(sent).toEqual(['k1', 'k4'])
    await pass(1)
    await pass(0)
    expect(sent).toEqual(['k1', 'k4', 'k1', 'k2', 'k3'])
    expect(settled).toEqual([4, 1, 2, 3])
  })

  it('waits 1 s, doubled up to 5 minutes, and gives up after 24 h', async () => {
    const { queue, clock, sent, settled, results, pass, note } = queueWith(() => ({ word: 'timeout' }))
    queue.add([note(1, 'a')])
    await pass(0)
    const startMs = clock.monotonicMs()
    const times: number[] = []
    for (let i = 0; i < 24 * 3600 + 10; i++) {
      const before = sent.length
      clock.advance(1000)
      queue.pump()
      if (sent.length === before) continue
      times.push((clock.monotonicMs() - startMs) / 1000)
      await wait(0)
    }
    await pass(0)
    expect(times.slice(0, 10)).toEqual([1, 3, 7, 15, 31, 63, 127, 255, 511, 811])
    expect(sent.length).toBeGreaterThan(290)
    expect([settled, results.at(-1)]).toEqual([[1], 'expired'])
  })

  it('gives up at once if the answer is final', async () => {
    const { queue, sent, settled, pass, note } = queueWith(() => ({ word: 'status', status: 404 }))
    queue.add([note(1, 'a'), note(2, 'a')])
    await pass(0)
    await pass(0)
    expect([sent, settled]).toEqual([
      ['k1', 'k2'],
      [1, 2],
    ])
  })

  it('drops the oldest beyond its limits, and counts them', async () => {
    const never = new Promise<SendResult>(() => {})
    for (const limits of [
      { notifications: 3, bytes: 1000 },
      { notifications: 100, bytes: 39 },
    ]) {
      const { queue, settled, results, note, clock } = queueWith(() => never, { ...limits, parallel: 1 })
      queue.add([1, 2, 3, 4, 5].map((id) => note(id, 'a')))
      expect(settled).toEqual([1, 2])
      expect(results).toEqual(['dropped', 'dropped'])
      expect(queue.oldestUs()).toBe(clock.nowUs())
      // The oldest is being sent now.
      queue.add([note(6, 'a')])
      expect(settled).toEqual([1, 2, 4])
    }
  })

  it('has no more than four requests at once', async () => {
    const { queue, sent, pass, note } = queueWith(() => new Promise<SendResult>(() => {}))
    queue.add([1, 2, 3, 4, 5, 6].map((id) => note(id, `${id}`)))
    await pass(0)
    expect(sent.length).toBe(4)
  })
})

describe('a retry', () => {
  it('follows no answer, 408, 429 and 5xx', () => {
    const statuses = [200, 204, 301, 400, 404, 408, 410, 429, 499, 500, 503, 599]
    const isRetried = (status: number) => isTemporary({ word: status < 300 ? 'delivered' : 'status', status })
    expect(statuses.filter(isRetried)).toEqual([408, 429, 500, 503, 599])
    for (const word of ['refused', 'timeout', 'tls', 'unreachable'] as const) expect(isTemporary({ word })).toBe(true)
  })

  it('waits as long as the receiver asks, up to an hour', () => {
    const nowMs = Date.UTC(2026, 10, 29)
    const waitFor = (retryAfter?: string) =>
      waitMs(1, { word: 'status', ...(retryAfter && { retryAfter }) }, 0.5, nowMs)
    expect(waitFor()).toBe(1000)
    expect(waitFor('7')).toBe(7000)
    expect(waitFor('0')).toBe(1000)
    expect(waitFor('Sun, 29 Nov 2026 00:01:00 GMT')).toBe(60_000)
    expect(waitFor('soon')).toBe(1000)
    expect(waitFor('99999')).toBe(3_600_000)
  })
})

describe('the poster for an Alertmanager', () => {
  it('posts each minute, at each change, and sooner after a failure', async () => {
    const clock = createFakeClock()
    let posts = 0
    let word: SendResult['word'] = 'delivered'
    const alert = {
      identity: 'i',
      labels: [],
      text: '',
      values: [],
      state: 'firing',
      startsUs: 0,
      endsUs: undefined,
    } as const
    const poster = createStatePoster(RECEIVER, {
      clock,
      random: () => 0.5,
      alerts: () => [alert],
      sender: {
        async send() {
          posts += 1
          return { word }
        },
      },
      onResult: () => {},
    })
    async function pass(ms: number): Promise<number> {
      clock.advance(ms)
      poster.pump()
      await wait(0)
      return posts
    }
    expect(await pass(0)).toBe(1)
    expect(await pass(59_999)).toBe(1)
    expect(await pass(1)).toBe(2)
    poster.changed()
    expect(await pass(0)).toBe(3)
    word = 'refused'
    expect(await pass(60_000)).toBe(4)
    poster.changed()
    expect(await pass(999)).toBe(4)
    expect(await pass(1)).toBe(5)
    expect(await pass(2_000)).toBe(6)
  })
})

it('delivers everything once and in order to a receiver that refuses, delays, fails and closes', async () => {
  const seed = testSeed()
  const random = mulberry32(seed)
  const got: { key: string; body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const chance = random()
    if (chance < 0.3) return void response.writeHead(503).end()
    if (chance < 0.4) return void request.socket.destroy()
    got.push({ key: request.headers['idempotency-key'] as string, body })
    if (chance < 0.5) return void request.socket.destroy()
    if (chance < 0.6) return void response.writeHead(500).end()
    if (chance < 0.7) await wait(below(random, 30))
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const clock = createFakeClock()
  const sender = createSender()
  onTestFinished(() => sender.close())
  const waiting = new Set<number>()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const queue = createDeliveryQueue(
    { ...RECEIVER, url },
    {
      clock,
      sender,
      random,
      settle: async (ids) => {
        for (const id of ids) waiting.delete(id)
      },
      onResult: () => {},
    },
  )
  for (let id = 1; id <= 60; id++) {
    const identity = `alert ${below(random, 5)}`
    waiting.add(id)
    queue.add([
      { id, receiver: 'ops', key: `k${id}`, body: identity, identities: [identity], createdUs: clock.nowUs() },
    ])
  }
  for (let i = 0; i < 5_000 && waiting.size > 0; i++) {
    // A notification that fails nine times in a row waits for eight minutes, and others behind it wait too.
    clock.advance(2_000)
    queue.pump()
    await wait(2)
  }
  expect([seed, waiting.size]).toEqual([seed, 0])
  const once = got.filter(({ key }, i) => got.findIndex((one) => one.key === key) === i)
  expect(once.length).toBe(60)
  for (const identity of new Set(once.map(({ body }) => body))) {
    const ids = once.filter(({ body }) => body === identity).map(({ key }) => Number(key.slice(1)))
    expect([seed, ids]).toEqual([seed, ids.toSorted((a, b) => a - b)])
  }
})
