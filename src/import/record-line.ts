import { formatIso8601 } from '../base/time/iso8601.js'
import { findSource, type SourceName } from '../common/sources.js'
import type { LogRow } from './postgres/table-reader.js'

/** Numbers from here on are read as microseconds, smaller numbers as milliseconds or seconds. */
const LEAST_MICROSECONDS = 1e14

/**
 * Returns the line of NDJSON for a row: the record with the row's id, time and message, which win over the values of
 * the record, since the last of two equal keys counts. The record's own field `source` stays unless the field names any
 * source: then the field would decide where the row is stored. A body that is no object is returned unchanged, for the
 * rejects.
 */
export function recordLine({ id, timestampUs, message, body, bodySource }: LogRow, source: SourceName): string {
  const record = body ?? '{}'
  if (!record.startsWith('{')) return `${record}\n`
  const own = {
    id,
    timestamp: timestampUs >= LEAST_MICROSECONDS ? timestampUs : formatIso8601(timestampUs),
    ...(message === null ? {} : { event_message: message }),
    ...(bodySource !== null && findSource(bodySource) !== undefined ? { source } : {}),
  }
  const separator = record === '{}' ? '' : ','
  return `${record.slice(0, -1)}${separator}${JSON.stringify(own).slice(1)}\n`
}
