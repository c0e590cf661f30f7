import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../base/log.js'
import type { Clock } from '../../base/time/clock.js'
import { MILLISECOND_US } from '../../base/units.js'
import type { Notification } from '../store/notification.js'
import type { AlertStore } from '../store/store.js'
import { createDeliveryQueue, type DeliveryQueue, type DeliveryResult, type QueueLimits } from './queue.js'
import type { Receiver } from './receivers.js'
import type { Sender } from './send.js'
import { createStatePoster, type StatePoster } from './state-poster.js'
import type { ToldAlert } from './told-alert.js'

/** The dependencies of the delivery. */
export interface DeliveryContext {
  receivers: ReadonlyMap<string, Receiver>
  store: Pick<AlertStore, 'notifications' | 'settle'>
  clock: Clock
  log: Log
  sender: Sender
  random(): number
  /** Returns the alerts of an Alertmanager: those that fire, and those that were resolved a short time ago. */
  alertsOf(receiver: string): readonly ToldAlert[]
  /** Counts the result of a try. */
  count(receiver: string, result: DeliveryResult): void
  limits?: QueueLimits
}

/** Sends notifications to receivers. */
export interface Delivery {
  /** Adds notifications, which are on disk. Those of a receiver that is gone are forgotten. */
  add(notifications: readonly Notification[]): void
  /** See {@link DeliveryQueue.replace}. */
  replace: DeliveryQueue['replace']
  /** The alerts of a receiver have changed. */
  changed(receiver: string): void
  /** Age of the oldest undelivered notification of each receiver, in seconds. 0 if there is none. */
  oldestAges(): ReadonlyMap<string, number>
  /**
   * Starts no further try. Running requests have two seconds to end, then they are cut: the next process sends the
   * notifications again, with the same keys.
   */
  stop(): Promise<void>
}

/** How long running requests have at a stop. */
const STOP_MS = 2_000
/** How often waits are looked at. */
const PUMP_MS = 250

/** Starts the delivery, with the notifications that earlier processes have left. */
export function startDelivery(context: DeliveryContext): Delivery {
  const { receivers, store, clock, sender, random, alertsOf, limits } = context
  const queues = new Map<string, DeliveryQueue>()
  const posters = new Map<string, StatePoster>()
  const onResult = resultLog(context)
  for (const [name, receiver] of receivers) {
    const shared = { clock, sender, random, onResult }
    if (receiver.kind === 'alertmanager') {
      posters.set(name, createStatePoster(receiver, { ...shared, alerts: () => alertsOf(name) }))
    } else {
      queues.set(name, createDeliveryQueue(receiver, { ...shared, settle: store.settle, ...(limits && { limits }) }))
    }
  }
  const all = [...queues.values(), ...posters.values()]

  function add(notifications: readonly Notification[]): void {
    for (const [name, queue] of queues) queue.add(notifications.filter(({ receiver }) => receiver === name))
    const orphans = notifications.filter(({ receiver }) => !queues.has(receiver)).map(({ id }) => id)
    if (orphans.length > 0) void store.settle(orphans).catch(() => {})
  }

  add(store.notifications())
  const stopTimer = clock.every(PUMP_MS, () => {
    for (const one of all) one.pump()
  })
  return {
    add,
    replace(change) {
      for (const queue of queues.values()) queue.replace(change)
    },
    changed: (name) => posters.get(name)?.changed(),
    oldestAges: () => new Map([...queues].map(([name, queue]) => [name, ageS(queue.oldestUs(), clock)])),
    async stop() {
      stopTimer()
      const settled = Promise.all(all.map((one) => one.stop()))
      await Promise.race([settled, wait(STOP_MS, undefined, { ref: false })])
      await sender.close()
      await settled
    },
  }
}

function ageS(sinceUs: number | undefined, clock: Clock): number {
  return sinceUs === undefined ? 0 : Math.max(0, (clock.nowUs() - sinceUs) / MILLISECOND_US / 1000)
}

/** Counts results, and logs a result of a receiver when the result differs from the one before. */
function resultLog({ count, log }: DeliveryContext) {
  const last = new Map<string, string>()
  return (receiver: string, result: DeliveryResult, status: number | undefined): void => {
    count(receiver, result)
    const shown = status === undefined || result === 'delivered' ? result : `${result} ${status}`
    const before = last.get(receiver) ?? 'delivered'
    last.set(receiver, shown)
    if (shown === before) return
    const fields = { code: 'alert_delivery', receiver, result, ...(status !== undefined && { status }) }
    const level = result === 'delivered' ? 'info' : 'warn'
    log(`alerts: receiver ${receiver}: ${shown}`, { level, ...fields })
  }
}
