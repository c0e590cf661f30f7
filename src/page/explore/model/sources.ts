/** The sources: the columns of their lists, and their conditions for errors. */
import { type BuiltInSource, SOURCE_NAMES, type SourceName } from '../../../common/sources.js'
import { PINO_LEVELS, USUAL_FIELDS } from '../../../common/usual-fields.js'
import { HISTORY_SOURCE } from '../../api/alerts.js'
import type { Filter, FilterEntry, ProjectRow } from '../../api/explore.js'

/** How a cell of the list is shown. */
type CellKind = 'time' | 'status' | 'level' | 'duration' | 'text' | 'message'

/** A column of the list. */
export interface ListColumn {
  title: string
  kind: CellKind
  /** Paths of fields. The column shows the first field that a row has. Empty: the time, or the message. */
  fields: readonly string[]
}

/** Rows that count as errors: their conditions, all of which are met, and the same in words. */
interface ErrorRows {
  filters: readonly FilterEntry[]
  text: string
}

/** A source in the page. */
export interface SourceView {
  name: SourceName
  columns: readonly ListColumn[]
  /** Short names of fields for the search box. */
  aliases: Readonly<Record<string, string>>
  errors: ErrorRows
  /** Fields that show their values until the user closes the field. */
  opened: readonly string[]
}

const TIME: ListColumn = { title: 'Time', kind: 'time', fields: [] }
const MESSAGE: ListColumn = { title: 'Message', kind: 'message', fields: [] }
const column = (title: string, kind: CellKind, ...fields: string[]): ListColumn => ({ title, kind, fields })

const [STATUS, METHOD] = ['response.status_code', 'request.method']

/** Words of PostgreSQL, PostgREST, GoTrue and others. */
const ERROR_WORDS = ['error', 'fatal', 'panic', 'critical', 'alert', 'emergency']
const cased = (words: readonly string[]) =>
  words.flatMap((word) => [word, word.toUpperCase(), word[0].toUpperCase() + word.slice(1)])
const SEVERE: Filter = { field: 'level', op: 'in', value: cased(ERROR_WORDS) }
const failed = (field: string): Filter => ({ field, op: '>=', value: 400 })

const FAILED_TEXT = 'a status of 400 or more'
const SEVERE_TEXT = 'level error or worse'

/** Words in messages of failures, for records that have neither status nor level. */
const FAILURE_WORDS = ['error', 'fatal', 'panic', 'failed', 'failure', 'timeout', 'timed out', 'refused', 'denied']
const TELLS_FAILURE: Filter = {
  field: 'event_message',
  op: 'matches',
  value: `(?i)\\b(${FAILURE_WORDS.join('|')})\\b`,
}

type Unnamed = Omit<SourceView, 'name'>

const leveled = (...opened: readonly string[]): Unnamed => ({
  columns: [TIME, column('Level', 'level', 'level'), MESSAGE],
  aliases: { function: 'function_id' },
  errors: { filters: [SEVERE], text: SEVERE_TEXT },
  opened: ['level', ...opened],
})

/** A source with records that are mostly messages alone. */
const UNLEVELED: Unnamed = {
  ...leveled(),
  columns: [TIME, MESSAGE],
  errors: {
    // The level of a record says whether the record is an error: `info` is no error, whatever words the message has.
    filters: [
      [SEVERE, TELLS_FAILURE],
      [SEVERE, { field: 'level', op: 'missing' }],
    ],
    text: `${SEVERE_TEXT}, or without a level and with one of ${FAILURE_WORDS.join(', ')} in the message`,
  },
}

const { status: STATUSES, level: LEVELS, duration: DURATIONS } = USUAL_FIELDS
/** pino's numbers of levels from error on. */
const SEVERE_NUMBERS = Object.keys(PINO_LEVELS)
  .map(Number)
  .filter((number) => number >= 50)

const severeIn = (field: string): Filter => ({ field, op: 'in', value: [...cased(ERROR_WORDS), ...SEVERE_NUMBERS] })

/** A source that the service was given by name, without known fields. */
const OWN: Unnamed = {
  columns: [
    TIME,
    column('Status', 'status', ...STATUSES),
    column('Level', 'level', ...LEVELS),
    column('Duration', 'duration', ...DURATIONS),
    MESSAGE,
  ],
  aliases: {},
  errors: {
    filters: [[...STATUSES.map(failed), ...LEVELS.map(severeIn)]],
    text: `${FAILED_TEXT}, or ${SEVERE_TEXT}`,
  },
  opened: [...STATUSES, ...LEVELS],
}

