import { type TestRecord, textAt, valueAt } from '../support/records.js'
import { bucketWidth } from './bucket-width.js'
import { askedOf, matching } from './explore.js'
import type { Oracle, PlainRow } from './oracle.js'
import { groupBy } from './time.js'

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

const PARTS = ['rest', 'auth', 'storage', 'realtime', 'functions', 'graphql']

/** The part of the platform that a path begins with. */
function partOf({ source, metadata }: TestRecord): string | null {
  if (source !== 'edge_logs') return null
  const path = textAt(metadata, ['request', 'path']) ?? ''
  return PARTS.find((part) => path === `/${part}` || path.startsWith(`/${part}/`)) ?? null
}

const SPLITS: Record<string, (record: TestRecord) => string | null> = {
  outcome: classOf,
  part: partOf,
  nothing: () => null,
}

/** The rows of a request by bucket and class. */
export const logsHistogram: Oracle = (records, params, nowUs) => {
  const asked = askedOf(params, nowUs)
  const widthUs = bucketWidth(asked, nowUs)
  const nameOf = SPLITS[params.by || 'outcome']!
  const startOf = (us: number) => Math.floor(us / widthUs) * widthUs
  const groups = groupBy(matching(records, asked), (record) => `${startOf(record.timestampUs)} ${nameOf(record)}`)
  const rows = [...groups.values()].map(
    (group): PlainRow => ({
      timestamp: startOf(group[0]!.timestampUs),
      bucket_us: widthUs,
      class: nameOf(group[0]!),
      count: group.length,
    }),
  )
  return rows.sort((a, b) => Number(a.timestamp) - Number(b.timestamp) || compareClasses(a.class, b.class))
}

function compareClasses(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return String(a) < String(b) ? -1 : 1
}
