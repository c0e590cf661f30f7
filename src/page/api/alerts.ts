/** Alerts, their rules and their history, as the service knows them. */
import { type Failure, get, postJson } from './api.js'
import { cursorOf, fetchRows, type LogRow } from './explore.js'

/** The source of the history of alerts. */
export const HISTORY_SOURCE = 'alert_events'

/** The state of an alert. */
export type AlertState = 'pending' | 'firing' | 'resolved'

/** Labels or values by name. */
type Named<Value> = Readonly<Record<string, Value>>

/** An alert that is active or was resolved lately. Times are ISO 8601. */
export interface Alert {
  rule: string
  severity: string
  state: AlertState
  labels: Named<string>
  values: Named<unknown>
  text: string
  /** The first instant, pending included. */
  active_at: string
  /** Null while the alert is pending. */
  starts_at: string | null
  /** Null while the alert is active. */
  ends_at: string | null
  is_muted: boolean
}

/** A rule of alerts. Lengths of time are in seconds. Absent fields are hidden from the token. */
export interface AlertRule {
  name: string
  summary: string | null
  severity: string
  every: number
  for: number
  keep_firing: number
  delay: number
  repeat: number
  labels: readonly string[]
  /** Name of the receiver. */
  notify?: string | null
  muted: { until: string; reason: string | null } | null
  /** `new`: not evaluated yet. */
  health: 'ok' | 'broken' | 'new'
  /** Why the rule is broken, or why the last evaluation failed. */
  reason?: string | null
  last_evaluation: string | null
  /** The numbers of alerts that the token may see. */
  pending: number
  firing: number
  /** The text of the file. */
  query?: string
}

/** A change of the state of an alert. */
export interface AlertChange {
  rule: string
  /** In microseconds. */
  timeUs: number
  state: AlertState
  labels: Named<string>
  text: string
}

/** Changes over a range, oldest first. */
export interface AlertHistory {
  changes: readonly AlertChange[]
  /** The time from which no change is missing, in microseconds, or undefined if none is missing. */
  cutAtUs: number | undefined
}

/** The answer of a backtest. */
export interface Backtest {
  result: readonly { instant: string; state: AlertState; labels: Named<string>; text: string }[]
  /** The number of evaluations, and of those that failed. */
  steps: number
  failed?: number
  method: string
  /** ISO 8601, like `to`. */
  from: string
  to: string
  /** The number of earlier changes that are left out. */
  omitted?: number
  /** The subject of the answer. */
  note: string
}

/** Requests the alerts that the token may see, those with the newest state first. Throws a Failure. */
export const fetchAlerts = (signal: AbortSignal): Promise<Alert[]> => resultOf('api/alerting/alerts', signal)

/** Requests the rules, by name. Throws a Failure. */
export const fetchRules = (signal: AbortSignal): Promise<AlertRule[]> => resultOf('api/alerting/rules', signal)

/** Returns whether the service has rules. Throws a Failure. */
export async function hasRules(signal: AbortSignal): Promise<boolean> {
  try {
    return (await fetchRules(signal)).length > 0
  } catch (error) {
    if ((error as Failure).kind === 'absent') return false
    throw error
  }
}

async function resultOf<Row>(path: string, signal: AbortSignal): Promise<Row[]> {
  return ((await (await get(path, {}, signal)).json()) as { result: Row[] }).result
}

/** Runs a rule over past rows. `last`: a length of time such as `7d`. Throws a Failure. */
export async function runBacktest(rule: string, last: string, signal: AbortSignal): Promise<Backtest> {
  return (await (await postJson('api/alerting/test', { rule, last }, signal)).json()) as Backtest
}

/** Requests to the explorer for one history. */
const [MAX_PAGES, PAGE_ROWS] = [5, 1_000]

/** Requests the newest 5,000 changes of the alerts of a project. `start` and `end` are ISO 8601. Throws a Failure. */
export async function fetchHistory(
  project: string,
  { start, end }: { start: string; end: string | undefined },
  signal: AbortSignal,
): Promise<AlertHistory> {
  const query = { project, source: HISTORY_SOURCE, start, end, filters: [], search: '' }
  const rows: LogRow[] = []
  let isCut = true
  for (let page = 0; page < MAX_PAGES && isCut; page++) {
    const last = rows.at(-1)
    const before = last === undefined ? {} : { before: cursorOf(last) }
    const answer = await fetchRows(query, { limit: PAGE_ROWS, ...before }, signal)
    rows.push(...answer.rows)
    isCut = answer.rows.length === PAGE_ROWS
  }
  const changes = rows.map(changeOf).reverse()
  return { changes, cutAtUs: isCut ? changes[0]?.timeUs : undefined }
}

function changeOf({ line }: LogRow): AlertChange {
  const { timestamp, event_message, metadata } = JSON.parse(line) as {
    timestamp: number
    event_message: string
    metadata: { rule: string; state: AlertState; labels?: Named<string> }
  }
  const { rule, state, labels = {} } = metadata
  return { rule, timeUs: timestamp, state, labels, text: event_message }
}
