import { isSourceName, MAX_OWN_SOURCES } from '../../../common/own-source-names.js'
import {
  acceptedSources,
  findSource,
  HISTORY_SOURCE,
  ownSourceNames,
  type SourceName,
} from '../../../common/sources.js'
import { canHaveTable } from '../../../common/table-names.js'
import type { SelectOptions, Server } from '../server/clickhouse-server.js'
import { textValue } from '../server/values.js'
import { type TableLocation, tableColumns } from './table-names.js'

/** The tables of sources in a database. */
export interface SourceTables {
  /** The sources that have no table, of those that ingest accepts, and of the history of alerts. */
  missing: readonly SourceName[]
  /**
   * The own sources that have a table and are not configured, sorted: with the configured sources at most
   * {@link MAX_OWN_SOURCES}.
   */
  unconfigured: readonly SourceName[]
}

/** The columns of the table of any own source, which has no declared fields. The tables of the nine have them too. */
const COLUMNS = tableColumns('own')

/**
 * Looks for the tables of sources. Other tables of the database do not count: their names are no names of sources, or
 * the tables lack columns that the table of an own source has. Rejects with a ServerError.
 */
export async function findSourceTables(
  server: Server,
  { database }: TableLocation,
  options?: Pick<SelectOptions, 'deadlineMs'>,
): Promise<SourceTables> {
  const names = COLUMNS.map(({ name }) => textValue(name)).join(', ')
  const where = `database = ${textValue(database)} AND name IN (${names})`
  const rows = await server.select(`SELECT table, name, type FROM system.columns WHERE ${where}`, options)
  const found = new Set(rows.map(([table]) => String(table)))
  const columns = new Set(rows.map((cells) => cells.join(' ')))
  // A service with alerts writes their history.
  const history = findSource(HISTORY_SOURCE) === undefined ? [] : [HISTORY_SOURCE]
  const accepted = [...acceptedSources().map(({ name }) => name), ...history]
  const isUnconfigured = (name: string) =>
    !accepted.includes(name) &&
    isSourceName(name) &&
    canHaveTable(name) &&
    COLUMNS.every((column) => columns.has(`${name} ${column.name} ${column.type}`))
  return {
    missing: accepted.filter((name) => !found.has(name)),
    unconfigured: [...found]
      .filter(isUnconfigured)
      .sort()
      .slice(0, MAX_OWN_SOURCES - ownSourceNames().length),
  }
}