const VIEWS: Readonly<Record<BuiltInSource, Unnamed>> = {
  edge_logs: {
    columns: [
      TIME,
      column('Status', 'status', STATUS),
      column('Method', 'text', METHOD),
      column('Path', 'message', 'request.path', 'request.url'),
      column('Duration', 'duration', 'response.origin_time'),
    ],
    aliases: {
      status: STATUS,
      method: METHOD,
      path: 'request.path',
      url: 'request.url',
      user_agent: 'request.headers.user_agent',
      duration: 'response.origin_time',
    },
    errors: { filters: [failed(STATUS)], text: FAILED_TEXT },
    opened: [STATUS, METHOD, 'request.path'],
  },
  postgres_logs: {
    columns: [TIME, column('Severity', 'level', 'parsed.error_severity'), MESSAGE],
    aliases: {
      severity: 'parsed.error_severity',
      level: 'parsed.error_severity',
      user: 'parsed.user_name',
      code: 'parsed.sql_state_code',
      application: 'parsed.application_name',
    },
    errors: {
      filters: [{ field: 'parsed.error_severity', op: 'in', value: ['ERROR', 'FATAL', 'PANIC'] }],
      text: 'severity ERROR or worse',
    },
    opened: ['parsed.error_severity', 'parsed.user_name', 'parsed.sql_state_code'],
  },
  function_edge_logs: {
    columns: [
      TIME,
      column('Status', 'status', STATUS),
      column('Method', 'text', METHOD),
      column('Function', 'message', 'function_id'),
      column('Duration', 'duration', 'execution_time_ms'),
    ],
    aliases: { status: STATUS, method: METHOD, function: 'function_id', duration: 'execution_time_ms' },
    errors: { filters: [failed(STATUS)], text: FAILED_TEXT },
    opened: [STATUS, METHOD, 'function_id'],
  },
  function_logs: leveled('event_type', 'function_id'),
  auth_logs: {
    columns: [
      TIME,
      column('Status', 'status', 'status', 'level'),
      column('Path', 'text', 'path'),
      column('Message', 'message', 'msg'),
    ],
    aliases: {},
    // A failed request has a status and often no level above `info`. A failure outside of requests has only a level.
    errors: { filters: [[failed('status'), SEVERE]], text: `${FAILED_TEXT}, or ${SEVERE_TEXT}` },
    opened: ['status', 'path', 'level'],
  },
  realtime_logs: leveled(),
  storage_logs: leveled(),
  postgrest_logs: UNLEVELED,
  pgbouncer_logs: UNLEVELED,
}

/** The history of alerts, of which the service makes the records. */
const HISTORY: Unnamed = {
  columns: [TIME, column('State', 'text', 'state'), column('Rule', 'text', 'rule'), MESSAGE],
  aliases: {},
  errors: { filters: [{ field: 'state', op: '=', value: 'firing' }], text: 'state firing' },
  opened: ['rule', 'state', 'severity'],
}

const BY_NAME = new Map<string, SourceView>([
  ...SOURCE_NAMES.map((name) => [name, { name, ...VIEWS[name] }] as const),
  [HISTORY_SOURCE, { name: HISTORY_SOURCE, ...HISTORY }],
])

/** The source that is shown first. */
export const DEFAULT_SOURCE = 'edge_logs'

/** Returns a source by name: one of the nine, or a source of the service's own. */
export const sourceNamed = (name: string): SourceView => BY_NAME.get(name) ?? { name, ...OWN }

/** Returns the names of the nine sources, in the order of the service, then of the others that have rows, by name. */
export const sourcesWith = (rows: readonly ProjectRow[]): readonly SourceName[] => [
  ...new Set<SourceName>([...SOURCE_NAMES, ...rows.map(({ source }) => source).sort()]),
]

/** Returns the source of a project that alone has rows, or undefined if there are several, or none. */
export function soleSource(rows: readonly ProjectRow[], project: string): SourceName | undefined {
  const [only, ...others] = rows.filter((row) => row.project === project && row.rows > 0)
  return others.length === 0 ? only?.source : undefined
}

/** Whether a text has the form of the name of a source, by the rule for `--sources`. */
export const isNameOfSource = (text: string): boolean => /^[a-z][a-z0-9_]{0,62}$/.test(text)
