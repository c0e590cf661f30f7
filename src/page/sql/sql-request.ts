/** Sends a query in SQL to the service. */
import { readWarnings } from '../../common/warnings.js'
import { get, parseExact, type Row, readText } from '../api/api.js'
import { type Cost, costOf } from '../api/cost.js'
import { type Bounds, isoOf } from '../shared/range.js'

/** A query, the project, and the range of time of the rows to read. */
export interface SqlQuery {
  project: string
  sql: string
  bounds: Bounds
}

/** Rows of an answer, in order. */
export interface SqlAnswer {
  rows: readonly Row[]
  cost: Cost
  /** Warnings about the query. */
  warnings: readonly string[]
  /** The answer as sent by the service. */
  body: string
}

/**
 * Returns the parameters of a query. The page's ranges include their start and exclude their end, `logs.all` excludes
 * the start and includes the end. Times are whole microseconds, so each bound is sent a microsecond earlier.
 */
export function paramsOf({ project, sql, bounds: { fromUs, toUs } }: SqlQuery): Record<string, string> {
  return {
    project,
    iso_timestamp_start: isoOf(fromUs - 1),
    ...(toUs !== undefined && { iso_timestamp_end: isoOf(toUs - 1) }),
    sql,
  }
}

/** Runs a query. Throws a Failure. If the query is wrong, the message ends with the place. */
export async function runQuery(query: SqlQuery, signal: AbortSignal): Promise<SqlAnswer> {
  const response = await get(`api/endpoints/query/logs.all?${new URLSearchParams(paramsOf(query))}`, {}, signal)
  const body = await readText(response)
  const { result } = parseExact(body) as { result: Row[] }
  const { headers } = response
  const warnings = readWarnings(headers.get('Logweir-Warnings'))
  return { rows: result, cost: costOf(headers.get('Server-Timing') ?? ''), warnings, body }
}
