import { AREAS, type HotKind, hotColumns } from '../../engine/columns.js'
import type { FieldNames } from '../../field-names.js'
import { type ProjectPlace, SOURCES, type Source } from '../../sources.js'
import { FIELD } from './fields.js'
import type { Exports } from './instance.js'

/** Tells a new instance what it is to know of sources, columns and areas. */

/** The kinds of hot columns in the order of wasm/batch/columns.ts. */
const KINDS: readonly HotKind[] = ['category', 'text', 'number', 'areas']

const FIELD_OF_PLACE: Record<ProjectPlace, number> = {
  project: FIELD.project,
  'metadata.project': FIELD.metadata_project,
  'metadata.project_ref': FIELD.metadata_project_ref,
}

const FIELD_OF_HOT_COLUMN: Record<string, number> = {
  url: FIELD.url,
  path: FIELD.path,
  function_id: FIELD.function_id,
  execution_time_ms: FIELD.execution_time_ms,
  status_code: FIELD.status_code,
}

/** Lays out a lane for each source, in the order of SOURCES, and gives their addresses. */
export function addLanes(exports: Exports): number[] {
  return SOURCES.map(({ name, projectPlaces }) => {
    const [first, second, third] = projectPlaces.map((place) => FIELD_OF_PLACE[place])
    const lane = exports.addLane(first!, second!, third!)
    for (const column of hotColumns(name)) {
      exports.addColumn(lane, KINDS.indexOf(column.kind), FIELD_OF_HOT_COLUMN[column.name]!)
    }
    return lane
  })
}

/** Hands names over, each at the start of `bytes`. */
const putInto = (bytes: Uint8Array) => (text: string) => {
  const name = Buffer.from(text)
  bytes.set(name)
  return name.length
}

/** Gives the names of the fields that hold time and message, instead of those given before. */
export function setFieldNames(exports: Exports, bytes: Uint8Array, { time, message }: FieldNames): void {
  const put = putInto(bytes)
  exports.clearFieldNames()
  for (const name of time) exports.addTimeName(put(name))
  for (const name of message) exports.addMessageName(put(name))
}

/** Gives the names of sources and areas. */
export function addNames(exports: Exports, bytes: Uint8Array): void {
  const put = putInto(bytes)
  SOURCES.forEach(({ name, alias }, lane) => {
    exports.addName(lane, put(name))
    exports.addName(lane, put(alias))
  })
  for (const area of AREAS) exports.addArea(put(area))
}

/** The number of a source's lane; -1 for none. */
export const laneNumberOf = (source: Source | undefined): number =>
  source === undefined ? -1 : SOURCES.indexOf(source)
