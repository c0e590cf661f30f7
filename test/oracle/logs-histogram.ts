import { type TestRecord, valueAt } from '../support/records.js'
import { askedOf, matching } from './explore.js'
import type { Oracle, PlainRow } from './oracle.js'
import { groupBy } from './time.js'

const SECOND_US = 1_000_000
const [MINUTE_US, HOUR_US, DAY_US] = [60 * SECOND_US, 3_600 * SECOND_US, 86_400 * SECOND_US]
const WIDTHS_US = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_US),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_US),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_US),
  ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((n) => n * DAY_US),
]

/** The buckets from that of one moment to that of another, counted one by one. */
function bucketsBetween(firstUs: number, lastUs: number, widthUs: number): number {
  let buckets = 1
  let endUs = Number(BigInt(firstUs) / BigInt(widthUs) + 1n) * widthUs
  for (; endUs <= lastUs && buckets < 1_000; endUs += widthUs) buckets++
  return buckets
}

const STATUS: Record<string, readonly string[]> = {
  edge_logs: ['response', 'status_code'],
  function_edge_logs: ['response', 'status_code'],
  auth_logs: ['status'],
}
const LEVEL: Record<string, readonly string[]> = {
  auth_logs: ['level'],
  postgres_logs: ['parsed', 'error_severity'],
  function_logs: ['level'],
  realtime_logs: ['level'],
  storage_logs: ['level'],
}

function classOf({ source, metadata }: TestRecord): string | null {
  const status = STATUS[source] && valueAt(metadata, STATUS[source])
  const number = typeof status === 'string' && /^\d+$/.test(status) ? Number(status) : status
  if (typeof number === 'number' && number >= 100 && number < 600) return `${Math.floor(number / 100)}xx`
  const level = LEVEL[source] && valueAt(metadata, LEVEL[source])
  const text = level === undefined ? '' : typeof level === 'object' ? JSON.stringify(level) : String(level)
  return text === '' ? null : text.toLowerCase()
}

/** The rows of a request by bucket and class. */
export const logsHistogram: Oracle = (records, params, nowUs) => {
  const asked = askedOf(params, nowUs)
  const lastUs = Math.max(asked.startUs, asked.endUs === Number.POSITIVE_INFINITY ? nowUs : asked.endUs - 1)
  const widthUs = WIDTHS_US.find((one) => bucketsBetween(asked.startUs, lastUs, one) <= 120)!
  const startOf = (us: number) => Math.floor(us / widthUs) * widthUs
  const groups = groupBy(matching(records, asked), (record) => `${startOf(record.timestampUs)} ${classOf(record)}`)
  const rows = [...groups.values()].map(
    (group): PlainRow => ({
      timestamp: startOf(group[0]!.timestampUs),
      bucket_us: widthUs,
      class: classOf(group[0]!),
      count: group.length,
    }),
  )
  return rows.sort((a, b) => Number(a.timestamp) - Number(b.timestamp) || compareClasses(a.class, b.class))
}

function compareClasses(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return String(a) < String(b) ? -1 : 1
}
