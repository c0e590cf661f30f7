import { re2Of } from '../support/re2.js'
import { type TestRecord, textAt } from '../support/records.js'
import type { Oracle, PlainRow } from './oracle.js'
import { bucketStart, groupBy, type Unit } from './time.js'

const HOUR_US = 3_600_000_000
type Intervals = ReadonlyMap<string, { windowUs: number; unit: Unit }>

const INTERVALS: Intervals = new Map([
  ['minutely', { windowUs: HOUR_US, unit: 'minute' }],
  ['hourly', { windowUs: HOUR_US, unit: 'hour' }],
  ['daily', { windowUs: 7 * 24 * HOUR_US, unit: 'day' }],
])
const INTERVALS_OF_SUPABASE: Intervals = new Map([
  ...INTERVALS,
  ['1hr', { windowUs: HOUR_US, unit: 'minute' }],
  ['1day', { windowUs: 24 * HOUR_US, unit: 'hour' }],
  ['7day', { windowUs: 7 * 24 * HOUR_US, unit: 'day' }],
])

/** Escapes a literal for RE2. The library would also escape each slash of the literal. */
const unquoted = (pattern: string) =>
  pattern.replace(/\\Q(.*?)(?:\\E|$)/gs, (_, text: string) => text.replace(/[^\w\s]/g, '\\$&'))

const requestText = (record: TestRecord, key: string) => textAt(record.metadata, ['request', key])

/** Section 4.3 of the contract. */
export const apiCounts: Oracle = (records, params, nowUs) =>
  countsOf(records, INTERVALS.get(params.interval ?? ''), nowUs, matching(params.project!))

/**
 * The same for a self-hosted Supabase: a record without a URL belongs to its project. `name` is the project if
 * `project` is a pattern instead.
 */
export const apiCountsOfSupabase: Oracle = (records, params, nowUs) => {
  const matches = matching(params.project!)
  const isOwn = (record: TestRecord) =>
    requestText(record, 'url') === undefined ? record.project === (params.name ?? params.project) : matches(record)
  return countsOf(records, INTERVALS_OF_SUPABASE.get(params.interval ?? ''), nowUs, isOwn)
}

/** Returns whether a pattern matches the URL of a record. */
function matching(project: string): (record: TestRecord) => boolean {
  const pattern = re2Of(unquoted(project))
  return (record) => {
    const url = requestText(record, 'url')
    return url !== undefined && pattern.test(url)
  }
}

function countsOf(
  records: readonly TestRecord[],
  interval: { windowUs: number; unit: Unit } | undefined,
  nowUs: number,
  isTaken: (record: TestRecord) => boolean,
): PlainRow[] {
  if (interval === undefined) return []
  const taken = records
    .filter((record) => record.source === 'edge_logs' && record.timestampUs >= nowUs - interval.windowUs)
    .filter(isTaken)
  const buckets = groupBy(taken, ({ timestampUs }) => bucketStart(timestampUs, interval.unit))
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([timestamp, bucket]) => {
      const having = (area: string) => bucket.filter((record) => requestText(record, 'path')?.includes(area)).length
      return {
        timestamp: new Date(timestamp / 1000).toISOString().slice(0, 19),
        total_rest_requests: having('/rest'),
        total_storage_requests: having('/storage'),
        total_auth_requests: having('/auth'),
        total_realtime_requests: having('/realtime'),
      }
    })
    .slice(0, 1000)
}
