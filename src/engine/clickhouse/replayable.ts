import type { SourceName } from '../../sources.js'
import type { IngestBatch } from '../engine.js'
import { type BatchGroup, type DeliveryParts, deliver } from './delivery.js'
import { batchNumber } from './group-journals.js'
import { toNative } from './native.js'
import type { Server } from './server.js'
import { type TableLocation, tableOf } from './table-names.js'

/**
 * Rows from elsewhere that can be had again, the same in the same order: they need no journal, since what is not there yet
 * can be sent by any later process. Both numbers are theirs for good.
 */
export interface ReplayableBatch {
  source: SourceName
  /** Eight bytes that name them. */
  marker: Uint8Array
  /** Their place among all parcels of the source: a number below {@link MIN_LIVE_ARRIVED_US}. */
  arrivedUs: number
  batches: readonly IngestBatch[]
}

/**
 * Rows that came as parcels stand in front of those of equal time that came as logs: as if they had arrived before this
 * moment of 1973, and no log did.
 */
export const MIN_LIVE_ARRIVED_US = 1e14

/** How many rows of each replayable a table has; {@link deliveredKey} is the key. */
export type DeliveredCounts = ReadonlyMap<string, number>

export const deliveredKey = ({ marker, arrivedUs }: Pick<ReplayableBatch, 'marker' | 'arrivedUs'>) =>
  `${batchNumber(marker)} ${arrivedUs}`

/** Looks at all rows of a source, two columns of them. Rejects with a ServerError. */
export async function countDelivered(
  server: Server,
  location: TableLocation,
  source: SourceName,
): Promise<DeliveredCounts> {
  const table = tableOf(location, source)
  const rows = await server.select(
    `SELECT batch, arrived, count() FROM ${table} WHERE arrived < ${MIN_LIVE_ARRIVED_US} GROUP BY batch, arrived`,
  )
  return new Map(rows.map(([batch, arrived, count]) => [`${batch} ${arrived}`, Number(count)]))
}

/**
 * Brings the rows of a replayable to the server, those that are not there yet. `isNew` says that none is there, and that no
 * earlier process may be about to bring one: then nobody looks. Resolves when the server has confirmed them all.
 */
export async function deliverReplayable(
  replayable: ReplayableBatch,
  isNew: boolean,
  parts: DeliveryParts,
): Promise<void> {
  const { source, marker, arrivedUs, batches } = replayable
  const batch = batchNumber(marker)
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0)
  const first = isNew ? { batch, blocks: blocksOf(replayable, batch) } : undefined
  const read: BatchGroup['read'] = async (visit) => {
    for (const one of batches) visit(one)
    return batch
  }
  await deliver({ source, arrivedUs, rows, bytes: 0, first, read, confirmed: async () => {} }, parts)
}

function blocksOf({ arrivedUs, batches }: ReplayableBatch, batch: bigint): Uint8Array[] {
  let firstRow = 0
  return batches.map((read) => {
    const { block, rows } = toNative(read, { arrivedUs, batch, firstRow })
    firstRow += rows
    return block
  })
}
