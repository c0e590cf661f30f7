import type { SourceName } from '../../sources.js'
import type { Server } from './clickhouse-server.js'
import { type TableColumn, type TableLocation, tableColumns } from './table-names.js'
import { textValue } from './values.js'

/** The columns that the tables on a server have: those of earlier versions lack some until they are upgraded. */
export interface ExistingColumns {
  /**
   * Returns the columns of a source's table that an insert can name. Queries the server if it does not know them, or
   * some were missing a few seconds ago. Rejects with a ServerError.
   */
  of(source: SourceName): Promise<readonly TableColumn[]>
  /** Makes the next call for a source query the server. */
  forget(source: SourceName): void
}

/** How long a table is known to lack columns, before the server is queried again. */
const LACKING_MS = 3_000

/** Creates {@link ExistingColumns} that knows none yet. `monotonicMs` is a clock, see `Clock`. */
export function createExistingColumns(
  server: Server,
  { database }: TableLocation,
  monotonicMs: () => number = () => performance.now(),
): ExistingColumns {
  const known = new Map<SourceName, { columns: readonly TableColumn[]; untilMs: number }>()
  return {
    async of(source) {
      const last = known.get(source)
      if (last !== undefined && monotonicMs() < last.untilMs) return last.columns
      const all = tableColumns(source)
      const where = `database = ${textValue(database)} AND table = ${textValue(source)}`
      const rows = await server.select(`SELECT name FROM system.columns WHERE ${where}`)
      const names = new Set(rows.map(([name]) => String(name)))
      // If there is no table, or it lacks a column that it always had, the insert fails with the reason.
      const columns = names.size === 0 ? all : all.filter(({ name, isLater }) => !isLater || names.has(name))
      const isWhole = columns.length === all.length
      known.set(source, { columns, untilMs: isWhole ? Number.POSITIVE_INFINITY : monotonicMs() + LACKING_MS })
      return columns
    },
    forget(source) {
      known.delete(source)
    },
  }
}
