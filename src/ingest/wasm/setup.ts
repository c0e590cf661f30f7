import { MIB } from '../../base/units.js'
import { AREAS, type HotColumn, type HotKind } from '../../common/columns.js'
import type { FieldNames } from '../../common/field-names.js'
import { acceptedSources, type ProjectPlace, SOURCES, type Source, type SourceName } from '../../common/sources.js'
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
 * Returns the paths to projects and to the hot columns of all sources. All sources share a trie, since the source of a
 * line may come after its metadata.
 */
export function metadataPaths(columnsOf: ColumnsOf): MetadataPaths {
  const projects = Object.values(PATH_OF_PLACE).filter((path) => path !== undefined)
  return createMetadataPaths([
    ...projects,
    ...acceptedSources().flatMap(({ name }) => columnsOf(name).map(({ path }) => path)),
  ])
}

/**
 * The most rows of a batch of an own source. Their batches are smaller than those of the nine: each source reserves
 * memory for a batch, and there may be many own sources.
 */
export const OWN_BATCH_ROWS = 8192
/** The bytes of such a batch. */
export const OWN_BATCH_BYTES = MIB

/** The limits of batches: a batch is full at this many rows or bytes. */
export interface BatchLimits {
  batchRows: number
  batchBytes: number
}

/** Creates a batch builder for each source, in the order of `acceptedSources`, and returns their addresses. */
export function addBuilders(
  exports: Exports,
  columnsOf: ColumnsOf,
  { fieldAt }: MetadataPaths,
  { batchRows, batchBytes }: BatchLimits,
): number[] {
  return acceptedSources().map(({ name, projectPlaces }, i) => {
    if (i === SOURCES.length) {
      exports.setBatchLimits(Math.min(batchRows, OWN_BATCH_ROWS), Math.min(batchBytes, OWN_BATCH_BYTES))
    }
    const [first, second, third] = projectPlaces.map((place) => {
      const path = PATH_OF_PLACE[place]
      return path === undefined ? field.PROJECT : fieldAt(path)
    })
    const builder = exports.addBuilder(first!, second!, third!)
    for (const { kind, path } of columnsOf(name)) exports.addColumn(builder, COLUMN_KIND[kind], fieldAt(path))
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

/** Registers the names of sources and areas, and the keys of paths. Overwrites the start of `bytes`. */
export function addNames(exports: Exports, bytes: Uint8Array, { keys }: MetadataPaths): void {
  const write = nameWriter(bytes)
  for (const { name, parent, field, context, first, count } of keys)
    exports.addPathKey(parent, write(name), field, context, first, count)
  acceptedSources().forEach(({ name, alias }, builder) => {
    exports.addSourceName(builder, write(name))
    if (alias !== undefined) exports.addSourceName(builder, write(alias))
  })
  for (const area of AREAS) exports.addArea(write(area))
}

/** Returns the number of a source's builder, -1 without a source. */
export const builderIndexOf = (source: Source | undefined): number =>
  source === undefined ? -1 : acceptedSources().indexOf(source)
