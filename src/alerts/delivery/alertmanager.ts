import { MINUTE_US } from '../../base/units.js'
import { objectOf, requestJson, type ToldAlert, timeText } from './told-alert.js'

/** Alertmanager resolves an alert by itself when nothing was sent for this long. */
const ENDS_AFTER_US = 4 * MINUTE_US
const PATH = '/api/v2/alerts'

/** Returns the body of `POST /api/v2/alerts`: the state of alerts at a time. */
export function alertmanagerBody(alerts: readonly ToldAlert[], nowUs: number): string {
  return requestJson(
    alerts.map(({ labels, text, startsUs, endsUs }) => ({
      labels: objectOf(labels),
      annotations: { summary: text },
      startsAt: timeText(startsUs),
      endsAt: timeText(endsUs ?? nowUs + ENDS_AFTER_US),
    })),
  )
}

/** Returns the address of the alerts of an Alertmanager, given its own or that address. */
export function alertmanagerUrl(url: string): string {
  const address = new URL(url)
  if (!address.pathname.endsWith(PATH)) address.pathname = address.pathname.replace(/\/*$/, PATH)
  return address.href
}
