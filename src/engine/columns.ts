import { Dictionary, Field, Float64, Int32, Schema, TimestampMicrosecond, Uint8, Utf8 } from 'apache-arrow'
import { SOURCE_NAMES, type SourceName } from '../sources.js'

/**
 * The columns of each source: what ingest fills, what a plan may name, what an engine keeps.
 *
 * Hot columns are what the queries test and aggregate; cold columns are read for the rows of an answer only.
 * Every source has `timestamp` and `project`, and the three cold columns; a few have hot columns of their own.
 */
export type HotKind =
  /** Text of few distinct values: dictionary codes. Null where absent. */
  | 'category'
  /** Text of many distinct values. Null where absent. */
  | 'text'
  /** A double. Null where absent. */
  | 'number'
  /** Which of {@link AREAS} the text holds: one bit each, bit 0 first. 0 where absent. */
  | 'areas'

export interface HotColumn {
  name: string
  kind: HotKind
  /** Where the value lies in a record's metadata. */
  path: readonly string[]
  /** Of a number: there are files that were written before the source had it, in which it is absent. Such come last. */
  isLater?: true
}

/** The parts of the platform that `usage.api-counts` tells apart by a request's path. */
export const AREAS = ['/rest', '/storage', '/auth', '/realtime'] as const

const NO_COLUMNS: readonly HotColumn[] = []

const HOT_COLUMNS: Partial<Record<SourceName, readonly HotColumn[]>> = {
  edge_logs: [
    { name: 'url', kind: 'text', path: ['request', 'url'] },
    { name: 'path', kind: 'areas', path: ['request', 'path'] },
    { name: 'status_code', kind: 'number', path: ['response', 'status_code'], isLater: true },
  ],
  function_edge_logs: [
    { name: 'function_id', kind: 'category', path: ['function_id'] },
    { name: 'execution_time_ms', kind: 'number', path: ['execution_time_ms'] },
    { name: 'status_code', kind: 'number', path: ['response', 'status_code'] },
  ],
}

export const COLD_COLUMNS = ['id', 'event_message', 'metadata'] as const
export type ColdColumn = (typeof COLD_COLUMNS)[number]

/** The hot columns of a source besides `timestamp` and `project`, in the order of its Arrow schema. */
export function hotColumns(source: SourceName): readonly HotColumn[] {
  return HOT_COLUMNS[source] ?? NO_COLUMNS
}

/** What rows can be grouped by: the texts of a hot column, or the path in each. */
export interface GroupingKey {
  column: string
  part: 'whole' | 'path'
  /** Of a category an empty text stands for an absent one. */
  hasEmptyTexts: boolean
}

/**
 * The key of a name: that of a hot column of texts, or `url_path`, the path in a URL: from the first slash behind the host
 * up to a `?` or `#`, empty where there is none. Throws a TypeError for any other: a defect of the plan.
 */
export function groupingKey(source: SourceName, name: string): GroupingKey {
  const keys = new Map<string, GroupingKey>()
  for (const { name: column, kind } of hotColumns(source)) {
    if (kind !== 'category' && kind !== 'text') continue
    keys.set(column, { column, part: 'whole', hasEmptyTexts: kind === 'text' })
    if (column === 'url') keys.set('url_path', { column, part: 'path', hasEmptyTexts: true })
  }
  const key = keys.get(name)
  if (key !== undefined) return key
  const choice = keys.size === 0 ? 'nothing' : [...keys.keys()].join(' or ')
  throw new TypeError(`The rows of ${source} cannot be grouped by ${name}, but by ${choice}.`)
}

const dictionaryOfText = (id: number) => new Dictionary(new Utf8(), new Int32(), id)

function arrowType(kind: HotKind, dictionaryId: number) {
  if (kind === 'category') return dictionaryOfText(dictionaryId)
  if (kind === 'text') return new Utf8()
  return kind === 'number' ? new Float64() : new Uint8()
}

/**
 * The Arrow schema of a batch of one source:
 * timestamp, project (dictionary, nullable), its own hot columns (nullable), id, event_message, metadata (JSON text).
 */
export function batchSchema(source: SourceName): Schema {
  return SCHEMAS.get(source)!
}

function makeSchema(source: SourceName): Schema {
  return new Schema([
    new Field('timestamp', new TimestampMicrosecond('UTC'), false),
    new Field('project', dictionaryOfText(0), true),
    ...hotColumns(source).map(
      (column, i) => new Field(column.name, arrowType(column.kind, i + 1), column.kind !== 'areas'),
    ),
    ...COLD_COLUMNS.map((name) => new Field(name, new Utf8(), false)),
  ])
}

const SCHEMAS = new Map(SOURCE_NAMES.map((source) => [source, makeSchema(source)]))
