import { AREAS, type HotColumn, type HotKind } from '../../common/columns.js'
import type { FieldNames } from '../../common/field-names.js'
import { type ProjectPlace, SOURCES, type SourceName } from '../../common/sources.js'
import * as column from '../../wasm-layout/batch.js'
import * as field from '../../wasm-layout/field-table.js'
import type { Exports } from './instance.js'
import { createMetadataPaths, type MetadataPaths, type Path } from './metadata-paths.js'

/** Registers sources, columns, paths and areas in a new instance. */

const COLUMN_KIND: Record<HotKind, number> = {
  category: column.CATEGORY,
  text: column.TEXT,
  number: column.NUMBER,
  areas: column.AREAS,
}

/** Where the metadata contains a project. Undefined for the project of the record itself. */
const PATH_OF_PLACE: Record<ProjectPlace, Path | undefined> = {
  project: undefined,
  'metadata.project': ['project'],
  'metadata.project_ref': ['project_ref'],
}

/** Returns the hot columns of a source. */
export type ColumnsOf = (source: SourceName) => readonly HotColumn[]

/**
 * Returns the paths to projects and to the hot columns of the nine sources. All sources share a trie, since the source
 * of a line may come after its metadata.
 */
export function metadataPaths(columnsOf: ColumnsOf): MetadataPaths {
  const projects = Object.values(PATH_OF_PLACE).filter((path) => path !== undefined)
  return createMetadataPaths([...projects, ...SOURCES.flatMap(({ name }) => columnsOf(name).map(({ path }) => path))])
}

/** Adds batch builders for each of the nine sources, in their order, and returns their addresses. */
export const addBuilders = (exports: Exports, columnsOf: ColumnsOf, { fieldAt }: MetadataPaths): number[] =>
  SOURCES.map((source) => {
    const builder = addBuilder(exports, source.projectPlaces, fieldAt)
    for (const { kind, path } of columnsOf(source.name)) exports.addColumn(builder, COLUMN_KIND[kind], fieldAt(path))
    return builder
  })

/** Adds a batch builder without hot columns for records with these places of the project. Returns its address. */
export function addBuilder(
  exports: Exports,
  projectPlaces: readonly ProjectPlace[],
  fieldAt: MetadataPaths['fieldAt'],
): number {
  const [first, second, third] = projectPlaces.map((place) => {
    const path = PATH_OF_PLACE[place]
    return path === undefined ? field.PROJECT : fieldAt(path)
  })
  return exports.addBuilder(first!, second!, third!)
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

/** Registers the names of sources and areas, and the keys of paths. Overwrites the start of `bytes`. */
export function addNames(exports: Exports, bytes: Uint8Array, { keys }: MetadataPaths): void {
  const write = nameWriter(bytes)
  for (const { name, parent, field, context, first, count } of keys)
    exports.addPathKey(parent, write(name), field, context, first, count)
  SOURCES.forEach(({ name, alias }, builder) => {
    for (const one of [name, alias]) exports.addSourceName(builder, write(one))
  })
  for (const area of AREAS) exports.addArea(write(area))
}
