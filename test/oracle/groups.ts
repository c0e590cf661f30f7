import { numberAt, type TestRecord, textAt } from '../support/records.js'
import { exactMean } from './exact-mean.js'
import type { Oracle, Params, PlainRow } from './oracle.js'

const WEEK_US = 7 * 24 * 3600 * 1_000_000

function considered(records: readonly TestRecord[], source: string, { project }: Params, nowUs: number): TestRecord[] {
  return records
    .filter((record) => record.source === source && record.project === project)
    .filter(({ timestampUs }) => timestampUs >= nowUs - WEEK_US && timestampUs <= nowUs)
}

/** Returns a row for each key that a record has, in the order and number of the parameters. */
function rowsOf(
  records: readonly TestRecord[],
  key: string,
  keyOf: (record: TestRecord) => string | null,
  valuesOf: (records: readonly TestRecord[]) => PlainRow,
  { order, direction = 'desc', limit = '1000' }: Params,
): PlainRow[] {
  const keys = [...new Set(records.map(keyOf))]
  const rows = keys.map((text) => ({ [key]: text, ...valuesOf(records.filter((record) => keyOf(record) === text)) }))
  const bySign = (sign: number, column: string) => (a: PlainRow, b: PlainRow) => {
    const [left, right] = [a[column] ?? null, b[column] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    if (typeof left === 'number') return sign * (left - Number(right))
    return sign * Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
  }
  const byOrder = bySign(direction === 'asc' ? 1 : -1, order!)
  const byKey = bySign(1, key)
  return rows.sort((a, b) => byOrder(a, b) || byKey(a, b)).slice(0, Number(limit))
}

/** `test.functions`: an empty function_id counts as absent. Percentiles are exact. */
export const functionGroups: Oracle = (records, params, nowUs) => {
  const values = (group: readonly TestRecord[]): PlainRow => {
    const times = group
      .map((record) => numberAt(record.metadata, ['execution_time_ms']))
      .filter((time) => time !== undefined)
      .sort((a, b) => a - b)
    const statuses = group.map((record) => numberAt(record.metadata, ['response', 'status_code']))
    const errors = statuses.filter((status) => status !== undefined && status >= 400).length
    return {
      count: group.length,
      error_count: errors,
      error_share: errors / group.length,
      min_execution_time: times[0] ?? null,
      max_execution_time: times.at(-1) ?? null,
      avg_execution_time: times.length === 0 ? null : exactMean(times),
      p95_execution_time: times[Math.ceil((95 * times.length) / 100) - 1] ?? null,
    }
  }
  const keyOf = (record: TestRecord) => textAt(record.metadata, ['function_id']) || null
  const order = params.order ?? 'p95_execution_time'
  const found = considered(records, 'function_edge_logs', params, nowUs)
  return rowsOf(found, 'function_id', keyOf, values, { ...params, order })
}

/** `test.urls`: the empty URL is a key. */
export const urlGroups: Oracle = (records, params, nowUs) => {
  const values = (group: readonly TestRecord[]): PlainRow => {
    const rest = group.filter((record) => textAt(record.metadata, ['request', 'path'])?.includes('/rest'))
    return { requests: group.length, rest_share: rest.length / group.length }
  }
  const keyOf = (record: TestRecord) => textAt(record.metadata, ['request', 'url']) ?? null
  const found = considered(records, 'edge_logs', params, nowUs)
  return rowsOf(found, 'url', keyOf, values, { ...params, order: params.order ?? 'requests' })
}

/** `test.paths`: the part of a URL after the host and before a query. */
export const pathGroups: Oracle = (records, params, nowUs) => {
  const keyOf = ({ metadata }: TestRecord) => {
    const withoutQuery = textAt(metadata, ['request', 'url'])?.split(/[?#]/)[0]
    if (withoutQuery === undefined) return null
    const behindScheme = withoutQuery.includes('://')
      ? withoutQuery.slice(withoutQuery.indexOf('://') + 3)
      : withoutQuery
    return behindScheme.includes('/') ? behindScheme.slice(behindScheme.indexOf('/')) : ''
  }
  const values = (group: readonly TestRecord[]): PlainRow => {
    const statuses = group.map((record) => numberAt(record.metadata, ['response', 'status_code']) ?? 0)
    return { requests: group.length, error_share: statuses.filter((status) => status >= 400).length / group.length }
  }
  const found = considered(records, 'edge_logs', params, nowUs)
  return rowsOf(found, 'url_path', keyOf, values, { order: 'requests' })
}
