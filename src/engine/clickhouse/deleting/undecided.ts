import type { SourceName } from '../../../common/sources.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { Cell, Server } from '../server/clickhouse-server.js'
import type { UndecidedRows } from './deleted-rows.js'

/** Rows that are read at once. Their identities are one statement of some 170 KiB. */
const PAGE_ROWS = 5_000

/** The columns that order rows, and identify them: the last two. */
const PLACE = ['timestamp', 'batch', 'row'] as const

/**
 * Reads the rows that the server cannot decide, oldest first, and yields conditions that are true in the rows that the
 * deletion concerns. Rejects with a ServerError, or with the reason of the signal.
 */
export async function* decideRows(
  { sql, filter }: UndecidedRows,
  { server, location, source }: { server: Server; location: TableLocation; source: SourceName },
  signal: AbortSignal,
): AsyncGenerator<{ condition: string; rows: number }> {
  const columns = [...PLACE, ...filter.columns.filter((name) => name !== 'timestamp')]
  let after = ''
  for (;;) {
    const page = await server.select(
      `SELECT ${columns.join(', ')} FROM ${quotedTable(location, source)} WHERE ${sql}${after} ` +
        `ORDER BY ${PLACE.join(', ')} LIMIT ${PAGE_ROWS}`,
      { signal },
    )
    const kept = await filter.keep(page, columns)
    if (kept.length > 0) yield { condition: `(batch, row) IN (${kept.map(identityOf).join(', ')})`, rows: kept.length }
    if (page.length < PAGE_ROWS) return
    after = ` AND ${isAfter(page.at(-1)!)}`
  }
}

const identityOf = ([, batch, row]: readonly Cell[]) => `(${batch}, ${row})`

/** Old servers compare no tuples by an index. */
function isAfter([timestamp, batch, row]: readonly Cell[]): string {
  const isLater = `batch > ${batch} OR (batch = ${batch} AND row > ${row})`
  return `(timestamp > ${timestamp} OR (timestamp = ${timestamp} AND (${isLater})))`
}
