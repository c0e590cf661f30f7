import { AREAS, type HotKind, hotColumns } from '../engine/schema.js'
import { type ProjectPlace, SOURCES, type Source } from '../sources.js'
import { FIELD } from './fields.js'
import type { Exports } from './wasm.js'

/** Tells a new instance what it is to know of sources, columns and areas. */

/** The kinds of hot columns in the order of assembly/batch/columns.ts. */
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

/** Gives the names of sources and areas, each of which is handed over at the start of `bytes`. */
export function addNames(exports: Exports, bytes: Uint8Array): void {
  const put = (text: string) => {
    bytes.set(Buffer.from(text))
    return text.length
  }
  SOURCES.forEach(({ name, alias }, lane) => {
    exports.addName(lane, put(name))
    exports.addName(lane, put(alias))
  })
  for (const area of AREAS) exports.addArea(put(area))
}

/** The number of a source's lane; -1 for none. */
export const laneNumberOf = (source: Source | undefined): number =>
  source === undefined ? -1 : SOURCES.indexOf(source)
