import type { Log } from '../../../base/log.js'
import type { SourceName } from '../../../common/sources.js'
import type { Server } from '../server/clickhouse-server.js'
import { textValue } from '../server/values.js'
import { type TableColumn, type TableLocation, tableColumns } from './table-names.js'

/** The columns that the tables on a server have. Tables of earlier versions lack some columns until an upgrade. */
export interface ExistingColumns {
  /**
   * Returns the columns of a source's table that an insert can name. Queries the server if the columns are unknown, or
   * some columns were missing a few seconds ago. Rejects with a ServerError.
   */
  of(source: SourceName): Promise<readonly TableColumn[]>
  /** Makes the next call for a source query the server. */
  forget(source: SourceName): void
}

/** How long a table is known to lack columns, before the server is queried again. */
export const LACKING_MS = 3_000

interface ExistingColumnsOptions {
  server: Server
  location: TableLocation
  /**
   * Called once, when the first table was found to lack columns, with the names of the table and of the lacking
   * columns.
   */
  onLacking?(table: string, columns: readonly string[]): void
  /** A clock, see `Clock`. */
  monotonicMs?(): number
}

/** Creates {@link ExistingColumns} without known columns. */
export function createExistingColumns(options: ExistingColumnsOptions): ExistingColumns {
  const { server, onLacking = () => {}, monotonicMs = () => performance.now() } = options
  const { database } = options.location
  let isReported = false
  const known = new Map<SourceName, { columns: readonly TableColumn[]; untilMs: number }>()
  return {
    async of(source) {
      const last = known.get(source)
      if (last !== undefined && monotonicMs() < last.untilMs) return last.columns
      const all = tableColumns(source)
      const where = `database = ${textValue(database)} AND table = ${textValue(source)}`
      const rows = await server.select(`SELECT name FROM system.columns WHERE ${where}`)
      const names = new Set(rows.map(([name]) => String(name)))
      // If there is no table, or the table lacks a column of the first version, the insert fails with the reason.
      const columns = names.size === 0 ? all : all.filter(({ name, isLater }) => !isLater || names.has(name))
      const isWhole = columns.length === all.length
      if (!isWhole && !isReported) {
        isReported = true
        const lacking = all.filter((column) => !columns.includes(column))
        onLacking(
          `${database}.${source}`,
          lacking.map(({ name }) => name),
        )
      }
      known.set(source, { columns, untilMs: isWhole ? Number.POSITIVE_INFINITY : monotonicMs() + LACKING_MS })
      return columns
    },
    forget(source) {
      known.delete(source)
    },
  }
}

/** Returns the observer that logs the effect of lacking columns, and the remedy. */
export const reportLacking = (log: Log) => (table: string, columns: readonly string[]) =>
  log(
    `tables of ClickHouse are of an earlier version: ${table} lacks ${columns.join(', ')}. Rows are stored without ` +
      'them, and queries that read them fail: logweir schema clickhouse --apply adds them.',
    { level: 'warn', code: 'clickhouse_columns_missing' },
  )
