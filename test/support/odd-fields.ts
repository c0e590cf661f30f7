import type { SourceName } from '../../src/common/sources.js'
import type { TestRecord } from './records.js'

/**
 * Records with every kind of value in the fields that have separate columns, and the same values in other fields. The
 * directory in `test/fixtures` contains the records, and must be written again when the records change.
 */

/** The fields of CONTRACT-SQL.md, section 1, that have columns of their own. */
export const DECLARED_FIELDS: readonly (readonly [SourceName, string])[] = [
  ['edge_logs', 'request.method'],
  ['edge_logs', 'request.path'],
  ['edge_logs', 'request.url'],
  ['edge_logs', 'request.headers.user_agent'],
  ['edge_logs', 'response.status_code'],
  ['edge_logs', 'response.origin_time'],
  ['postgres_logs', 'parsed.error_severity'],
  ['postgres_logs', 'parsed.user_name'],
  ['postgres_logs', 'parsed.application_name'],
  ['postgres_logs', 'parsed.sql_state_code'],
  ['function_edge_logs', 'function_id'],
  ['function_edge_logs', 'execution_time_ms'],
  ['function_edge_logs', 'request.method'],
  ['function_edge_logs', 'response.status_code'],
  ['function_logs', 'function_id'],
  ['function_logs', 'level'],
  ['function_logs', 'event_type'],
  ['auth_logs', 'level'],
  ['auth_logs', 'status'],
  ['auth_logs', 'path'],
  ['auth_logs', 'method'],
  ['realtime_logs', 'level'],
  ['storage_logs', 'level'],
  ['postgrest_logs', 'level'],
  ['pgbouncer_logs', 'level'],
]

/** Values in their JSON spelling. Undefined for an absent value. */
const ODD_VALUES: readonly (string | undefined)[] = [
  '"GET"',
  '"POST"',
  '500',
  '200',
  '"500"',
  '"200"',
  '500.0',
  '5e2',
  '"5e2"',
  '1.50',
  '"1.50"',
  '-0',
  '9007199254740992',
  '9007199254740993',
  '"9007199254740993"',
  '-9223372036854775808',
  '9223372036854775807',
  '9223372036854775808',
  '123456789012345678901234567890',
  '1e400',
  'true',
  'false',
  '"true"',
  'null',
  undefined,
  '""',
  '" "',
  '"\\u0000"',
  '"\\u00e9\\ud83d\\ude00"',
  '"é😀"',
  '"\\ud800"',
  '"a\\"b\\\\c\\n"',
  '{}',
  '{"a": 1.0}',
  '{"a":1,"a":2}',
  '[]',
  '["GET"]',
  '[[500]]',
  '[{"x":1},{"x":2}]',
  '"2026-11-20T10:00:00Z"',
  '1795190400000000',
]

/** Where the same value is in a field without a column: `{"twin":{…}}`. */
export const TWIN = 'twin'

/** The forms in which shippers send the objects on the way to a value. */
type Wrap = (json: string) => string
const WRAPS: readonly Wrap[] = [
  (json) => json,
  (json) => `[${json}]`,
  (json) => `[ ${json} , {"level":"second"}]`,
  (json) => `[[${json}]]`,
  (json) => `[1,${json}]`,
]

function nested(keys: readonly string[], json: string, wrap: Wrap): string {
  const [key, ...others] = keys
  if (key === undefined) return json
  const inner = others.length === 0 ? json : wrap(nested(others, json, wrap))
  return `{${JSON.stringify(key)}:${inner}}`
}

const EPOCH_US = Date.UTC(2026, 10, 20, 10) * 1000
const HOUR_US = 3_600_000_000

/** Returns all records in order of arrival: for each field every value, in some forms. */
export function oddRecords(): TestRecord[] {
  const records: TestRecord[] = []
  for (const [source, path] of DECLARED_FIELDS) {
    const keys = path.split('.')
    for (const [i, value] of ODD_VALUES.entries()) {
      const wraps = keys.length > 1 && i % 5 === 0 ? WRAPS : WRAPS.slice(0, 1)
      for (const wrap of wraps) records.push(record(source, keys, value, wrap, records.length))
    }
  }
  return records
}

function record(
  source: SourceName,
  keys: readonly string[],
  value: string | undefined,
  wrap: Wrap,
  number: number,
): TestRecord {
  const own = value === undefined ? '{}' : nested(keys, value, wrap)
  const twin = wrap(own)
  const metadata = value === undefined ? '{}' : `${own.slice(0, -1)},"${TWIN}":${twin}}`
  return {
    source,
    id: `${number}`,
    timestampUs: EPOCH_US + (number % 50) * HOUR_US + number,
    project: ['a', 'a', 'b', null][number % 4]!,
    event_message: `${number % 7} | ${keys.join('.')}`,
    // A list of objects is metadata too. The first object counts.
    metadata: number % 6 === 0 ? `[${metadata}]` : metadata,
  }
}
