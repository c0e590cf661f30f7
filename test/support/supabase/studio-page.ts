import { chartPoints } from './studio-chart.js'
import type { Reply, Row, StudioServer } from './studio-server.js'
import { chartQuery, countQuery, rowsQuery, singleQuery, type TableName } from './studio-tables.js'

/** The content of a page of logs, and the range of time. */
export interface PageOptions {
  table: TableName
  /** Conditions of chosen filters. */
  conditions?: readonly string[]
  /** The range that the page shows, as ISO 8601 texts. */
  start: string
  end: string
}

/** A logs page of Studio in a browser. */
export interface LogsPage {
  /** Loads the newest rows. */
  open(): Promise<Reply>
  /** Loads the rows before the last shown row. Undefined if no row is shown. */
  loadOlder(): Promise<Reply | undefined>
  /** The rows shown so far, the newest first. */
  rows(): readonly Row[]
  /** How many rows have arrived since a time: asked each minute. Throws the text of an error. */
  newCount(sinceIso: string): Promise<number>
  /** The points of the chart. Throws the text of an error. */
  chart(): Promise<Row[]>
  /** Everything about a row, or undefined if the row is not found. */
  single(id: string): Promise<Row | undefined>
}

const COUNTS = ['ok_count', 'error_count', 'warning_count']

export function openLogsPage(ask: StudioServer, { table, conditions = [], start, end }: PageOptions): LogsPage {
  let shown: Row[] = []
  const logs = (sql: string, range: Record<string, string>) => ask('logs.all', { ...range, sql })

  async function load(untilIso: string): Promise<Reply> {
    const reply = await logs(rowsQuery(table, conditions), { iso_timestamp_start: start, iso_timestamp_end: untilIso })
    shown = [...shown, ...reply.rows]
    return reply
  }

  return {
    open: () => load(end),
    async loadOlder() {
      const last = shown.at(-1)
      // The last row's microseconds, cut to milliseconds.
      return last === undefined ? undefined : load(new Date(Number(last.timestamp) / 1000).toISOString())
    },
    rows: () => shown,
    async newCount(sinceIso) {
      const { rows, error } = await logs(countQuery(table, conditions), { iso_timestamp_start: sinceIso })
      if (error !== undefined) throw new Error(error)
      return rows[0]!.count
    },
    async chart() {
      const [unit, fromIso] = bucketsOf(start, end)
      const { rows, error } = await logs(chartQuery(table, unit, fromIso, conditions), { iso_timestamp_end: end })
      if (error !== undefined) throw new Error(error)
      return chartPoints(rows, COUNTS, start, end)
    },
    async single(id) {
      const reply = await logs(singleQuery(table, id), { iso_timestamp_start: start, iso_timestamp_end: end })
      return reply.rows[0]
    },
  }
}

const HOUR_MS = 3_600_000

/** The unit of the chart's buckets, and the start of the chart: some hours or days before the start of the page. */
function bucketsOf(start: string, end: string): ['minute' | 'hour', string] {
  const isLong = Date.parse(end) - Date.parse(start) > 12 * HOUR_MS
  const earlierMs = isLong ? 5 * 24 * HOUR_MS : 6 * HOUR_MS
  return [isLong ? 'hour' : 'minute', new Date(Date.parse(start) - earlierMs).toISOString()]
}
