import { escapeControl } from '../../base/text/escape-control.js'
import { type Labels, labelOf, shownLabels } from '../states/labels.js'
import type { RuleState } from '../states/state.js'
import type { Notification } from '../store/notification.js'
import type { ContentChange } from '../store/store.js'
import { escapedForSlack } from './slack.js'
import { requestJson } from './told-alert.js'

/**
 * Returns the change that leaves out all alerts with a project as the label `project`: their states, the records
 * of their history that are to be stored, and their part of notifications. No alert is resolved, and no receiver is
 * notified.
 */
export function withoutProject(project: string): ContentChange {
  const shown = shownLabels([['project', project]])[0]![1]
  const isOther = ({ labels }: { labels: Labels }) => labelOf(labels, 'project') !== shown
  const others = <Value extends { labels: Labels }>(all: ReadonlyMap<string, Value>) =>
    new Map([...all].filter(([, one]) => isOther(one)))
  return {
    state: (state: RuleState) => ({ ...state, alerts: others(state.alerts), resolved: others(state.resolved) }),
    notification: (notification) => ofOthers(notification, shown),
    event: (event) => (event.record.project === shown ? undefined : event),
  }
}

/** The bodies of the receivers: of a webhook, or of Slack. */
interface Body {
  alerts?: readonly { status: string; labels: Readonly<Record<string, string>> }[]
  text?: string
}

/** Returns a notification without the alerts of a project. Undefined if there are no others. */
function ofOthers(notification: Notification, project: string): Notification | undefined {
  const body = JSON.parse(notification.body) as Body
  if (body.alerts !== undefined) {
    const alerts = body.alerts.filter(({ labels }) => labels.project !== project)
    if (alerts.length === body.alerts.length) return notification
    const status = alerts.some((alert) => alert.status === 'firing') ? 'firing' : 'resolved'
    return alerts.length === 0 ? undefined : { ...notification, body: requestJson({ ...body, status, alerts }) }
  }
  const lines = (body.text ?? '').split('\n')
  const name = escapedForSlack(escapeControl(project))
  const rest = lines.filter((line) => !line.includes(name))
  if (rest.length === lines.length) return notification
  return rest.length === 0 ? undefined : { ...notification, body: requestJson({ ...body, text: rest.join('\n') }) }
}
