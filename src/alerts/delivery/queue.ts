import type { Clock } from '../../base/time/clock.js'
import { MIB, MILLISECOND_US } from '../../base/units.js'
import type { Notification } from '../store/notification.js'
import type { Receiver } from './receivers.js'
import { isTemporary, RETRY, waitMs } from './retry.js'
import type { Sender, SendResult, SendWord } from './send.js'

/** The end of a try: its word, or the reason why there is no further try. */
export type DeliveryResult = SendWord | 'dropped' | 'expired'

/** The limits of the queue of a receiver. Tests lower the numbers. */
export interface QueueLimits {
  notifications: number
  bytes: number
  /** The most requests at once. */
  parallel: number
}

/** The limits of every receiver. */
export const QUEUE_LIMITS: QueueLimits = { notifications: 1_000, bytes: 16 * MIB, parallel: 4 }

/** The dependencies of a queue. */
export interface QueueContext {
  clock: Clock
  sender: Pick<Sender, 'send'>
  /** A random number from 0 to 1. */
  random(): number
  /** Forgets notifications on disk. */
  settle(ids: readonly number[]): Promise<void>
  /** Notes the result of each try, and of each notification that is given up. */
  onResult(receiver: string, result: DeliveryResult, status: number | undefined): void
  limits?: QueueLimits
}

/** The notifications that wait for a receiver. */
export interface DeliveryQueue {
  /** Adds notifications, which are on disk. Beyond the limits the oldest are dropped. */
  add(notifications: readonly Notification[]): void
  /**
   * Replaces the notifications by `change`, which the caller writes to disk. Undefined: the notification is given up. A
   * request that is being sent goes on.
   */
  replace(change: (notification: Notification) => Notification | undefined): void
  /** Starts the tries that are due, and is called again and again: waits are as precise as these calls. */
  pump(): void
  /** When the oldest notification was made, in microseconds since the epoch. Undefined if there is none. */
  oldestUs(): number | undefined
  /** Starts no further try. Resolves when no request runs. */
  stop(): Promise<void>
}

interface Entry {
  notification: Notification
  tries: number
  /** The next try, on the monotonic clock. */
  dueMs: number
  isRunning: boolean
  /** Whether the notification was given up during a try. */
  isGone?: boolean
}

interface State extends QueueContext {
  receiver: Receiver
  limits: QueueLimits
  /** Oldest first. */
  entries: Entry[]
  bytes: number
  running: Set<Promise<void>>
  isStopped: boolean
}

/**
 * Creates the queue of a receiver. Notifications with an alert in common are sent in order: the next one when the
 * earlier one was delivered or given up. Others do not wait for each other.
 */
export function createDeliveryQueue(receiver: Receiver, context: QueueContext): DeliveryQueue {
  const state: State = {
    limits: QUEUE_LIMITS,
    ...context,
    receiver,
    entries: [],
    bytes: 0,
    running: new Set(),
    isStopped: false,
  }
  return {
    add: (notifications) => add(state, notifications),
    replace: (change) => replace(state, change),
    pump: () => pump(state),
    oldestUs: () => state.entries[0]?.notification.createdUs,
    async stop() {
      state.isStopped = true
      while (state.running.size > 0) await Promise.all(state.running)
    },
  }
}

function add(state: State, notifications: readonly Notification[]): void {
  for (const notification of notifications) {
    state.entries.push({ notification, tries: 0, dueMs: state.clock.monotonicMs(), isRunning: false })
    state.bytes += Buffer.byteLength(notification.body)
  }
  const dropped: Entry[] = []
  while (state.entries.length > state.limits.notifications || state.bytes > state.limits.bytes) {
    const oldest = state.entries.find(({ isRunning }) => !isRunning)
    if (oldest === undefined) break
    remove(state, oldest)
    dropped.push(oldest)
  }
  giveUp(state, dropped, 'dropped')
  pump(state)
}

function replace(state: State, change: (notification: Notification) => Notification | undefined): void {
  for (const entry of [...state.entries]) {
    const changed = change(entry.notification)
    if (changed === undefined) {
      remove(state, entry)
      entry.isGone = true
      continue
    }
    state.bytes += Buffer.byteLength(changed.body) - Buffer.byteLength(entry.notification.body)
    entry.notification = changed
  }
}

function remove(state: State, entry: Entry): void {
  state.entries.splice(state.entries.indexOf(entry), 1)
  state.bytes -= Buffer.byteLength(entry.notification.body)
}

function giveUp(state: State, entries: readonly Entry[], result: DeliveryResult): void {
  if (entries.length === 0) return
  for (const _ of entries) state.onResult(state.receiver.name, result, undefined)
  forget(state, entries)
}

/** A failure to forget is none: after a crash the notifications are sent again, with the same keys. */
function forget(state: State, entries: readonly Entry[]): void {
  const done = state.settle(entries.map(({ notification }) => notification.id)).catch(() => {})
  state.running.add(done)
  void done.then(() => state.running.delete(done))
}

function pump(state: State): void {
  if (state.isStopped) return
  expire(state)
  const nowMs = state.clock.monotonicMs()
  const taken = new Set<string>()
  let running = state.entries.filter(({ isRunning }) => isRunning).length
  for (const entry of state.entries) {
    if (running >= state.limits.parallel) break
    const { identities } = entry.notification
    const isFree = !entry.isRunning && entry.dueMs <= nowMs && !identities.some((identity) => taken.has(identity))
    for (const identity of identities) taken.add(identity)
    if (!isFree) continue
    running += 1
    run(state, entry)
  }
}

function expire(state: State): void {
  const endUs = state.clock.nowUs() - RETRY.giveUpMs * MILLISECOND_US
  const old = state.entries.filter(({ notification, isRunning }) => !isRunning && notification.createdUs <= endUs)
  for (const entry of old) remove(state, entry)
  giveUp(state, old, 'expired')
}

function run(state: State, entry: Entry): void {
  entry.isRunning = true
  const done = tryOnce(state, entry)
  state.running.add(done)
  void done.then(() => {
    state.running.delete(done)
    pump(state)
  })
}

async function tryOnce(state: State, entry: Entry): Promise<void> {
  const { url, headers, name } = state.receiver
  const { body, key } = entry.notification
  const own = { 'content-type': 'application/json', 'idempotency-key': key }
  const result: SendResult = await state.sender.send({ url, headers: { ...headers, ...own }, body })
  entry.isRunning = false
  // Cut by the stop.
  if (state.isStopped && result.word !== 'delivered') return
  entry.tries += 1
  state.onResult(name, result.word, result.status)
  if (entry.isGone) return
  if (isTemporary(result)) {
    const nowMs = state.clock.nowUs() / MILLISECOND_US
    entry.dueMs = state.clock.monotonicMs() + waitMs(entry.tries, result, state.random(), nowMs)
    return
  }
  remove(state, entry)
  forget(state, [entry])
}
