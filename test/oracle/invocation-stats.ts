import { numberAt, type TestRecord, textAt } from '../support/records.js'
import { exactMean } from './exact-mean.js'
import type { Oracle, Params, PlainRow } from './oracle.js'
import { bucketStart, groupBy, type Unit } from './time.js'

const MINUTE_US = 60_000_000

function intervalOf(interval: string | undefined): { windowUs: number; unit: Unit } {
  if (interval === '5min') return { windowUs: 5 * MINUTE_US, unit: 'second' }
  if (interval === '15min') return { windowUs: 15 * MINUTE_US, unit: 'minute' }
  if (interval === '1hr') return { windowUs: 60 * MINUTE_US, unit: 'minute' }
  if (interval === '7day') return { windowUs: 7 * 24 * 60 * MINUTE_US, unit: 'day' }
  return { windowUs: 24 * 60 * MINUTE_US, unit: 'hour' }
}

/** Returns the invocations in the query's window, by the start of their bucket. */
function considered(records: readonly TestRecord[], params: Params, nowUs: number): Map<number, TestRecord[]> {
  const { windowUs, unit } = intervalOf(params.interval)
  const from = bucketStart(nowUs - windowUs, unit)
  const through = bucketStart(nowUs, unit)
  const taken = records
    .filter((record) => record.source === 'function_edge_logs' && record.project === params.project)
    .filter((record) => !params.function_id || textAt(record.metadata, ['function_id']) === params.function_id)
    .filter(({ timestampUs }) => bucketStart(timestampUs, unit) >= from && bucketStart(timestampUs, unit) <= through)
  return groupBy(taken, ({ timestampUs }) => bucketStart(timestampUs, unit))
}

/** Returns the execution times of a bucket's records, ascending. */
function timesOf(records: readonly TestRecord[]): number[] {
  return records
    .map((record) => numberAt(record.metadata, ['execution_time_ms']))
    .filter((time) => time !== undefined)
    .sort((a, b) => a - b)
}

function row(timestamp: number, records: readonly TestRecord[]): PlainRow {
  const times = timesOf(records)
  const atRank = (percent: number) => times[Math.ceil((percent * times.length) / 100) - 1] ?? null
  const statuses = records.map((record) => numberAt(record.metadata, ['response', 'status_code']))
  return {
    timestamp,
    min_execution_time: times[0] ?? null,
    max_execution_time: times.at(-1) ?? null,
    avg_execution_time: times.length === 0 ? null : exactMean(times),
    p95_execution_time: atRank(95),
    p99_execution_time: atRank(99),
    count: records.length,
    error_count: statuses.filter((status) => status !== undefined && status >= 400).length,
  }
}

/** Section 4.2 of the contract, percentiles exact. */
export const invocationStats: Oracle = (records, params, nowUs) =>
  [...considered(records, params, nowUs)]
    .sort(([a], [b]) => a - b)
    .map(([timestamp, bucket]) => row(timestamp, bucket))
    .slice(0, 1000)

/** The same for a self-hosted Supabase: a record that says nothing of a run is a line of a console. */
export const invocationStatsOfSupabase: Oracle = (records, params, nowUs) =>
  invocationStats(records.filter(isOfRun), params, nowUs)

function isOfRun({ metadata }: TestRecord): boolean {
  if (textAt(metadata, ['function_id'])) return true
  return [['execution_time_ms'], ['response', 'status_code']].some((path) => numberAt(metadata, path) !== undefined)
}

/** Returns the execution times of each row of {@link invocationStats}, ascending, by the row's timestamp. */
export function executionTimes(
  records: readonly TestRecord[],
  params: Params,
  nowUs: number,
): ReadonlyMap<number, readonly number[]> {
  return new Map([...considered(records, params, nowUs)].map(([timestamp, bucket]) => [timestamp, timesOf(bucket)]))
}
