/** Requests for the rows of a source, their histogram, their fields, and the projects. */
import type { FilterOperator } from '../../common/filter-operators.js'
import type { Split } from '../../common/histogram-classes.js'
import { Failure, get, parseExact, readText } from './api.js'
import { type Cost, costOf } from './cost.js'

/**
 * A condition on a field of a record. `field`: a path with dots, or a list of keys if any key has a dot. `value`: the
 * operand of the operator. A number may be raw JSON.
 */
export interface Filter {
  field: string | readonly string[]
  op: FilterOperator
  value?: unknown
}

/** A condition, or a list of alternative conditions, joined by OR. */
export type FilterEntry = Filter | readonly Filter[]

/** Selects the rows of a source with `start` <= timestamp < `end` that match all filters. */
export interface Query {
  project: string
  source: string
  /** ISO 8601. */
  start: string
  /** ISO 8601; undefined for no bound. */
  end: string | undefined
  filters: readonly FilterEntry[]
  /** Text that the message contains. Empty: any message. */
  search: string
}

/** A row of `logs.explore`, unparsed until the page shows the row. */
export interface LogRow {
  timestampUs: number
  /** Place among the matching rows with the same timestamp, from 1. Below 1: unknown. */
  rank: number
  id: string
  /** JSON of the row. */
  line: string
}

/** Rows, newest first. */
export interface RowsAnswer {
  rows: readonly LogRow[]
  cost: Cost
}

/** Rows of a bucket and class. `class` is a status class as `4xx`, a level, a part of the platform, or null. */
export interface HistogramRow {
  /** Start of the bucket, in microseconds. */
  timestamp: number
  bucket_us: number
  class: string | null
  count: number
}

/** The columns of a {@link HistogramRow}, in order. */
export const HISTOGRAM_COLUMNS = ['timestamp', 'bucket_us', 'class', 'count'] as const

/** The numbers of a field in a bucket. */
export interface MeasureRow {
  /** Start of the bucket, in microseconds. */
  timestamp: number
  bucket_us: number
  count: number
  min: number
  max: number
  avg: number
  p50: number
  p95: number
  p99: number
}

/** The columns of a {@link MeasureRow}, in order. */
export const MEASURE_COLUMNS = ['timestamp', 'bucket_us', 'count', 'min', 'max', 'avg', 'p50', 'p95', 'p99'] as const

/** A field of the rows, with its most frequent values. */
export interface FieldRow {
  field: string
  /** Rows that have the field. */
  count: number
  values: readonly { value: unknown; count: number }[]
  distinct: number
  /** Rows that were looked at. */
  rows: number
  is_sample: boolean
}

/** The rows of a project in a source. */
export interface ProjectRow {
  project: string
  source: string
  rows: number
  /** In microseconds. */
  newest: number
}

/** The place of a row in time. */
export type Place = Pick<LogRow, 'timestampUs' | 'rank'>

/**
 * Returns the cursor of a row, which pages begin at. If the rank is unknown, returns the cursor of the first row with
 * the timestamp.
 */
export const cursorOf = ({ timestampUs, rank }: Place): string => `${timestampUs}.${Math.ceil(rank)}`

/** Returns the place that a cursor names. */
export function placeOf(cursor: string): Place {
  const [timestampUs, rank] = cursor.split('.').map(Number) as [number, number]
  return { timestampUs, rank }
}

/** Returns the parameters of a query for the endpoints and the live tail. */
export function paramsOf({ project, source, start, end, filters, search }: Query): Record<string, string> {
  return {
    project,
    source,
    start,
    ...(end !== undefined && { end }),
    ...(filters.length > 0 && { filter: JSON.stringify(filters) }),
    ...(search !== '' && { search }),
  }
}

/** Start and limit of a page of rows. */
export interface PageOf {
  limit: number
  before?: string
  after?: string
}

/** Requests a page of rows, newest first. Throws a Failure. */
export async function fetchRows(query: Query, page: PageOf, signal: AbortSignal): Promise<RowsAnswer> {
  const { lines, cost } = await askLines(query, page, signal)
  return { rows: lines.map(logRowOf), cost }
}

/** Requests a page of rows, newest first, each as JSON. Throws a Failure. */
export const fetchLines = async (query: Query, page: PageOf, signal: AbortSignal): Promise<readonly string[]> =>
  (await askLines(query, page, signal)).lines

/** The columns of a row of `logs.explore`, in order. */
export const ROW_COLUMNS = ['id', 'timestamp', 'event_message', 'metadata', 'rank'] as const

async function askLines(query: Query, { limit, before, after }: PageOf, signal: AbortSignal) {
  const cursor = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
  const params = { ...paramsOf(query), limit: String(limit), ...cursor }
  const { text, cost } = await ask('logs.explore', params, 'application/x-ndjson', signal)
  return { lines: text.split('\n').filter((line) => line !== ''), cost }
}

/** Reads a row from JSON. */
export function logRowOf(line: string): LogRow {
  const { id, timestamp, rank } = JSON.parse(line) as { id: string; timestamp: number; rank: number }
  return { timestampUs: timestamp, rank, id, line }
}

/** Requests the number of rows over time, by class, by part of the platform, or of all. Throws a Failure. */
export function fetchHistogram(
  query: Query,
  signal: AbortSignal,
  by: Split = 'outcome',
): Promise<{ rows: HistogramRow[]; cost: Cost }> {
  return askRows<HistogramRow>('logs.histogram', { ...paramsOf(query), by }, signal)
}

/** Requests the numbers of a field over time. Throws a Failure. */
export function fetchMeasure(
  query: Query,
  field: string,
  signal: AbortSignal,
): Promise<{ rows: MeasureRow[]; cost: Cost }> {
  return askRows<MeasureRow>('logs.measure', { ...paramsOf(query), field }, signal)
}

/** Requests the fields of the rows. With `field`: only that field, with more values. Throws a Failure. */
export function fetchFields(
  query: Query,
  field: string | undefined,
  signal: AbortSignal,
): Promise<{ rows: FieldRow[]; cost: Cost }> {
  return askRows<FieldRow>('logs.fields', { ...paramsOf(query), ...(field !== undefined && { field }) }, signal)
}

/** Selects a single project, the projects with a text in their names, or all projects. */
export type ProjectQuery = { project: string } | { match: string } | Record<string, never>

/** Requests the projects that the token may see, with their sources, most rows first. Throws a Failure. */
export async function fetchProjects(query: ProjectQuery): Promise<readonly ProjectRow[]> {
  const search = 'project' in query ? query : { ...query, order: 'rows' }
  const text = await readText(await get(`api/projects?${new URLSearchParams(search)}`, {}))
  return (JSON.parse(text) as { result: ProjectRow[] }).result
}

async function askRows<Row>(endpoint: string, params: Record<string, string>, signal: AbortSignal) {
  const { text, cost } = await ask(endpoint, params, 'application/json', signal)
  return { rows: (parseExact(text) as { result: Row[] }).result, cost }
}

async function ask(endpoint: string, params: Record<string, string>, type: string, signal: AbortSignal) {
  const response = await get(`api/endpoints/query/${endpoint}?${new URLSearchParams(params)}`, { Accept: type }, signal)
  return { text: await readText(response), cost: costOf(response.headers.get('Server-Timing') ?? '') }
}

/** Returns an error of any kind as a Failure. */
export const failureOf = (error: unknown): Failure =>
  error instanceof Failure ? error : new Failure('refused', error instanceof Error ? error.message : String(error))
