/** The numbers of the field table by name, for tests that address fields, kinds and outcomes by strings. */
import * as table from '../../src/wasm-layout/field-table.js'
import * as outcomes from '../../src/wasm-layout/outcomes.js'

/** Fields by name; the time and message fields by their default names. */
export const FIELD = {
  source: table.SOURCE,
  id: table.ID,
  project: table.PROJECT,
  metadata: table.METADATA_FIELD,
  metadata_project: table.METADATA_PROJECT,
  metadata_project_ref: table.METADATA_PROJECT_REF,
  function_id: table.FUNCTION_ID,
  execution_time_ms: table.EXECUTION_TIME_MS,
  status_code: table.STATUS_CODE,
  url: table.URL,
  path: table.PATH,
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
