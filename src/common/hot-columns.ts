import type { BuiltInSource, SourceName } from './sources.js'

/**
 * The columns of each source: ingest fills columns, plans name columns or read fields from columns, engines store
 * columns.
 *
 * Queries test and aggregate hot columns. Cold columns are read only for the rows of an answer. Every source has
 * `timestamp`, `project` and the three cold columns. Some sources have further hot columns.
 */
type ColumnKind =
  /** Text of few distinct values: dictionary codes. Null if absent. */
  | 'category'
  /** Text of many distinct values. Null if absent. */
  | 'text'
  /** A double. Null if absent. */
  | 'number'
  /** Bit set: bit i is set if the text contains `AREAS[i]`. 0 if absent. */
  | 'areas'

/** A column that queries filter or aggregate. */
export interface DeclaredColumn {
  name: string
  kind: ColumnKind
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

/** Returns the column of a declared field, given the keys with dots between them. */
function field(name: string, kind: ColumnKind): DeclaredColumn {
  return { name, kind, path: name.split('.'), isFieldOnly: true }
}

/**
 * The columns of each source, a line for each column: a further line declares a field. Only append: the numbers of the
 * columns are stored, see `IN_METADATA` in `columns.ts`.
 */
const HOT_COLUMNS: Partial<Record<BuiltInSource, readonly DeclaredColumn[]>> = {
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

// A map, since an own source may be named `constructor`.
const BY_SOURCE = new Map<SourceName, readonly DeclaredColumn[]>(Object.entries(HOT_COLUMNS))
const NO_COLUMNS: readonly DeclaredColumn[] = []

/** Returns the declared columns of a source. Own sources have none. */
export const declaredColumns = (source: SourceName): readonly DeclaredColumn[] => BY_SOURCE.get(source) ?? NO_COLUMNS

/** Returns the declared fields of a source, with dots between the keys. Queries read the fields from columns. */
export const declaredFields = (source: SourceName): readonly string[] => [
  ...new Set(declaredColumns(source).map(({ path }) => path.join('.'))),
]
