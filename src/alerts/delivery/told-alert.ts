import { escapeControlInDocument } from '../../base/text/escape-control.js'
import { formatIso8601 } from '../../base/time/iso8601.js'
import type { Labels } from '../states/labels.js'
import type { JsonValue } from '../states/state.js'

/** An alert as receivers get it: with the labels `alertname` and `severity`. */
export interface ToldAlert {
  /** The SHA-256 of the rule and the full labels. */
  identity: string
  labels: Labels
  text: string
  state: 'firing' | 'resolved'
  startsUs: number
  /** Undefined while the alert fires. */
  endsUs: number | undefined
  values: readonly (readonly [column: string, value: JsonValue])[]
}

/** Returns the labels with `alertname` and `severity`, sorted. */
export function toldLabels(alertname: string, severity: string, labels: Labels): Labels {
  const all: Labels = [...labels, ['alertname', alertname], ['severity', severity]]
  return all.toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** Returns pairs as an object for JSON. */
export const objectOf = (pairs: readonly (readonly [string, JsonValue])[]): JsonValue => Object.fromEntries(pairs)

/** Returns the JSON of a request. Control and direction characters are escaped, which changes no value. */
export const requestJson = (value: unknown): string => escapeControlInDocument(JSON.stringify(value))

/** Returns a time as RFC 3339, as Alertmanager has it. */
export const timeText = (us: number): string => formatIso8601(us)
