import type { Clock } from '../../base/time/clock.js'
import { MILLISECOND_US } from '../../base/units.js'
import { alertmanagerBody, alertmanagerUrl } from './alertmanager.js'
import type { QueueContext } from './queue.js'
import type { Receiver } from './receivers.js'
import { waitMs } from './retry.js'
import type { SendResult } from './send.js'
import type { ToldAlert } from './told-alert.js'
import { splitAlerts } from './webhook.js'

/** The time between two posts of a state that does not change, and the longest wait after a failure. */
const INTERVAL_MS = 60_000

/** The dependencies of a poster. */
export interface PosterContext extends Pick<QueueContext, 'sender' | 'random' | 'onResult'> {
  clock: Clock
  /** Returns the alerts that fire, and those that were resolved a short time ago. */
  alerts(): readonly ToldAlert[]
}

/** Tells an Alertmanager the state of alerts: each minute, and at each change. */
export interface StatePoster {
  /** The state has changed: the next `pump` posts the state. */
  changed(): void
  /** Posts the state if a post is due. */
  pump(): void
  /** Resolves when no request runs. Call when `pump` is no longer called. */
  stop(): Promise<void>
}

/** Creates the poster of a receiver of the kind `alertmanager`. */
export function createStatePoster(receiver: Receiver, context: PosterContext): StatePoster {
  const { clock, random } = context
  let dueMs = clock.monotonicMs()
  let failures = 0
  let running: Promise<void> | undefined
  let isStopped = false

  async function post(): Promise<void> {
    dueMs = Number.POSITIVE_INFINITY
    const failure = await postAll(receiver, context)
    failures = failure === undefined ? 0 : failures + 1
    const nowMs = clock.nowUs() / MILLISECOND_US
    const wait = failure === undefined ? INTERVAL_MS : Math.min(INTERVAL_MS, waitMs(failures, failure, random(), nowMs))
    dueMs = Math.min(dueMs, clock.monotonicMs() + wait)
    running = undefined
  }

  return {
    changed() {
      // After failures the wait counts, so that a change is not tried at once again and again.
      if (failures === 0) dueMs = clock.monotonicMs()
    },
    pump() {
      if (!isStopped && running === undefined && dueMs <= clock.monotonicMs()) running = post()
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}

/** Posts the whole state. Returns the first failure. Without alerts there is nothing to post. */
async function postAll(receiver: Receiver, context: PosterContext): Promise<SendResult | undefined> {
  const { sender, clock, alerts, onResult } = context
  const nowUs = clock.nowUs()
  const bodyOf = (part: readonly ToldAlert[]) => alertmanagerBody(part, nowUs)
  const all = alerts()
  const headers = { ...receiver.headers, 'content-type': 'application/json' }
  for (const part of all.length === 0 ? [] : splitAlerts(all, bodyOf)) {
    const result = await sender.send({ url: alertmanagerUrl(receiver.url), headers, body: bodyOf(part) })
    onResult(receiver.name, result.word, result.status)
    if (result.word !== 'delivered') return result
  }
  return undefined
}
