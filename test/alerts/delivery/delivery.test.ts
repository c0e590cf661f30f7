import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startDelivery } from '../../../src/alerts/delivery/delivery.js'
import type { Receiver } from '../../../src/alerts/delivery/receivers.js'
import type { SendResult } from '../../../src/alerts/delivery/send.js'
import { NEW_STATE } from '../../../src/alerts/states/state.js'
import type { Notification } from '../../../src/alerts/store/notification.js'
import { createMemoryStore } from '../../../src/alerts/store/store.js'
import { createFakeClock } from '../../support/clock.js'

const RECEIVER: Receiver = { name: 'ops', kind: 'webhook', url: 'http://127.0.0.1/secret', headers: {} }

async function deliveryOf(send: () => Promise<SendResult>) {
  const clock = createFakeClock()
  const store = createMemoryStore()
  const lines: string[] = []
  const results: string[] = []
  let end: (result: SendResult) => void = () => {}
  const closed = new Promise<SendResult>((resolve) => (end = resolve))
  const note = (receiver: string): Notification => {
    return { id: store.nextId(), receiver, key: 'k', body: '{}', identities: ['a'], createdUs: clock.nowUs() }
  }
  const added = [note('ops'), note('gone')]
  await store.commit({ rule: 'r', state: NEW_STATE, added, events: [] }, true)
  const delivery = startDelivery({
    receivers: new Map([['ops', RECEIVER]]),
    ...{ store, clock, random: () => 0.5, alertsOf: () => [] },
    log: (line) => lines.push(line),
    sender: { send: () => Promise.race([send(), closed]), close: async () => end({ word: 'unreachable' }) },
    count: (receiver, result) => results.push(`${receiver} ${result}`),
  })
  return { delivery, store, clock, lines, results }
}

it('goes on with what earlier processes have left, and forgets receivers that are gone', async () => {
  let answer: SendResult = { word: 'status', status: 500 }
  const { delivery, store, clock, lines, results } = await deliveryOf(async () => answer)
  await wait(5)
  expect(store.notifications().map(({ receiver }) => receiver)).toEqual(['ops'])
  clock.advance(7_000)
  await wait(5)
  expect(delivery.oldestAges()).toEqual(new Map([['ops', 7]]))
  answer = { word: 'delivered', status: 200 }
  clock.advance(7_000)
  await wait(5)
  expect(delivery.oldestAges()).toEqual(new Map([['ops', 0]]))
  expect(store.notifications()).toEqual([])
  expect(results.at(-1)).toBe('ops delivered')
  // One line for each change, and no address in any.
  expect(lines).toEqual(['alerts: receiver ops: status 500', 'alerts: receiver ops: delivered'])
})

it('cuts requests at a stop, and keeps their notifications', async () => {
  const { delivery, store, lines, results } = await deliveryOf(() => new Promise<SendResult>(() => {}))
  await delivery.stop()
  expect(store.notifications().map(({ receiver }) => receiver)).toEqual(['ops'])
  expect([lines, results]).toEqual([[], []])
})
