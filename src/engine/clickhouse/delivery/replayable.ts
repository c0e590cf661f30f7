import type { SourceName } from '../../../common/sources.js'
import type { IngestBatch } from '../../engine.js'
import { quotedTable, type TableLocation } from '../schema/table-names.js'
import type { Server } from '../server/clickhouse-server.js'
import { type BatchGroup, type DeliveryContext, deliver } from './delivery.js'
import { batchNumber } from './group-journals.js'
import { type NativeBlock, toNative } from './native.js'

/**
 * Rows that any later process can read again, unchanged and in the same order. No journal is needed, since missing rows
 * can be sent at any time. The marker and `arrivedUs` identify the rows and never change.
 */
export interface ReplayableBatch {
  source: SourceName
  /** Eight bytes that identify the rows. */
  marker: Uint8Array
  /** The position of the rows among all replayable batches of the source, below {@link MIN_LIVE_ARRIVED_US}. */
  arrivedUs: number
  batches: readonly IngestBatch[]
  /** Whether a row is sent, by its number among the rows of the batches. By default every row is. */
  isSent?: ((row: number) => boolean) | undefined
}

/**
 * Replayed rows sort before live rows of equal time: `arrived` of replayed rows is below this time in 1973, `arrived`
 * of live rows is above.
 */
const MIN_LIVE_ARRIVED_US = 1e14

/** Number of rows of each replayable batch in a table, by {@link deliveredKey}. */
export type DeliveredCounts = ReadonlyMap<string, number>

/** Returns the key of a batch in {@link DeliveredCounts}: the number of the marker and `arrivedUs`. */
export const deliveredKey = ({ marker, arrivedUs }: Pick<ReplayableBatch, 'marker' | 'arrivedUs'>) =>
  `${batchNumber(marker)} ${arrivedUs}`

/** Counts the rows of each replayable batch. Reads two columns of all rows of a source. Rejects with a ServerError. */
export async function countDelivered(
  server: Server,
  location: TableLocation,
  source: SourceName,
): Promise<DeliveredCounts> {
  const table = quotedTable(location, source)
  const rows = await server.select(
    `SELECT batch, arrived, count() FROM ${table} WHERE arrived < ${MIN_LIVE_ARRIVED_US} GROUP BY batch, arrived`,
  )
  return new Map(rows.map(([batch, arrived, count]) => [`${batch} ${arrived}`, Number(count)]))
}

/**
 * Sends the rows of a replayable batch that are not on the server. `isNew` skips that check: no row is there, and no
 * insert of an earlier process can be running. Resolves when the server has confirmed all rows. Rejects if
 * `context.wait` does.
 */
export async function deliverReplayable(
  replayable: ReplayableBatch,
  isNew: boolean,
  context: DeliveryContext,
): Promise<void> {
  const { source, marker, arrivedUs, batches, isSent } = replayable
  const batch = batchNumber(marker)
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0)
  const firstAttempt = isNew ? { batch, blocks: blocksOf(replayable, batch) } : undefined
  const read: BatchGroup['read'] = async (visit) => {
    for (const one of batches) visit(one)
    return batch
  }
  await deliver({ source, arrivedUs, rows, bytes: 0, firstAttempt, read, isSent, confirmed: async () => {} }, context)
}

function blocksOf({ arrivedUs, batches, isSent }: ReplayableBatch, batch: bigint): NativeBlock[] {
  let firstRow = 0
  return batches
    .map((read) => {
      const block = toNative(read, { arrivedUs, batch, firstRow }, isSent)
      firstRow += read.rows
      return block
    })
    .filter(({ rows }) => rows > 0)
}
