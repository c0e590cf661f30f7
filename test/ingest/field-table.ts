/** The numbers of the field table by name, for tests that address fields, kinds and outcomes by strings. */
import { hotColumns } from '../../src/common/columns.js'
import { SOURCE_NAMES } from '../../src/common/sources.js'
import { metadataPaths } from '../../src/ingest/wasm/setup.js'
import * as table from '../../src/wasm-layout/field-table.js'
import * as outcomes from '../../src/wasm-layout/outcomes.js'

const { fieldAt } = metadataPaths(hotColumns)

/** The paths to fields of the metadata, each once. */
export const METADATA_PATHS: readonly (readonly string[])[] = [
  ...new Map(
    [['project'], ['project_ref'], ...SOURCE_NAMES.flatMap((source) => hotColumns(source).map(({ path }) => path))].map(
      (path) => [path.join('.'), path],
    ),
  ).values(),
]

/** Fields by name: times and messages by the default names, fields of the metadata by `metadata.` and path. */
export const FIELD: Readonly<Record<string, number>> = {
  source: table.SOURCE,
  id: table.ID,
  project: table.PROJECT,
  metadata: table.METADATA_FIELD,
  timestamp: table.TIMES,
  event_message: table.MESSAGES,
  message: table.MESSAGES + 1,
  ...Object.fromEntries(METADATA_PATHS.map((path) => [`metadata.${path.join('.')}`, fieldAt(path)])),
}

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

/** Returns the index of a field's kind within a row. Start and end follow the kind. */
export const slotOf = (field: number): number => table.HEADER_INTS + table.FIELD_INTS * field
