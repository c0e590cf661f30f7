import { DAY_US } from '../../base/units.js'
import { SOURCE_NAMES, type SourceName } from '../../sources.js'
import type { Server } from './server.js'
import { shardTableName, type TableColumn, type TableLocation, tableColumns } from './table-names.js'
import { quoteName, textValue } from './values.js'

/** The first major version whose servers know codecs, LowCardinality and a TTL for tables, all of them stable. */
const MODERN_MAJOR = 20
/** Rows older than this go, where the server knows a TTL. */
export const TTL_DAYS = 90

/** A table as it is to be. */
export interface TableDefinition {
  name: string
  columns: readonly TableColumn[]
  engine: string
  ddl: string
}

/** What a server knows. */
export interface Dialect {
  isModern: boolean
}

/** The oldest that is known to work has version 18.16. */
export const dialectOf = (version: string): Dialect => ({ isModern: Number(version.split('.')[0]) >= MODERN_MAJOR })

/**
 * The tables of all sources, in the order in which they can be made: rows of a source sorted by project and time, a
 * partition a UTC day; on a cluster each shard has such a table, and one over those of all shards.
 */
export function tables(location: TableLocation, dialect: Dialect): TableDefinition[] {
  return SOURCE_NAMES.flatMap((source) =>
    location.cluster === undefined
      ? [mergeTree(location, dialect, source, source)]
      : [mergeTree(location, dialect, source, shardTableName(source)), distributed(location, dialect, source)],
  )
}

export const createDatabase = ({ database }: TableLocation) => `CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`

/** All statements, as `logweir schema clickhouse` prints them. */
export function printSchema(location: TableLocation, dialect: Dialect): string {
  return [createDatabase(location), ...tables(location, dialect).map(({ ddl }) => ddl)]
    .map((text) => `${text};\n`)
    .join('\n')
}

function mergeTree(location: TableLocation, dialect: Dialect, source: SourceName, name: string): TableDefinition {
  const columns = storedColumns(source, dialect)
  const ttl = dialect.isModern ? `\nTTL toDateTime(intDiv(timestamp, 1000000)) + INTERVAL ${TTL_DAYS} DAY` : ''
  const engine = 'MergeTree'
  const tail = `ENGINE = ${engine}\nPARTITION BY intDiv(timestamp, toInt64(${DAY_US}))\nORDER BY (project, timestamp)${ttl}`
  return define(location, name, columns, engine, tail)
}

function distributed(location: TableLocation, dialect: Dialect, source: SourceName): TableDefinition {
  const [cluster, database, table] = [location.cluster!, location.database, shardTableName(source)].map(quoteName)
  // All rows of a project lie on one shard.
  const tail = `ENGINE = Distributed(${cluster}, ${database}, ${table}, sipHash64(project))`
  return define(location, source, storedColumns(source, { ...dialect, isModern: false }), 'Distributed', tail)
}

function define(
  { database }: TableLocation,
  name: string,
  columns: readonly (TableColumn & { codec?: string })[],
  engine: string,
  tail: string,
): TableDefinition {
  const lines = columns.map(
    ({ name, type, codec }) => `  ${name} ${type}${codec === undefined ? '' : ` CODEC(${codec})`}`,
  )
  const ddl = `CREATE TABLE IF NOT EXISTS ${quoteName(database)}.${name}\n(\n${lines.join(',\n')}\n)\n${tail}`
  return { name, columns: columns.map(({ name, type }) => ({ name, type })), engine, ddl }
}

const CODECS: Readonly<Record<string, string>> = {
  timestamp: 'Delta, ZSTD(1)',
  arrived: 'Delta, ZSTD(1)',
  row: 'Delta, ZSTD(1)',
  event_message: 'ZSTD(1)',
  metadata: 'ZSTD(1)',
}

function storedColumns(source: SourceName, { isModern }: Dialect): (TableColumn & { codec?: string })[] {
  const columns = tableColumns(source)
  if (!isModern) return columns
  return columns.map(({ name, type }) => {
    const stored = name === 'function_id' ? `LowCardinality(${type})` : type
    const codec = CODECS[name]
    return codec === undefined ? { name, type: stored } : { name, type: stored, codec }
  })
}

export interface Applied {
  created: string[]
  /** Tables that are there, but not as they are to be; nothing of them was changed. One line each. */
  differing: string[]
}

/** Creates what is missing on one server. Rejects with a ServerError. */
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

export async function askDialect(server: Server): Promise<Dialect> {
  const [[version]] = (await server.select('SELECT version()')) as [[string]]
  return dialectOf(version)
}

/** In what a table that is there differs; undefined where in nothing that matters. */
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
  const there = await server.select(`SELECT name, type FROM system.columns WHERE ${named('table')}`)
  const typeOf = new Map(there.map(([column, type]) => [String(column), String(type)]))
  const wrong = columns.find((column) => plain(typeOf.get(column.name)) !== plain(column.type))
  if (wrong === undefined) return undefined
  const type = typeOf.get(wrong.name)
  if (type === undefined) {
    return `lacks the column ${wrong.name}: ALTER TABLE ${quoteName(database)}.${name} ADD COLUMN ${wrong.name} ${wrong.type}`
  }
  return `has the column ${wrong.name} as ${type}, not ${wrong.type}`
}

/** Whether values are kept once is the table's own matter. */
const plain = (type: string | undefined) => type?.replace(/^LowCardinality\((.*)\)$/, '$1')
