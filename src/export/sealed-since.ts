import { LogweirError } from '../base/errors.js'
import { DAY_US } from '../base/units.js'
import type { Piece } from '../engine/arrow/export/stored-rows.js'
import { type DeliveredCounts, deliveredKey } from '../engine/clickhouse/replayable.js'
import type { Server } from '../engine/clickhouse/server.js'
import { shardTableName, type TableLocation, tableOf } from '../engine/clickhouse/table-names.js'
import { quoteName } from '../engine/clickhouse/values.js'
import type { SourceName } from '../sources.js'
import { arrivalNumber, headOfJournalNumber } from './arrival-number.js'

/**
 * Rows that an earlier export took from a journal bear other names once a server has sealed them, and would be there twice.
 * Throws `exported_before` where there are some: of each day that came from a journal which is no more, one row is looked
 * for in the segments of that head. (Another directory's head may have the same number; its rows are not found here.)
 */
export async function refuseSealedSince(
  pieces: readonly Piece[],
  delivered: DeliveredCounts,
  { server, location }: { server: Server; location: TableLocation },
): Promise<void> {
  const names = new Set(pieces.map((piece) => deliveredKey({ marker: piece.marker, arrivedUs: arrivalNumber(piece) })))
  for (const name of delivered.keys()) {
    if (names.has(name)) continue
    const [batch, arrived] = name.split(' ')
    const head = headOfJournalNumber(Number(arrived))
    const sealed = pieces.filter((piece) => piece.head === head && piece.part !== undefined)
    if (sealed.length === 0) continue
    const { source } = sealed[0]!
    const where = `batch = toUInt64(${batch}) AND arrived = ${arrived}`
    const samples = await server.select(
      `SELECT min(timestamp), argMin(id, timestamp) FROM ${tableOf(location, source)} WHERE ${where} ` +
        `GROUP BY intDiv(timestamp, toInt64(${DAY_US}))`,
    )
    for (const [timestamp, id] of samples) {
      for (const piece of sealed) {
        if (await piece.holds(Number(timestamp), String(id))) throw exportedBefore(source, head!, where, location)
      }
    }
  }
}

function exportedBefore(source: SourceName, head: number, where: string, location: TableLocation): LogweirError {
  const [table, place] =
    location.cluster === undefined ? [source, 'on the server'] : [shardTableName(source), 'on each shard']
  return new LogweirError(
    'exported_before',
    `Rows of ${source} were exported from the journal of head ${head}, and have been sealed since: they would be there twice. ` +
      `Remove them ${place}, and export again: ALTER TABLE ${quoteName(location.database)}.${table} DELETE WHERE ${where}`,
  )
}
