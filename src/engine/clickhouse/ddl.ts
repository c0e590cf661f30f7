import { DAY_US } from '../../base/units.js'
import { SOURCE_NAMES, type SourceName } from '../../sources.js'
import { hotColumns } from '../columns.js'
import type { Server } from './clickhouse-server.js'
import { columnNameOf, shardTableName, type TableColumn, type TableLocation, tableColumns } from './table-names.js'
import { quoteName, textValue } from './values.js'

/** The first major version in which codecs, LowCardinality and table TTLs are all stable. */
const MODERN_MAJOR = 20
/** Servers that support a TTL delete rows older than this. */
export const TTL_DAYS = 90

/** A column of a table, with the codec that compresses it. */
interface StoredColumn extends TableColumn {
  codec?: string
}

/** The expected definition of a table. */
export interface TableDefinition {
  name: string
  columns: readonly StoredColumn[]
  engine: string
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
 * Returns the tables of all sources, in an order in which they can be created. The rows of a source are
 * sorted by project and time, one partition per UTC day. In a cluster each shard has such a table, and a
 * Distributed table over all shards.
 */
export function tables(location: TableLocation, dialect: Dialect): TableDefinition[] {
  return SOURCE_NAMES.flatMap((source) =>
    location.cluster === undefined
      ? [mergeTree(location, dialect, source, source)]
      : [mergeTree(location, dialect, source, shardTableName(source)), distributed(location, dialect, source)],
  )
}

/** Returns the statement that creates the database if it does not exist. */
export const createDatabase = ({ database }: TableLocation) => `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`

/** Returns all statements, as `logweir schema clickhouse` prints them. */
export function printSchema(location: TableLocation, dialect: Dialect): string {
  return [createDatabase(location), ...tables(location, dialect).map(({ ddl }) => ddl)]
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
  // All rows of a project are on one shard.
  const tail = `ENGINE = Distributed(${cluster}, ${database}, ${table}, sipHash64(project))`
  return define(location, source, storedColumns(source, { ...dialect, isModern: false }), 'Distributed', tail)
}

function define(
  { database }: TableLocation,
  name: string,
  columns: readonly StoredColumn[],
  engine: string,
  tail: string,
): TableDefinition {
  const lines = columns.map((column) => `  ${columnDdl(column)}`)
  const ddl = `CREATE TABLE IF NOT EXISTS ${quoteName(database)}.${name}\n(\n${lines.join(',\n')}\n)\n${tail}`
  return { name, columns, engine, ddl }
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

/** The result of {@link applySchema} on one server. */
export interface Applied {
  /** Names of the tables that were created. */
  created: string[]
  /** Existing tables that differ from their definition, which are not changed: one description each. */
  differing: string[]
}

/** Creates the database and the tables that are missing on one server. Rejects with a ServerError. */
export async function applySchema(server: Server, location: TableLocation): Promise<Applied> {
  const dialect = await askDialect(server)
  await server.command(createDatabase(location))
  const applied: Applied = { created: [], differing: [] }
  for (const table of tables(location, dialect)) {
    const difference = await differenceOf(server, location, table)
    if (difference === 'missing') {
      await server.command(table.ddl)
      applied.created.push(`${location.database}.${table.name}`)
    } else if (difference !== undefined) {
      applied.differing.push(`${location.database}.${table.name} ${difference}`)
    }
  }
  return applied
}

/** Queries the version of a server and returns its dialect. Rejects with a ServerError. */
export async function askDialect(server: Server): Promise<Dialect> {
  const [[version]] = (await server.select('SELECT version()')) as [[string]]
  return dialectOf(version)
}

/** Returns how a table on the server differs from its definition, or undefined. Additional columns do not matter. */
async function differenceOf(
  server: Server,
  { database }: TableLocation,
  { name, columns, engine }: TableDefinition,
): Promise<'missing' | string | undefined> {
  const where = `database = ${textValue(database)}`
  const named = (column: string) => `${where} AND ${column} = ${textValue(name)}`
  const [[found] = []] = await server.select(`SELECT engine FROM system.tables WHERE ${named('name')}`)
  if (found === undefined) return 'missing'
  if (!String(found).endsWith(engine)) return `has the engine ${found}, not ${engine}`
  const existing = await server.select(`SELECT name, type FROM system.columns WHERE ${named('table')}`)
  const typeOf = new Map(existing.map(([column, type]) => [String(column), String(type)]))
  const wrong = columns.find((column) => plain(typeOf.get(column.name)) !== plain(column.type))
  if (wrong === undefined) return undefined
  const type = typeOf.get(wrong.name)
  if (type === undefined) {
    const table = `${quoteName(database)}.${name}`
    return `lacks the column ${wrong.name}: ALTER TABLE ${table} ADD COLUMN ${wrong.name} ${wrong.type}`
  }
  return `has the column ${wrong.name} as ${type}, not ${wrong.type}`
}

/** Removes LowCardinality, which changes only how a table stores values. */
const plain = (type: string | undefined) => type?.replace(/^LowCardinality\((.*)\)$/, '$1')
