import { LogweirError } from '../base/errors.js'
import { DAY_US } from '../base/units.js'
import type { SourceName } from '../common/sources.js'
import { type DeliveredCounts, deliveredKey } from '../engine/clickhouse/delivery/replayable.js'
import { quotedTable, shardTableName, type TableLocation } from '../engine/clickhouse/schema/table-names.js'
import type { Server } from '../engine/clickhouse/server/clickhouse-server.js'
import type { StoredRows } from '../engine/store/export/stored-rows.js'
import { arrivalNumber, headOfJournalNumber } from './arrival-number.js'

/**
 * Throws `exported_before` if rows that an earlier export read from a journal have been sealed since: the rows would
 * get other ids, and be on the server twice. For each day of rows from a journal that no longer exists, a row is
 * searched for in the segments of the head. (A head of another directory may have the same number. Rows of that head
 * are not found here.)
 */
export async function refuseSealedSince(
  stored: readonly StoredRows[],
  delivered: DeliveredCounts,
  { server, location }: { server: Server; location: TableLocation },
): Promise<void> {
  const keys = new Set(stored.map((rows) => deliveredKey({ marker: rows.marker, arrivedUs: arrivalNumber(rows) })))
  for (const key of delivered.keys()) {
    if (keys.has(key)) continue
    const [batch, arrived] = key.split(' ')
    const head = headOfJournalNumber(Number(arrived))
    const sealed = stored.filter((rows) => rows.head === head && rows.part !== undefined)
    if (sealed.length === 0) continue
    const { source } = sealed[0]
    const where = `batch = toUInt64(${batch}) AND arrived = ${arrived}`
    const samples = await server.select(
      `SELECT min(timestamp), argMin(id, timestamp) FROM ${quotedTable(location, source)} WHERE ${where} ` +
        `GROUP BY intDiv(timestamp, toInt64(${DAY_US}))`,
    )
    for (const [timestamp, id] of samples) {
      for (const segment of sealed) {
        if (await segment.hasRow(Number(timestamp), String(id))) throw exportedBefore(source, head!, where, location)
      }
    }
  }
}

function exportedBefore(source: SourceName, head: number, where: string, location: TableLocation): LogweirError {
  const [table, place] =
    location.cluster === undefined ? [source, 'on the server'] : [shardTableName(source), 'on each shard']
  return new LogweirError(
    'exported_before',
    `Rows of ${source} were exported from the journal of head ${head} and have been sealed since: ` +
      `exporting again would duplicate them. Delete them ${place}, then export again: ` +
      `ALTER TABLE ${quotedTable(location, table)} DELETE WHERE ${where}`,
  )
}
