import { Dictionary, Field, Float64, Int32, Schema, TimestampMicrosecond, Uint8, Uint32, Utf8 } from 'apache-arrow'
import { SOURCE_NAMES, type SourceName } from './sources.js'

/**
 * The columns of each source: ingest fills columns, plans name columns or read fields from columns, engines store
 * columns.
 *
 * Queries test and aggregate hot columns. Cold columns are read only for the rows of an answer. Every source has
 * `timestamp`, `project` and the three cold columns. Some sources have further hot columns.
 */
export type HotKind =
  /** Text of few distinct values: dictionary codes. Null if absent. */
  | 'category'
  /** Text of many distinct values. Null if absent. */
  | 'text'
  /** A double. Null if absent. */
  | 'number'
  /** Bit set: bit i is set if the text contains `AREAS[i]`. 0 if absent. */
  | 'areas'

/** A column that queries filter or aggregate. */
export interface HotColumn {
  name: string
  kind: HotKind
  /** The keys that lead to the value in a record's metadata. */
  path: readonly string[]
  /**
   * Whether only fields read the column: the column is named by the path, and is no column of plans. Files, batches and
   * tables of ClickHouse that are older than the column lack the column.
   */
  isFieldOnly?: true
  /** Number columns only: files and batches older than the column lack the column, and have absent values. */
  isLater?: true
}

/** The API areas that `usage.api-counts` counts separately, each a substring of the request's path. */
export const AREAS = ['/rest', '/storage', '/auth', '/realtime'] as const

const NO_COLUMNS: readonly HotColumn[] = []

/** Returns the column of a declared field, given the keys with dots between them. */
function field(name: string, kind: HotKind): HotColumn {
  return { name, kind, path: name.split('.'), isFieldOnly: true }
}

/**
 * The columns of each source, a line for each column: a further line declares a field. Only append: the numbers of the
 * columns are stored, see `IN_METADATA`.
 */
const HOT_COLUMNS: Partial<Record<SourceName, readonly HotColumn[]>> = {
  edge_logs: [
    { name: 'url', kind: 'text', path: ['request', 'url'] },
    { name: 'path', kind: 'areas', path: ['request', 'path'] },
    { name: 'status_code', kind: 'number', path: ['response', 'status_code'], isLater: true },
    field('request.method', 'category'),
    field('request.path', 'text'),
    field('request.headers.user_agent', 'category'),
    field('response.origin_time', 'number'),
  ],
  postgres_logs: [
    field('parsed.error_severity', 'category'),
    field('parsed.user_name', 'category'),
    field('parsed.application_name', 'category'),
    field('parsed.sql_state_code', 'category'),
  ],
  function_edge_logs: [
    { name: 'function_id', kind: 'category', path: ['function_id'] },
    { name: 'execution_time_ms', kind: 'number', path: ['execution_time_ms'] },
    { name: 'status_code', kind: 'number', path: ['response', 'status_code'] },
    field('request.method', 'category'),
  ],
  function_logs: [field('function_id', 'category'), field('level', 'category'), field('event_type', 'category')],
  auth_logs: [
    field('level', 'category'),
    field('status', 'number'),
    field('path', 'category'),
    field('method', 'category'),
  ],
  realtime_logs: [field('level', 'category')],
  storage_logs: [field('level', 'category')],
}

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
  return HOT_COLUMNS[source] ?? NO_COLUMNS
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

/**
 * Returns the Arrow schema of a batch of a source: timestamp, project (dictionary, nullable), the source's hot columns
 * (nullable, except areas), in_metadata, id, event_message, metadata (JSON text).
 */
export function batchSchema(source: SourceName): Schema {
  return SCHEMAS.get(source)!
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

const SCHEMAS = new Map(SOURCE_NAMES.map((source) => [source, schemaOf(hotColumns(source))]))
