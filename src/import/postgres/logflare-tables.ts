import type { Connection } from './connection.js'
import { noSources } from './errors.js'

/** A table of log events: a table for each source of Logflare. */
export interface LogTable {
  /** As in the schema: `log_events_` and the source's token, with `_` for `-`. */
  name: string
  /** The name of the source, as sent by Vector. Undefined if no source has such a token. */
  source: string | undefined
}

/** Returns a name as an identifier of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Returns the tables of log events in a schema, by name. Throws `failed` if it is not a schema of Logflare. */
export async function listTables({ read, place }: Connection, schema: string): Promise<LogTable[]> {
  const listed = await read('SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = $1 ORDER BY 1', [schema])
  const names = listed.map(([name]) => name as string)
  if (!names.includes('sources')) throw noSources(schema, place)
  const sources = await read(
    `SELECT 'log_events_' || replace(token::text, '-', '_'), name FROM ${quoted(schema)}.sources`,
  )
  const byTable = new Map(sources as [string, string][])
  return names.filter((name) => name.startsWith('log_events_')).map((name) => ({ name, source: byTable.get(name) }))
}
