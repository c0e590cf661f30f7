import { DAY_US } from '../../../base/units.js'
import { hotColumns } from '../../../common/columns.js'
import { SOURCE_NAMES, type SourceName } from '../../../common/sources.js'
import { quoteName } from '../server/values.js'
import {
  columnNameOf,
  quotedTable,
  shardTableName,
  type TableColumn,
  type TableLocation,
  tableColumns,
} from './table-names.js'

/** The first major version in which codecs, LowCardinality and table TTLs are all stable. */
const MODERN_MAJOR = 20
/** Servers that support a TTL delete rows older than this. */
export const TTL_DAYS = 90

/** A column of a table, with the compression codec. */
export interface StoredColumn extends TableColumn {
  codec?: string
}

/** The expected definition of a table. */
export interface TableDefinition {
  name: string
  columns: readonly StoredColumn[]
  /** A table with another engine differs, except that the engine of rows may have a prefix, as ReplicatedMergeTree. */
  engine: 'MergeTree' | 'Distributed'
  ddl: string
}

/** The features of a server's SQL that the schema depends on. */
export interface Dialect {
  /** Whether codecs, LowCardinality and TTLs are used. */
  isModern: boolean
}

/** Returns the dialect of a server version. The oldest version that is tested is 18.16. */
export const dialectOf = (version: string): Dialect => ({ isModern: Number(version.split('.')[0]) >= MODERN_MAJOR })

/**
 * Returns the tables of the nine sources and of some own sources, in an order in which the tables can be created. The
 * rows of a source are sorted by project and time, with a partition for each UTC day. In a cluster each shard has such
 * a table, and a Distributed table over all shards.
 */
export function tables(
  location: TableLocation,
  dialect: Dialect,
  ownSources: readonly SourceName[] = [],
): TableDefinition[] {
  return [...SOURCE_NAMES, ...ownSources].flatMap((source) =>
    location.cluster === undefined
      ? [mergeTree(location, dialect, source, source)]
      : [mergeTree(location, dialect, source, shardTableName(source)), distributed(location, dialect, source)],
  )
}

/** Returns the statement that creates the database if the database does not exist. */
export const createDatabase = ({ database }: TableLocation) => `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`

/** Returns all statements, in the form that `logweir schema clickhouse` prints. */
export function printSchema(location: TableLocation, dialect: Dialect, ownSources: readonly SourceName[] = []): string {
  return [createDatabase(location), ...tables(location, dialect, ownSources).map(({ ddl }) => ddl)]
    .map((text) => `${text};\n`)
    .join('\n')
}

function mergeTree(location: TableLocation, dialect: Dialect, source: SourceName, name: string): TableDefinition {
  const columns = storedColumns(source, dialect)
  const ttl = dialect.isModern ? `\nTTL toDateTime(intDiv(timestamp, 1000000)) + INTERVAL ${TTL_DAYS} DAY` : ''
  const engine = 'MergeTree'
  const partition = `PARTITION BY intDiv(timestamp, toInt64(${DAY_US}))`
  const tail = `ENGINE = ${engine}\n${partition}\nORDER BY (project, timestamp)${ttl}`
  return define(location, name, columns, engine, tail)
}

function distributed(location: TableLocation, dialect: Dialect, source: SourceName): TableDefinition {
  const [cluster, database, table] = [location.cluster!, location.database, shardTableName(source)].map(quoteName)
  // All rows of a project are on the same shard.
  const tail = `ENGINE = Distributed(${cluster}, ${database}, ${table}, sipHash64(project))`
  return define(location, source, storedColumns(source, { ...dialect, isModern: false }), 'Distributed', tail)
}

function define(
  location: TableLocation,
  name: string,
  columns: readonly StoredColumn[],
  engine: TableDefinition['engine'],
  tail: string,
): TableDefinition {
  const lines = columns.map((column) => `  ${columnDdl(column)}`)
  const ddl = `CREATE TABLE IF NOT EXISTS ${quotedTable(location, name)}\n(\n${lines.join(',\n')}\n)\n${tail}`
  return { name, columns, engine, ddl }
}

/** Returns the statement that adds columns to an existing table. */
export function addColumns(
  location: TableLocation,
  name: string,
  columns: readonly StoredColumn[],
  { isModern }: Dialect,
): string {
  const add = `ADD COLUMN ${isModern ? 'IF NOT EXISTS ' : ''}`
  const list = columns.map((column) => `${add}${columnDdl(column)}`).join(', ')
  return `ALTER TABLE ${quotedTable(location, name)} ${list}`
}

function columnDdl({ name, type, default: value, codec }: StoredColumn): string {
  const end = [value === undefined ? '' : ` DEFAULT ${value}`, codec === undefined ? '' : ` CODEC(${codec})`]
  return `${name} ${type}${end.join('')}`
}

const CODECS: Readonly<Record<string, string>> = {
  timestamp: 'Delta, ZSTD(1)',
  arrived: 'Delta, ZSTD(1)',
  row: 'Delta, ZSTD(1)',
  event_message: 'ZSTD(1)',
  metadata: 'ZSTD(1)',
}

function storedColumns(source: SourceName, { isModern }: Dialect): StoredColumn[] {
  const columns = tableColumns(source)
  if (!isModern) return columns
  const categories = new Set(hotColumns(source).flatMap((hot) => (hot.kind === 'category' ? [columnNameOf(hot)] : [])))
  return columns.map((column) => {
    const type = categories.has(column.name) ? `LowCardinality(${column.type})` : column.type
    const codec = CODECS[column.name]
    return { ...column, type, ...(codec !== undefined && { codec }) }
  })
}
