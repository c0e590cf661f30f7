import { askedOf, fieldOf, isAbsent, matching } from './explore.js'
import type { Oracle, PlainRow } from './oracle.js'
import { groupBy } from './time.js'

const SAMPLE_ROWS = 2_000

const DECLARED: Record<string, readonly string[]> = {
  edge_logs: [
    ...['request.url', 'request.path', 'response.status_code', 'request.method'],
    ...['request.headers.user_agent', 'response.origin_time'],
  ],
  function_edge_logs: ['function_id', 'execution_time_ms', 'response.status_code', 'request.method'],
  auth_logs: ['level', 'status', 'path', 'method'],
  postgres_logs: ['parsed.error_severity', 'parsed.user_name', 'parsed.application_name', 'parsed.sql_state_code'],
}

const COLUMNS = ['id', 'timestamp', 'event_message', 'project']

/** The paths of the fields in a value, which is that of the field at `keys`. */
function pathsIn(value: unknown, keys: readonly string[] = []): string[][] {
  const inner = Array.isArray(value) ? value[0] : value
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
  if (isObject && keys.length < 8) return Object.entries(inner).flatMap(([key, one]) => pathsIn(one, [...keys, key]))
  return isAbsent(value) || keys.length === 0 ? [] : [[...keys]]
}

function nameOf(keys: readonly string[]): string {
  const name = keys.join('.')
  if (keys.some((key) => key === '' || key.includes('.'))) return JSON.stringify(keys)
  return COLUMNS.includes(name) || keys[0] === 'metadata' ? `metadata.${name}` : name
}

/**
 * The row of a field, with its `most` most frequent values. The field has the values `values` in `rows` examined rows.
 */
function rowOf(field: string, values: readonly unknown[], most: number, rows: number, isSample: boolean): PlainRow {
  const groups = [...groupBy(values, (value) => JSON.stringify(value))].map(([json, all]) => ({ json, n: all.length }))
  const listed = groups.filter(({ json }) => !/^[[{]/.test(json) && (json[0] !== '"' || JSON.parse(json).length <= 200))
  const top = listed.sort((a, b) => b.n - a.n || (a.json < b.json ? -1 : 1)).slice(0, most)
  return {
    field,
    count: values.length,
    values: { json: `[${top.map(({ json, n }) => `{"value":${json},"count":${n}}`).join(',')}]` },
    distinct: groups.length,
    rows,
    is_sample: isSample,
  }
}

/** The fields of the newest rows of a request, or the values of a single field in all rows. */
export const logsFields: Oracle = (records, params, nowUs) => {
  const asked = askedOf(params, nowUs)
  const found = matching(records, asked)
  const { field } = params
  if (field) {
    const isColumn = COLUMNS.includes(field)
    const keys = field.startsWith('[') ? JSON.parse(field) : field.replace(/^metadata\./, '').split('.')
    const values = found.map((record) => fieldOf(record, isColumn ? field : keys)).filter((value) => value !== null)
    return [rowOf(isColumn ? field : nameOf(keys), values, 50, found.length, false)]
  }
  const sample = found
    .toReversed()
    .sort((a, b) => b.timestampUs - a.timestampUs)
    .slice(0, SAMPLE_ROWS)
  const paths = new Map(
    sample.flatMap(({ metadata }) => pathsIn(JSON.parse(metadata)).map((keys) => [nameOf(keys), keys])),
  )
  const rows = [...paths].map(([name, keys]) => {
    const values = sample.map((record) => fieldOf(record, keys)).filter((value) => value !== null)
    return rowOf(name, values, 10, sample.length, found.length > sample.length)
  })
  const declared = DECLARED[asked.source] ?? []
  const placeOf = ({ field }: PlainRow) => {
    const place = declared.indexOf(String(field))
    return place < 0 ? declared.length : place
  }
  const byCount = (a: PlainRow, b: PlainRow) => Number(b.count) - Number(a.count) || (a.field! < b.field! ? -1 : 1)
  return rows.sort((a, b) => placeOf(a) - placeOf(b) || byCount(a, b)).slice(0, 300)
}
