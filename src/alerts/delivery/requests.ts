import { createHash } from 'node:crypto'
import type { AlertEvent } from '../states/state.js'
import type { Notification } from '../store/notification.js'
import type { Receiver } from './receivers.js'
import { slackBody } from './slack.js'
import { type ToldAlert, toldLabels } from './told-alert.js'
import { splitAlerts, webhookBody } from './webhook.js'

/** A change of an alert to be notified, and the alert as receivers see it. */
interface Notice {
  event: AlertEvent
  told: ToldAlert
}

/**
 * Returns the notifications of an evaluation for a receiver with a queue, `webhook` or `slack`. None without
 * notices. `nextId` returns a new id at each call.
 */
export function notificationsOf(
  receiver: Pick<Receiver, 'name' | 'kind'>,
  events: readonly AlertEvent[],
  { severity, nextId, nowUs }: { severity: string; nextId: () => number; nowUs: number },
): Notification[] {
  if (events.length === 0 || receiver.kind === 'alertmanager') return []
  const notices = events.map((event) => ({ event, told: toldAlert(event, severity) }))
  const bodyOf = (part: readonly Notice[]) => {
    const alerts = part.map(({ told }) => told)
    return receiver.kind === 'slack' ? slackBody(alerts) : webhookBody(receiver.name, alerts)
  }
  const parts = receiver.kind === 'slack' ? [notices] : splitAlerts(notices, bodyOf)
  return parts.map((part) => ({
    id: nextId(),
    receiver: receiver.name,
    key: idempotencyKey(
      receiver.name,
      part.map(({ event }) => event),
    ),
    body: bodyOf(part),
    identities: part.map(({ event }) => event.identity),
    createdUs: nowUs,
  }))
}

/** Returns an alert as receivers see the alert. */
function toldAlert(event: AlertEvent, severity: string): ToldAlert {
  const { rule, labels, values, text, startsUs, instantUs, identity } = event
  const isResolved = event.state === 'resolved'
  return {
    identity,
    labels: toldLabels(rule, severity, labels),
    values,
    text,
    state: isResolved ? 'resolved' : 'firing',
    startsUs: startsUs ?? instantUs,
    endsUs: isResolved ? instantUs : undefined,
  }
}

/** The SHA-256 of the receiver, the rule, and the labels, the state and the instant of each alert, sorted. */
function idempotencyKey(receiver: string, events: readonly AlertEvent[]): string {
  const alerts = events.map(({ labels, state, instantUs }) => JSON.stringify([labels, state, instantUs])).sort()
  return createHash('sha256')
    .update(JSON.stringify([receiver, events[0].rule, alerts]))
    .digest('hex')
}
