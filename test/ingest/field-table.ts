/** The numbers of the field table by name, for tests that address fields, kinds and outcomes by strings. */
import { hotColumns } from '../../src/engine/columns.js'
import { metadataPaths } from '../../src/ingest/wasm/setup.js'
import * as table from '../../src/wasm-layout/field-table.js'
import * as outcomes from '../../src/wasm-layout/outcomes.js'

const { fieldAt } = metadataPaths(hotColumns)

/** Fields by name; the time and message fields by their default names. */
export const FIELD = {
  source: table.SOURCE,
  id: table.ID,
  project: table.PROJECT,
  metadata: table.METADATA_FIELD,
  metadata_project: fieldAt(['project']),
  metadata_project_ref: fieldAt(['project_ref']),
  function_id: fieldAt(['function_id']),
  execution_time_ms: fieldAt(['execution_time_ms']),
  status_code: fieldAt(['response', 'status_code']),
  url: fieldAt(['request', 'url']),
  path: fieldAt(['request', 'path']),
  timestamp: table.TIMES,
  event_message: table.MESSAGES,
  message: table.MESSAGES + 1,
} as const

export const KIND = {
  absent: table.ABSENT,
  string: table.STRING,
  escapedString: table.ESCAPED_STRING,
  number: table.NUMBER,
  object: table.OBJECT,
  arrayOfObjects: table.ARRAY_OF_OBJECTS,
  array: table.ARRAY,
  boolean: table.BOOLEAN,
} as const

export const OUTCOME = {
  ok: outcomes.OK,
  blank: outcomes.BLANK,
  invalidJson: outcomes.INVALID_JSON,
  notAnObject: outcomes.NOT_AN_OBJECT,
  tooDeep: outcomes.TOO_DEEP,
} as const

/** Returns the index of a field's kind within a row; start and end follow it. */
export const slotOf = (field: number): number => table.HEADER_INTS + table.FIELD_INTS * field
