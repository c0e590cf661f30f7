import type { SourceName } from '../../../common/sources.js'
import { type Server, ServerError } from '../server/clickhouse-server.js'
import { textValue } from '../server/values.js'
import { addColumns, createDatabase, type Dialect, dialectOf, type TableDefinition, tables } from './ddl.js'
import { quotedTable, type TableLocation } from './table-names.js'

/** The result of {@link applySchema} on a server. Tables are named with their database. */
export interface Applied {
  /** Names of the tables that were created. */
  created: string[]
  /** Existing tables that got the columns that an earlier version did not have: the columns and the table each. */
  added: string[]
  /** Existing tables that lack such columns, which were not added because `mayAdd` is false. */
  lacking: string[]
  /** Existing tables that differ from their definition, which are not changed. A description for each. */
  differing: string[]
}

/** The tables that are applied, all by default. */
export interface ApplyOptions {
  /** The own sources that have tables besides the nine. None by default. */
  ownSources?: readonly SourceName[]
  isWanted?(table: TableDefinition): boolean
  /** Whether existing tables get the columns that the tables lack. True by default. */
  mayAdd?: boolean
}

/** Returns a result without any table. */
export const nothingApplied = (): Applied => ({ created: [], added: [], lacking: [], differing: [] })

/**
 * Creates the database and the tables that are missing on a server, and adds the columns that tables of earlier
 * versions lack. Rejects with a ServerError.
 */
export async function applySchema(
  server: Server,
  location: TableLocation,
  { ownSources = [], isWanted = () => true, mayAdd = true }: ApplyOptions = {},
): Promise<Applied> {
  const dialect = await askDialect(server)
  await server.command(createDatabase(location))
  const applied = nothingApplied()
  for (const table of tables(location, dialect, ownSources).filter(isWanted)) {
    const name = `${location.database}.${table.name}`
    const existing = await existingTable(server, location, table.name)
    if (existing === undefined) {
      await server.command(table.ddl)
      applied.created.push(name)
      continue
    }
    const lacking = table.columns.filter((column) => column.isLater && !existing.typeOf.has(column.name))
    const difference = differenceOf(existing, table, location)
    if (difference !== undefined) applied.differing.push(`${name} ${difference}`)
    else if (lacking.length > 0 && !mayAdd) applied.lacking.push(name)
    else if (lacking.length > 0) {
      await add(server, location, { ...table, columns: lacking }, dialect)
      applied.added.push(`${lacking.map((column) => column.name).join(', ')} to ${name}`)
    }
  }
  return applied
}

/** Queries the version of a server. Rejects with a ServerError. */
export async function askVersion(server: Server): Promise<string> {
  const [[version]] = (await server.select('SELECT version()')) as [[string]]
  return version
}

/** Queries the version of a server and returns the dialect of the server. Rejects with a ServerError. */
export const askDialect = async (server: Server): Promise<Dialect> => dialectOf(await askVersion(server))

interface ExistingTable {
  engine: string
  /** The types of the table's columns, by name. */
  typeOf: ReadonlyMap<string, string>
}

async function existingTable(
  server: Server,
  { database }: TableLocation,
  name: string,
): Promise<ExistingTable | undefined> {
  const where = (column: string) => `WHERE database = ${textValue(database)} AND ${column} = ${textValue(name)}`
  const [[engine] = []] = await server.select(`SELECT engine FROM system.tables ${where('name')}`)
  if (engine === undefined) return undefined
  const columns = await server.select(`SELECT name, type FROM system.columns ${where('table')}`)
  return { engine: String(engine), typeOf: new Map(columns.map(([column, type]) => [String(column), String(type)])) }
}

/**
 * Returns how a table on the server differs from the definition, or undefined. Additional columns, and columns that can
 * be added, do not matter.
 */
function differenceOf(
  { engine: found, typeOf }: ExistingTable,
  { name, columns, engine }: TableDefinition,
  location: TableLocation,
): string | undefined {
  if (!found.endsWith(engine)) return `has the engine ${found}, not ${engine}`
  const wrong = columns.find(
    (column) => plain(typeOf.get(column.name)) !== plain(column.type) && (typeOf.has(column.name) || !column.isLater),
  )
  if (wrong === undefined) return undefined
  const type = typeOf.get(wrong.name)
  if (type === undefined) {
    const remedy = `ALTER TABLE ${quotedTable(location, name)} ADD COLUMN ${wrong.name} ${wrong.type}`
    return `lacks the column ${wrong.name}: ${remedy}`
  }
  return `has the column ${wrong.name} as ${type}, not ${wrong.type}`
}

/** Removes LowCardinality, which changes only how a table stores values. */
const plain = (type: string | undefined) => type?.replace(/^LowCardinality\((.*)\)$/, '$1')

/** Adds all columns of `table` at once. Columns that another process has added at the same time are no failure. */
async function add(
  server: Server,
  location: TableLocation,
  { name, columns }: TableDefinition,
  dialect: Dialect,
): Promise<void> {
  try {
    await server.command(addColumns(location, name, columns, dialect))
  } catch (error) {
    const now = error instanceof ServerError ? await existingTable(server, location, name) : undefined
    if (now === undefined || columns.some((column) => !now.typeOf.has(column.name))) throw error
  }
}
