/**
 * The fields in which programs write how a record went, by their usual names: the first that a record has counts. Read
 * for sources of one's own, which have no declared fields. The documentation lists the names (docs/any-logs.md).
 */
export const USUAL_FIELDS = {
  /** Status of an HTTP response. */
  status: ['status', 'status_code', 'response.status_code'],
  /** Level as a word, or as a number of pino. */
  level: ['level', 'severity', 'severity_text'],
  /** Milliseconds. */
  duration: ['duration_ms', 'elapsed_ms', 'latency_ms', 'response_time_ms', 'responseTime'],
} as const

/** The words for pino's levels, by their numbers (https://getpino.io, Logger.levels). */
export const PINO_LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}
