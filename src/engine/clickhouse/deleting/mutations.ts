import { setTimeout as wait } from 'node:timers/promises'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { Server } from '../server/clickhouse-server.js'
import { textValue } from '../server/values.js'

/** The table with the rows of a source on a server. */
export interface ShardTable {
  server: Server
  location: Pick<TableLocation, 'database'>
  table: string
}

/** How often a server is asked whether it is done. */
const POLL_MS = 500

/**
 * Deletes rows of a table on a server by a mutation. Resolves when no part has the rows. The server goes on if the
 * process ends. Rejects with a ServerError, or with the reason of the signal.
 */
export async function deleteWhere(at: ShardTable, condition: string, signal: AbortSignal): Promise<void> {
  await at.server.command(`ALTER TABLE ${quotedTable(at.location, at.table)} DELETE WHERE ${condition}`)
  await untilNone(at, 'SELECT mutation_id FROM system.mutations', 'is_done = 0', signal)
}

/**
 * Resolves when the files of the parts are gone that a server has replaced until now: it keeps them for some minutes,
 * by default 8.
 */
export const untilFilesAreGone = (at: ShardTable, signal: AbortSignal): Promise<void> =>
  untilNone(at, 'SELECT name FROM system.parts', 'active = 0', signal)

/** Resolves when none of the names is in the list any more that are in the list now. */
async function untilNone(at: ShardTable, select: string, condition: string, signal: AbortSignal): Promise<void> {
  const { server, location, table } = at
  const ofTable = `database = ${textValue(location.database)} AND table = ${textValue(table)}`
  const sql = `${select} WHERE ${ofTable} AND ${condition}`
  const names = async () => (await server.select(sql, { signal })).map(([name]) => String(name))
  let left = await names()
  while (left.length > 0) {
    await wait(POLL_MS, undefined, { signal })
    const listed = new Set(await names())
    left = left.filter((name) => listed.has(name))
  }
}
