import { AREAS, type HotKind, hotColumns } from '../../engine/columns.js'
import type { FieldNames } from '../../field-names.js'
import { type ProjectPlace, SOURCES, type Source } from '../../sources.js'
import * as column from '../../wasm-layout/batch.js'
import * as field from '../../wasm-layout/field-table.js'
import type { Exports } from './instance.js'

/** Registers sources, columns and areas in a new instance. */

const COLUMN_KIND: Record<HotKind, number> = {
  category: column.CATEGORY,
  text: column.TEXT,
  number: column.NUMBER,
  areas: column.AREAS,
}

const FIELD_OF_PLACE: Record<ProjectPlace, number> = {
  project: field.PROJECT,
  'metadata.project': field.METADATA_PROJECT,
  'metadata.project_ref': field.METADATA_PROJECT_REF,
}

const FIELD_OF_HOT_COLUMN: Record<string, number> = {
  url: field.URL,
  path: field.PATH,
  function_id: field.FUNCTION_ID,
  execution_time_ms: field.EXECUTION_TIME_MS,
  status_code: field.STATUS_CODE,
}

/** Creates a batch builder for each source, in the order of SOURCES, and returns their addresses. */
export function addBuilders(exports: Exports): number[] {
  return SOURCES.map(({ name, projectPlaces }) => {
    const [first, second, third] = projectPlaces.map((place) => FIELD_OF_PLACE[place])
    const builder = exports.addBuilder(first!, second!, third!)
    for (const hot of hotColumns(name))
      exports.addColumn(builder, COLUMN_KIND[hot.kind], FIELD_OF_HOT_COLUMN[hot.name]!)
    return builder
  })
}

/** Registers names, each written to the start of `bytes`. */
const nameWriter = (bytes: Uint8Array) => (text: string) => {
  const name = Buffer.from(text)
  bytes.set(name)
  return name.length
}

/** Replaces the names of the fields that contain time and message. Overwrites the start of `bytes`. */
export function setFieldNames(exports: Exports, bytes: Uint8Array, { time, message }: FieldNames): void {
  const write = nameWriter(bytes)
  exports.clearFieldNames()
  for (const name of time) exports.addTimeName(write(name))
  for (const name of message) exports.addMessageName(write(name))
}

/** Gives the names of sources and areas. */
export function addNames(exports: Exports, bytes: Uint8Array): void {
  const write = nameWriter(bytes)
  SOURCES.forEach(({ name, alias }, builder) => {
    exports.addSourceName(builder, write(name))
    exports.addSourceName(builder, write(alias))
  })
  for (const area of AREAS) exports.addArea(write(area))
}

/** Returns the number of a source's builder; -1 for none. */
export const builderIndexOf = (source: Source | undefined): number =>
  source === undefined ? -1 : SOURCES.indexOf(source)
