import { KIB } from '../../base/units.js'
import { type Labels, labelOf } from '../states/labels.js'
import { objectOf, requestJson, type ToldAlert, timeText } from './told-alert.js'

/** The most alerts of a request. */
export const MAX_REQUEST_ALERTS = 100
/** The longest body of a request. */
export const MAX_REQUEST_BYTES = 256 * KIB
/** The end of an alert that fires, in Alertmanager's form. */
const NEVER = '0001-01-01T00:00:00Z'
const FINGERPRINT_DIGITS = 16

/**
 * Returns the body of a request in the form of Alertmanager's webhook, version 4, with `values` in each alert. All
 * alerts are of a single rule, and there is at least one.
 */
export function webhookBody(receiver: string, alerts: readonly ToldAlert[]): string {
  const common = commonLabels(alerts)
  const alertname = labelOf(common, 'alertname') ?? ''
  const [first] = alerts
  const annotations = { summary: first.text }
  return requestJson({
    version: '4',
    groupKey: `{}:{alertname=${JSON.stringify(alertname)}}`,
    truncatedAlerts: 0,
    status: alerts.some(({ state }) => state === 'firing') ? 'firing' : 'resolved',
    receiver,
    groupLabels: { alertname },
    commonLabels: objectOf(common),
    commonAnnotations: alerts.every(({ text }) => text === first.text) ? annotations : {},
    externalURL: '',
    alerts: alerts.map((alert) => ({
      status: alert.state,
      labels: objectOf(alert.labels),
      annotations: { summary: alert.text },
      startsAt: timeText(alert.startsUs),
      endsAt: alert.endsUs === undefined ? NEVER : timeText(alert.endsUs),
      generatorURL: '',
      fingerprint: alert.identity.slice(0, FINGERPRINT_DIGITS),
      values: objectOf(alert.values),
    })),
  })
}

function commonLabels([first, ...others]: readonly ToldAlert[]): Labels {
  return first.labels.filter(([name, text]) => others.every(({ labels }) => labelOf(labels, name) === text))
}

/** Splits alerts so that each request has at most 100 alerts and 256 KiB. A single alert is shorter than that. */
export function splitAlerts<Alert>(alerts: readonly Alert[], bodyOf: (part: readonly Alert[]) => string): Alert[][] {
  if (alerts.length > MAX_REQUEST_ALERTS) {
    const first = splitAlerts(alerts.slice(0, MAX_REQUEST_ALERTS), bodyOf)
    return [...first, ...splitAlerts(alerts.slice(MAX_REQUEST_ALERTS), bodyOf)]
  }
  if (alerts.length <= 1 || Buffer.byteLength(bodyOf(alerts)) <= MAX_REQUEST_BYTES) return [[...alerts]]
  const half = alerts.length >> 1
  return [...splitAlerts(alerts.slice(0, half), bodyOf), ...splitAlerts(alerts.slice(half), bodyOf)]
}
