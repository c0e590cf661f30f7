import { uuid5 } from '../../base/text/uuid5.js'
import { labelOf } from './labels.js'
import type { AlertEvent, JsonValue } from './state.js'

/** A record of the source `alert_events`. */
export interface EventRecord {
  id: string
  /** The instant, in microseconds since the epoch. */
  timestamp: number
  event_message: string
  /** The label `project`. Empty if the alert has no such label. */
  project: string
  metadata: { [key: string]: JsonValue }
}

/** RFC 9562, section 6.6: the namespace of URLs. */
const URL_NAMESPACE = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'

/**
 * Returns the record of a change of state. The id is the same for the same rule, labels, state and instant: an event
 * that is written twice is a single record. Pure.
 */
export function eventRecord(
  { rule, state, instantUs, labels, values, text }: AlertEvent,
  severity: string,
): EventRecord {
  return {
    id: uuid5(URL_NAMESPACE, `logweir:alert:${JSON.stringify([rule, labels, state, instantUs])}`),
    timestamp: instantUs,
    event_message: text,
    project: labelOf(labels, 'project') ?? '',
    metadata: { rule, state, labels: Object.fromEntries(labels), values: Object.fromEntries(values), severity },
  }
}
