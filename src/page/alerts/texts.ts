/** Texts of alerts and rules. */
import type { Alert, AlertRule } from '../api/alerts.js'
import { element } from '../shared/dom.js'
import { ago, lengthText } from '../shared/format.js'
import { usOf } from '../shared/range.js'
import { timestamp } from '../shared/times.js'

/** Returns a time in ISO 8601 as a time with seconds in the zone of the page. */
export const timeText = (iso: string): string => timestamp(usOf(iso)).slice(0, 19)

/** Returns a time with its age: `2026-11-20 10:00:00, 3 min ago`. */
export const timeAndAge = (iso: string): string =>
  `${timeText(iso)}, ${ago(Math.max(0, Date.now() - Date.parse(iso)) / 1_000)}`

/** Returns since when an alert has its state. */
export function sinceText({ state, active_at, starts_at, ends_at }: Alert): string {
  if (state === 'resolved' && ends_at !== null) return `at ${timeAndAge(ends_at)}`
  return `since ${timeAndAge(state === 'firing' ? (starts_at ?? active_at) : active_at)}`
}

/** Returns when a rule is evaluated and the receiver that it notifies, in the words of its file. */
export function timingText({ every, for: forS, keep_firing, delay, repeat, notify }: AlertRule): string {
  const parts = [
    `every ${lengthText(every)}`,
    ...(forS > 0 ? [`for ${lengthText(forS)}`] : []),
    ...(keep_firing > 0 ? [`keep firing ${lengthText(keep_firing)}`] : []),
    `delay ${lengthText(delay)}`,
    ...(notify === undefined ? [] : [notify === null ? 'notifies nobody' : `notify ${notify}`]),
    ...(notify === null ? [] : [`repeat ${lengthText(repeat)}`]),
  ]
  return parts.join(', ')
}

/** Returns how many alerts of a rule are active: `2 firing, 1 pending`. */
export function activeText({ firing, pending }: AlertRule): string {
  const parts = [firing > 0 ? `${firing} firing` : '', pending > 0 ? `${pending} pending` : '']
  return parts.filter((text) => text !== '').join(', ')
}

/**
 * Creates a list of names with values. Texts are of other people's records: each has a direction of its own, so that it
 * cannot change the order of the texts around it.
 */
export function namedList(title: string, named: Readonly<Record<string, unknown>>): HTMLElement[] {
  const entries = Object.entries(named)
  if (entries.length === 0) return []
  const items = entries.map(([name, value]) =>
    element(
      'div',
      {},
      element('dt', {}, element('bdi', {}, name)),
      element('dd', {}, element('bdi', {}, valueText(value))),
    ),
  )
  return [element('dl', { class: 'alert-names', 'aria-label': title }, ...items)]
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '–' : JSON.stringify(value)
