/** The columns of batches, and their Arrow schema. */
import { Dictionary, Field, Float64, Int32, Schema, TimestampMicrosecond, Uint8, Uint32, Utf8 } from 'apache-arrow'
import { type DeclaredColumn, declaredColumns } from './hot-columns.js'
import type { SourceName } from './sources.js'

/** A column that queries filter or aggregate. */
export type HotColumn = DeclaredColumn
/** The kind of a hot column. */
export type HotKind = HotColumn['kind']

/** The API areas that `usage.api-counts` counts separately, each a substring of the request's path. */
export const AREAS = ['/rest', '/storage', '/auth', '/realtime'] as const

/**
 * Name of the last hot column of every batch: a bit set for each row. Bit i is set if the value of hot column i is not
 * held there and must be read from the metadata: a value of another type, or an integer spelled with 16 or more digits.
 * An absent value, and a number beyond the range of doubles, is null and sets no bit.
 */
export const IN_METADATA = 'in_metadata'
/** The bit set of rows that were stored without the column: their metadata decides. */
export const ALL_IN_METADATA = 0xffff_ffff

/** The columns that are read only for the rows of an answer, in schema order. All are texts and never null. */
export const COLD_COLUMNS = ['id', 'event_message', 'metadata'] as const
/** The name of a cold column. */
export type ColdColumn = (typeof COLD_COLUMNS)[number]

/** The hot columns of a source besides `timestamp` and `project`, in the order of the Arrow schema. */
export function hotColumns(source: SourceName): readonly HotColumn[] {
  return declaredColumns(source)
}

/** The hot columns that plans name, in the order of {@link hotColumns}. */
export function planColumns(source: SourceName): readonly HotColumn[] {
  return hotColumns(source).filter(({ isFieldOnly }) => !isFieldOnly)
}

const dictionaryOfText = (id: number) => new Dictionary(new Utf8(), new Int32(), id)

function arrowType(kind: HotKind, dictionaryId: number) {
  if (kind === 'category') return dictionaryOfText(dictionaryId)
  if (kind === 'text') return new Utf8()
  return kind === 'number' ? new Float64() : new Uint8()
}

const schemas = new Map<SourceName, Schema>()

/**
 * Returns the Arrow schema of a batch of a source: timestamp, project (dictionary, nullable), the source's hot columns
 * (nullable, except areas), in_metadata, id, event_message, metadata (JSON text).
 */
export function batchSchema(source: SourceName): Schema {
  const existing = schemas.get(source)
  if (existing !== undefined) return existing
  const schema = schemaOf(hotColumns(source))
  schemas.set(source, schema)
  return schema
}

/** Returns the schema of batches with these hot columns. */
export function schemaOf(hot: readonly HotColumn[]): Schema {
  return new Schema([
    new Field('timestamp', new TimestampMicrosecond('UTC'), false),
    new Field('project', dictionaryOfText(0), true),
    ...hot.map((column, i) => new Field(column.name, arrowType(column.kind, i + 1), column.kind !== 'areas')),
    new Field(IN_METADATA, new Uint32(), false),
    ...COLD_COLUMNS.map((name) => new Field(name, new Utf8(), false)),
  ])
}
